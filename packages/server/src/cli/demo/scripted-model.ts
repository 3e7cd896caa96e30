/** A scripted model for the demo: a local server in the wire format of chat completions. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export interface ScriptedTask {
  prompt: string;
  /** The tool calls of a perfect model, one per response. */
  calls: { tool: string; input: Record<string, unknown> }[];
}

export interface ScriptedModel {
  url: string;
  /** `host:port`, as in EGRESS_ALLOW. */
  host: string;
  close(): Promise<void>;
}

const Conversation = z.object({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
});
const maxBodyBytes = 20_000_000;

export async function startScriptedModel(tasks: readonly ScriptedTask[]): Promise<ScriptedModel> {
  const server = createServer((request, response) => {
    readBody(request)
      .then((body) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(eventsOf(nextCall(tasks, Conversation.parse(JSON.parse(body)).messages)));
      })
      .catch(() => response.writeHead(400).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBodyBytes) throw new Error('The request is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** The conversation identifies the task and its step, so that the server needs no state. */
function nextCall(
  tasks: readonly ScriptedTask[],
  messages: z.infer<typeof Conversation>['messages'],
): { id: string; name: string; arguments: string } {
  const said = JSON.stringify(messages.filter(({ role }) => role === 'user').map(({ content }) => content));
  const task = tasks.find(({ prompt }) => said.includes(JSON.stringify(prompt).slice(1, -1)));
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const call = task?.calls[turn] ?? { tool: 'finish', input: { summary: 'Done.', title: 'Done' } };
  return { id: `call_${turn + 1}`, name: call.tool, arguments: JSON.stringify(call.input) };
}

function eventsOf(call: { id: string; name: string; arguments: string }): string {
  const { id, ...called } = call;
  const chunk = (more: object) => ({
    id: 'demo',
    object: 'chat.completion.chunk',
    model: 'scripted',
    ...more,
  });
  const delta = { role: 'assistant', tool_calls: [{ index: 0, id, type: 'function', function: called }] };
  const outputTokens = Math.ceil(call.arguments.length / 4);
  return [
    JSON.stringify(chunk({ choices: [{ index: 0, delta, finish_reason: null }] })),
    JSON.stringify(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })),
    JSON.stringify(
      chunk({
        choices: [],
        usage: { prompt_tokens: 0, completion_tokens: outputTokens, total_tokens: outputTokens },
      }),
    ),
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join('');
}
