/**
 * A small agent that speaks the Agent Client Protocol on its standard input and output, to show and to test how one is
 * plugged in. It knows one task: `Replace "old" with "new" in path`. It has no model and needs no network.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentContext,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

const task = /Replace "([^"\n]{1,200})" with "([^"\n]{0,200})" in (\S{1,200})/;

agent({ name: 'example' })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: 'only' }))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    await replace(client, params.sessionId, text);
    return { stopReason: 'end_turn' };
  })
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
    ),
  );

async function replace(client: AgentContext, sessionId: string, text: string): Promise<void> {
  const tell = (update: SessionUpdate): Promise<void> =>
    client.notify(methods.client.session.update, { sessionId, update });
  const say = (words: string): Promise<void> =>
    tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  const [, before, after, path] = task.exec(text) ?? [];
  if (before === undefined || after === undefined || path === undefined) {
    return say('I can only replace words in a file.');
  }
  const call = { toolCallId: 'edit', title: `Edit ${path}`, kind: 'edit' as const, locations: [{ path }] };
  await tell({ sessionUpdate: 'tool_call', ...call, status: 'in_progress' });
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
  await tell({ sessionUpdate: 'tool_call_update', toolCallId: 'edit', status });
  await say(isAllowed ? `Replaced "${before}" in ${path}.` : 'I was not allowed to edit.');
}
