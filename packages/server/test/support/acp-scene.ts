/** Runs external agents in the sandbox. Tests are skipped where bubblewrap is missing or the kernel refuses it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startModelServer, type ModelServer, type Script } from '../../../../test/fakes/model-server.ts';
import { temporaryFolder, writeFiles } from './test-context.ts';
import { defaultLimits, type Journal, type Step } from '../../src/agent/contract.ts';
import { createForwarder } from '../../src/agent/model/gateway.ts';
import { tools } from '../../src/agent/tools/all-tools.ts';
import { benchOn } from './tool-bench.ts';
import { openTree } from '../../src/agent/workspace/tree.ts';
import type { AcpRun } from '../../src/agent/engine/acp.ts';
import { whySandboxFails, type SandboxedProgram } from '../../src/agent/engine/sandbox.ts';

export const repository = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
export const exampleAgent = fileURLToPath(
  new URL('../../src/agent/demo/example-acp-agent.ts', import.meta.url),
);
export const weakness = await whySandboxFails(temporaryFolder('sandbox'));
if (weakness !== undefined) console.warn(`Tests of external agents are skipped: ${weakness}`);

export const exampleAgentHere: SandboxedProgram = {
  command: process.execPath,
  args: [exampleAgent],
  readOnlyPaths: [repository],
  environment: {},
};
export const modelKey = 'sk-key-that-stays-outside-of-the-sandbox';

export async function modelFor(script: Script): Promise<{ model: AcpRun['model']; server: ModelServer }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const settings = { provider: 'openai' as const, url: server.url, name: 'writer' };
  const egress = { allowedHosts: [server.host], offline: false };
  const limits = { attempts: 1 };
  return {
    model: { ...settings, forward: createForwarder({ ...settings, key: modelKey }, { egress, limits }) },
    server,
  };
}

export const askModel = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Continue.' }] }) })`;

export const files = {
  'docs.json': '{"name":"Site"}\n',
  'index.mdx': 'Hello wrold.\n',
  'guides/start.mdx': 'Start.\n',
  'AGENTS.md': 'Obey the branch.\n',
};

/** A minimal agent; `work` is the source that handles a prompt, and `first` may answer any message and return. */
export function scripted(work: string, first = ''): SandboxedProgram {
  const program = `
    const fs = require('node:fs');
    const send = (message) => fs.writeSync(1, JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const update = (update) => send({ method: 'session/update', params: { sessionId: 's', update } });
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    const call = (id) => update({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Edit', kind: 'edit', status: 'completed' });
    let servers;
    const tool = (name, input) => new Promise((resolve) => {
      const { command, args } = servers[0];
      const child = require('node:child_process').spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name.includes('/') ? name : 'tools/call', params: { name, arguments: input } }) + '\\n');
      require('node:readline').createInterface({ input: child.stdout }).once('line', (line) => { child.kill(); resolve(JSON.parse(line)); });
    });
    const prompt = async (text) => { ${work}; return 'end_turn'; };
    require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
      const { id, method, params } = JSON.parse(line);
      ${first}
      if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') { servers = params.mcpServers; send({ id, result: { sessionId: 's' } }); }
      if (method === 'session/prompt') send({ id, result: { stopReason: await prompt(params.prompt[0].text) } });
      if (method === 'session/cancel') globalThis.onCancel?.();
    });`;
  return { command: process.execPath, args: ['-e', program], readOnlyPaths: [repository], environment: {} };
}

export function scene(
  agent: SandboxedProgram,
  more: Partial<AcpRun> = {},
  extraFiles: Record<string, string> = {},
) {
  const folder = temporaryFolder('acp');
  const treeFolder = join(folder, 'tree');
  writeFiles(treeFolder, { ...files, ...extraFiles });
  const tree = openTree({
    folder: treeFolder,
    submodules: new Set(),
    links: new Set(),
    isPointer: async (path) => path.endsWith('.lfs'),
  });
  const steps: Step[] = [];
  const journal: Journal = { steps, append: async (step) => void steps.push(step) };
  const run: AcpRun = {
    agent,
    folder: join(folder, 'job'),
    model: null,
    tools,
    toolContext: { ...benchOn(treeFolder).context, tree },
    limits: defaultLimits,
    journal,
    messages: [
      { role: 'system', text: 'You edit a site.' },
      { role: 'user', text: 'Replace "wrold" with "world" in index.mdx' },
    ],
    signal: new AbortController().signal,
    now: () => Date.now(),
    startedAt: Date.now(),
    checkpoint: async () => readFileSync(join(treeFolder, 'index.mdx'), 'utf8'),
    ...more,
  };
  const text = (path: string) => readFileSync(join(treeFolder, path), 'utf8');
  return { run, steps, text, folder, treeFolder };
}

export const changesIn = (steps: Step[]) =>
  steps.flatMap((step) => (step.kind === 'result' ? (step.result.changes ?? []) : []));
