/**
 * A minimal agent that speaks the Agent Client Protocol on standard input and output, as an example and for
 * tests. It knows one task: `Replace "old" with "new" in path`. It edits the file, validates the site with a
 * docs tool and lets a model write the summary.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentContext,
  type McpServer,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

const task = /Replace "([^"\n]{1,200})" with "([^"\n]{0,200})" in (\S{1,200})/;
let toolServers: McpServer[] = [];

agent({ name: 'example' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    toolServers = params.mcpServers;
    return { sessionId: 'only' };
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    await work(client, params.sessionId, text);
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

async function work(client: AgentContext, sessionId: string, text: string): Promise<void> {
  const notify = (update: SessionUpdate): Promise<void> =>
    client.notify(methods.client.session.update, { sessionId, update });
  const say = (words: string): Promise<void> =>
    notify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  const [, before, after, path] = task.exec(text) ?? [];
  if (before === undefined || after === undefined || path === undefined) {
    return say('I can only replace words in a file.');
  }
  const call = { toolCallId: 'edit', title: `Edit ${path}`, kind: 'edit' as const, locations: [{ path }] };
  await notify({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
  const { outcome } = await client.request<RequestPermissionResponse>(
    methods.client.session.requestPermission,
    {
      sessionId,
      toolCall: call,
      options: [
        { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
        { optionId: 'no', name: 'Reject', kind: 'reject_once' },
      ],
    },
  );
  const isAllowed = outcome.outcome === 'selected' && outcome.optionId === 'yes';
  if (isAllowed) await writeFile(path, (await readFile(path, 'utf8')).replaceAll(before, after));
  const status = isAllowed ? 'completed' : 'failed';
  await notify({ sessionUpdate: 'tool_call_update', toolCallId: 'edit', status });
  if (!isAllowed) return say('I was not allowed to edit.');
  const findings = await useTool('validate', {});
  const summary = await askModel(`I replaced "${before}" in ${path}. A check says: ${findings}. Sum it up.`);
  await say(summary ?? `Replaced "${before}" in ${path}.`);
}

async function useTool(name: string, input: object): Promise<string> {
  const [server] = toolServers;
  if (server === undefined || !('command' in server)) return 'There are no tools.';
  const child = spawn(server.command, server.args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  const clientInfo = { name: 'example', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, result } = JSON.parse(line) as { id: number; result?: { content: { text: string }[] } };
    if (id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/call', params: { name, arguments: input } });
    } else {
      child.stdin.end();
      return result?.content[0]?.text ?? 'The tool failed.';
    }
  }
  return 'The tool server closed the connection.';
}

async function askModel(content: string): Promise<string | undefined> {
  const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, OPENAI_MODEL: model } = process.env;
  if (base === undefined) return undefined;
  const response = await fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
  });
  if (!response.ok) throw new Error(`The model answered with status ${response.status}.`);
  const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const chunks = events.map(
    (line) => JSON.parse(line.slice('data: '.length)) as { choices: [{ delta: { content?: string } }] },
  );
  return chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join('');
}
