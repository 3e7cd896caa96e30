/**
 * `docyard agent demo`: runs three agent jobs on a copy of the sample site, with a scripted model and otherwise the
 * real service.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DocyardClient, waitForAgentJob, type AgentJob } from '@docyard/api';
import type { Command } from 'commander';
import { sampleIdentity } from '../git/sample-identity.ts';
import { copySample } from '../sample-site.ts';
import { CommandError } from './errors.ts';
import { startScriptedModel, type ScriptedTask } from './demo/scripted-model.ts';
import { brokenLink, tasks } from './demo/tasks.ts';

export function describeAgentDemo(command: Command): void {
  command
    .description('Run agent jobs on the sample site with a scripted model. Needs no network and no key.')
    .action(runDemo);
}

async function runDemo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'docyard-demo-'));
  const model = await startScriptedModel(tasks);
  try {
    print('The model in this demo is a script that knows the right calls for these three instructions.');
    print('Everything else is real: the service, the tools, the checks, the policy and git.', '');
    const repository = await makeRepository(folder);
    const service = await startDemoService(folder, model);
    try {
      const project = await service.client.call('createProject', {
        body: {
          name: 'Handbook',
          domain: 'handbook.example.com',
          source: { repository: pathToFileURL(repository).href, ref: 'main' },
        },
      });
      for (const task of tasks) await show(service.client, project.id, repository, task);
    } finally {
      await service.stop();
    }
  } finally {
    await model.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startDemoService(folder: string, model: { url: string; host: string }) {
  const [{ readConfig }, { startService }, { setUpFirstRun }] = await Promise.all([
    import('../config.ts'),
    import('../serve.ts'),
    import('../first-run.ts'),
  ]);
  const config = readConfig({
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'error',
    MODEL_URL: model.url,
    MODEL_NAME: 'scripted',
    EGRESS_ALLOW: `model:${model.host}`,
    RENDER_PROCESSES: '1',
  });
  let key: string | undefined;
  const service = await startService(config, async (context) => {
    key = await setUpFirstRun(context, { sample: false, adminKeyFile: undefined });
  });
  if (key === undefined) throw new Error('The first start created no key.');
  const client = new DocyardClient({ baseUrl: `http://127.0.0.1:${service.port}`, apiKey: key });
  return { client, stop: () => service.stop() };
}

/** A bare repository with the sample site and one broken link. */
async function makeRepository(folder: string): Promise<string> {
  const draft = join(folder, 'draft');
  const repository = join(folder, 'handbook.git');
  await copySample(draft);
  const file = join(draft, brokenLink.file);
  const page = await readFile(file, 'utf8');
  await writeFile(file, page.replace(brokenLink.right, brokenLink.wrong));
  git(draft, 'init', '--quiet', '--initial-branch=main');
  git(draft, 'add', '--all');
  git(draft, 'commit', '--quiet', '--message', 'Start the handbook');
  git(folder, 'clone', '--quiet', '--bare', draft, repository);
  return repository;
}

async function show(
  client: DocyardClient,
  projectId: string,
  repository: string,
  { prompt }: ScriptedTask,
): Promise<void> {
  print(`── ${prompt}`, '');
  const { id } = await client.call('createAgentJob', { params: { projectId }, body: { prompt } });
  const job = await waitForAgentJob(client, { projectId, id });
  print(endingOf(job), '');
  if (job.pullRequest === null) throw new CommandError(`The demo failed: ${job.error ?? job.statusReason}`);
  const { patch } = await client.call('readAgentDiff', { params: { projectId, id } });
  print(patch.trimEnd(), '');
  const { branch } = job.pullRequest;
  print(`Pushed as ${branch}, commit ${git(repository, 'rev-parse', '--short', branch)}.`, '');
}

function endingOf(job: AgentJob): string {
  const { result, usage } = job;
  const files = `files changed: ${result?.filesChanged ?? 0}, +${result?.linesAdded ?? 0} −${result?.linesRemoved ?? 0}`;
  const checks = `${result?.newErrors ?? 0} new errors, ${result?.newWarnings ?? 0} new warnings`;
  return `${job.status} (${job.statusReason}): ${files}; ${checks}; rules: ${job.policy?.outcome}; ${usage.steps} steps`;
}

function git(folder: string, ...args: string[]): string {
  const ended = spawnSync('git', [...sampleIdentity, ...args], { cwd: folder, encoding: 'utf8' });
  if (ended.status !== 0) throw new CommandError(`The demo needs git: ${ended.stderr}`);
  return ended.stdout.trim();
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
