/** Offers the docs tools to an external agent over the Model Context Protocol on a local socket. */
import { createServer } from 'node:net';
import type { Tool, ToolCall, ToolResult } from '../contract.ts';
import { listenIn, type LocalSocket } from '../../egress/local-socket.ts';
import { serveTools, toolSchema, type OfferedTool, type ToolServer } from '../../tool-protocol/serve.ts';
import { docsCallPrefix } from './external-call.ts';

export interface DocsToolsOptions {
  folder: string;
  tools: readonly Tool[];
  call(call: ToolCall): Promise<ToolResult>;
}

/** Tools that an agent with its own file access lacks. */
const offeredNames = new Set(
  'outline find_pages search page_info move_page validate render_page code_symbols code_diff report_evidence'.split(
    ' ',
  ),
);
const maxConnections = 8;
const limits = { lineBytes: 1_000_000, bytes: 16_000_000, callsAtOnce: 1, calls: 64 };

export function offeredTools(tools: readonly Tool[]): Tool[] {
  return tools.filter(({ name }) => offeredNames.has(name));
}

export function openDocsTools({ folder, tools, call }: DocsToolsOptions): Promise<LocalSocket> {
  let calls = 0;
  const offered: ToolServer = {
    version: '1',
    tools: offeredTools(tools).map(describe),
    async call(name, input) {
      calls += 1;
      const { text, isError = false } = await call({ id: `${docsCallPrefix}${calls}`, name, input });
      return { texts: [text], isError };
    },
  };
  const server = createServer((connection) => {
    void serveTools({ input: connection, output: connection }, offered, limits).finally(() =>
      connection.destroy(),
    );
  });
  server.maxConnections = maxConnections;
  return listenIn(folder, 'tools.sock', server);
}

function describe({ name, description, input }: Tool): OfferedTool {
  return { name, description, inputSchema: toolSchema(input, 'input') };
}
