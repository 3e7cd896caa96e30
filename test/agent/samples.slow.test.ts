/** Jobs that change code samples: the samples are run, and a killed run keeps their results. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findIsolation } from '../../packages/server/src/sandbox/isolation.ts';
import type { ScriptedCall, Script } from '../fakes/model-server.ts';
import { createProject, ended, runJob, setStage, type Stage } from './harness.ts';

const page = 'guides/mooring.mdx';
const { level } = await findIsolation();

let calls: ScriptedCall[] = [];
const script: Script = ({ messages }) => {
  const call = calls[messages.filter(({ role }) => role === 'assistant').length];
  return call === undefined ? { text: 'Nothing more.' } : { calls: [call] };
};

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({
    script,
    environment: { AGENT_SAMPLE_RUNNERS: '{"bash": ["/bin/bash", "-s"]}' },
  });
});
afterAll(() => stage.close());

function write(...samples: string[]): void {
  const blocks = samples.map((code) => `\n\n\`\`\`bash\n${code}\n\`\`\``).join('');
  calls = [
    { name: 'read_file', input: { path: page } },
    { name: 'edit_file', input: { path: page, old: 'two lines aft.', new: `two lines aft.${blocks}` } },
    { name: 'finish', input: { title: 'Show the lines', summary: 'It has samples.' } },
  ];
}

const bodyOf = (branch: string | undefined) => stage.forge.pulls.find(({ head }) => head === branch)?.body;

test.runIf(level === 3)(
  'a proposal whose samples pass is no draft and lists them',
  async () => {
    const service = await stage.start();
    const projectId = await createProject(service, stage);
    write('echo 2 lines | grep 2');
    const job = await runJob(service, projectId, 'Show the lines.');
    expect(job).toMatchObject({ policy: { outcome: 'pass' }, pullRequest: { draft: false } });
    expect(bodyOf(job.pullRequest?.branch)).toContain(`### Code samples\n\n- \`${page}:8\` (bash) passed`);
    await service.stop();
  },
  120_000,
);

test.runIf(level === 3).each(['loop-ended', 'validated', 'judged', 'pull request made'])(
  'a proposal with a sample that fails is a draft, and killed at “%s” it names one result',
  async (point) => {
    const died = Promise.withResolvers<NodeJS.Signals | null>();
    const first = await stage.start({
      crashAfter: point,
      onSpawn: (child) => child.once('exit', (_code, signal) => died.resolve(signal)),
    });
    const projectId = await createProject(first, stage, `${point.replaceAll(/\W/g, '-')}.example.com`);
    write('true', 'echo "failed at $(date +%s%N)" >&2; exit 3');
    const { id } = await first.client.call('createAgentJob', {
      params: { projectId },
      body: { prompt: 'Show the lines.' },
    });
    expect(await died.promise).toBe('SIGKILL');
    const service = await stage.start();
    const job = await ended(service, projectId, id);
    const message = 'The bash sample in line 12 failed: exit code 3.';
    expect(job).toMatchObject({
      status: 'completed',
      policy: { outcome: 'draft', notes: [{ rule: 'sample', path: page, message, outcome: 'draft' }] },
      pullRequest: { draft: true },
    });
    const { data } = await service.client.call('readAgentTranscript', { params: { projectId, id } });
    const checked = data.filter(({ kind }) => kind === 'validated').map(({ text }) => text ?? '');
    expect(checked).toHaveLength(1);
    const [failedAt] = /failed at \d+/.exec(checked.join('')) ?? [];
    const body = bodyOf(job.pullRequest?.branch);
    expect(failedAt).toBeDefined();
    expect(body).toContain(`- \`${page}:12\` (bash) **failed**: exit code 3: \`${failedAt}\``);
    await service.stop();
  },
  120_000,
);
