/**
 * A job done by a foreign agent: the program that the operator names works in a sandbox, and what it changed is judged
 * and proposed like any other work.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../service.ts';
import { createProject, runJob, setStage } from './stage.ts';

/** Speaks as much of the Agent Client Protocol as one turn needs, with nothing but Node. */
const agent = `
const { createInterface } = require('node:readline');
const { readFileSync, writeFileSync } = require('node:fs');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': () => ({ sessionId: 'only' }),
  'session/prompt': () => {
    const text = readFileSync('index.mdx', 'utf8');
    writeFileSync('index.mdx', text.replace('/guides/moring', '/guides/mooring'));
    const content = { type: 'text', text: 'I mended the link.' };
    send({ method: 'session/update', params: { sessionId: 'only', update: { sessionUpdate: 'agent_message_chunk', content } } });
    return { stopReason: 'end_turn' };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined && answers[method]) send({ id, result: answers[method]() });
});
`;

const hasSandbox = spawnSync('bwrap', ['--version']).status === 0;

test.runIf(hasSandbox)('its change becomes a pull request', async () => {
  const program = join(temporaryFolder('acp-agent'), 'agent.cjs');
  writeFileSync(program, agent);
  const stage = await setStage({
    script: [],
    environment: { AGENT_COMMAND: `${process.execPath} ${program}` },
  });
  try {
    const service = await stage.start();
    const projectId = await createProject(service, stage);
    const job = await runJob(service, projectId, 'Mend the link of the first page.');
    expect(job).toMatchObject({
      status: 'completed',
      result: { filesChanged: 1, summary: 'I mended the link.' },
    });
    expect(stage.repository.git('show', `${job.pullRequest?.branch}:index.mdx`)).toContain(
      '/guides/mooring)',
    );
    expect(stage.model.requests).toEqual([]);
  } finally {
    await stage.close();
  }
});

test.skipIf(hasSandbox)('without a sandbox it is not started, and the job says why', async () => {
  const stage = await setStage({ script: [], environment: { AGENT_COMMAND: '/bin/true' } });
  try {
    const service = await stage.start();
    const projectId = await createProject(service, stage);
    const job = await runJob(service, projectId, 'Mend the link of the first page.');
    expect(job).toMatchObject({ status: 'failed', statusReason: 'internal', prLink: null });
    expect(job.error).toContain('sandbox');
  } finally {
    await stage.close();
  }
});
