/**
 * Our own tools for a foreign agent: as much of the Model Context Protocol as tools need (initialize, tools/list,
 * tools/call), one JSON message a line, on a socket of ours. It runs nothing itself and asks one call at a time.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { Tool, ToolCall, ToolResult } from '../contract.ts';
import { listenIn, type LocalSocket } from '../../egress/local-socket.ts';

export interface DocsToolsOptions {
  /** Where the socket is made. */
  folder: string;
  tools: readonly Tool[];
  call(call: ToolCall): Promise<ToolResult>;
}

/** What an agent with a file system of its own lacks. */
const offeredNames = new Set(['outline', 'search', 'page_info', 'move_page', 'validate', 'render_page']);
const usualVersion = '2025-06-18';
const mostConnections = 8;
const mostConversationBytes = 16_000_000;

export function offeredTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ name }) => offeredNames.has(name));
}

export function openDocsTools({ folder, tools, call }: DocsToolsOptions): Promise<LocalSocket> {
  const offered = offeredTools(tools);
  let calls = 0;
  const server = createServer((connection) => {
    serve(connection, async (method, params) => {
      switch (method) {
        case 'initialize':
          return {
            protocolVersion: textIn(params, 'protocolVersion') ?? usualVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'docyard', version: '1' },
          };
        case 'ping':
          return {};
        case 'tools/list':
          return { tools: offered.map(describe) };
        case 'tools/call': {
          const name = textIn(params, 'name') ?? '';
          calls += 1;
          const input = params?.['arguments'] ?? {};
          const { text, isError = false } = await call({ id: `docs-${calls}`, name, input });
          return { content: [{ type: 'text', text }], isError };
        }
        default:
          return undefined;
      }
    });
  });
  server.maxConnections = mostConnections;
  return listenIn(folder, 'tools.sock', server);
}

function describe({ name, description, input }: Tool) {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return { name, description, inputSchema };
}

/** `answer` resolves with undefined for a method that there is not. */
function serve(connection: Socket, answer: (method: string, params: Params) => Promise<unknown>): void {
  const send = (message: object): void => {
    if (!connection.destroyed) connection.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  };
  let working = Promise.resolve();
  connection.on('error', () => undefined);
  connection.on('data', () => {
    if (connection.bytesRead > mostConversationBytes) connection.destroy();
  });
  createInterface({ input: connection }).on('line', (line) => {
    const request = requestIn(line);
    if (request === undefined) return send({ id: null, error: { code: -32_700, message: 'No JSON-RPC.' } });
    const { id, method, params } = request;
    // Whatever has no id is a notification, which nobody waits for.
    if (id === undefined) return;
    working = working
      // Nobody hears the answer to what was asked before the end.
      .then(() => (connection.destroyed ? undefined : answer(method, params)))
      .then(
        (result) => {
          const error = { code: -32_601, message: 'There is no such method.' };
          send(result === undefined ? { id, error } : { id, result });
        },
        () => send({ id, error: { code: -32_603, message: 'The run is over.' } }),
      );
  });
}

type Params = Record<string, unknown> | undefined;

const Request = z.object({
  id: z.union([z.string().max(100), z.number()]).optional(),
  method: z.string().max(100),
  params: z.record(z.string(), z.unknown()).optional(),
});

function requestIn(line: string): z.infer<typeof Request> | undefined {
  try {
    return Request.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function textIn(params: Params, name: string): string | undefined {
  const value = params?.[name];
  return typeof value === 'string' ? value.slice(0, 100) : undefined;
}
