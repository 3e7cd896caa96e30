/** The Model Context Protocol over streamable HTTP, for readers of a site. It is stateless and read-only. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { SiteEndpoint } from '../serving/endpoint.ts';
import { readBody } from '../serving/request-body.ts';
import { respond, type SiteExchange } from '../serving/respond.ts';
import { send, sendText } from '../serving/send-file.ts';
import { readerServer } from './reader-tools.ts';

const path = '/mcp';
const maxBodyBytes = 100_000;
const maxMessages = 20;
const allowed = ['Allow', 'POST, OPTIONS'];

/** JSON-RPC 2.0. */
const parseError = -32_700;
const invalidRequest = -32_600;

export interface McpEndpointOptions {
  /** Host names of the site. */
  hosts: readonly string[];
}

export function mcpEndpoint({ hosts }: McpEndpointOptions): SiteEndpoint {
  return {
    path,
    serve: async (exchange) => {
      const { method, headers } = exchange.request;
      if (method === 'POST')
        return isTrusted(headers.origin, hosts) ? serveCall(exchange) : refuseOrigin(exchange);
      respondToOthers(exchange);
    },
  };
}

/** Browsers send an origin. A page of another host must not reach the server through DNS rebinding, so names count only if the operator has set them. */
function isTrusted(origin: string | undefined, hosts: readonly string[]): boolean {
  return origin === undefined || hosts.includes(URL.parse(origin)?.hostname ?? '');
}

function refuseOrigin(exchange: SiteExchange): void {
  exchange.response.shouldKeepAlive = false;
  sendText(exchange, 403, 'Web pages cannot call this MCP server. Use an MCP client outside of a browser.');
}

/** Clients of the protocol ask for a stream of events, others for a page of the site with this path. */
function respondToOthers(exchange: SiteExchange): void {
  const { method, headers } = exchange.request;
  const isRead = method === 'GET' || method === 'HEAD';
  const wantsEvents = headers.accept?.includes('text/event-stream') === true;
  if (isRead && !wantsEvents && exchange.site.find(path) !== undefined) return respond(exchange);
  if (method === 'OPTIONS') return send(exchange, 204, [...allowed, ...exchange.textHeaders]);
  exchange.response.shouldKeepAlive = false;
  sendText(exchange, 405, 'This is an MCP server. Connect an MCP client to this address.', allowed);
}

async function serveCall(exchange: SiteExchange): Promise<void> {
  const { request, response, site, observer } = exchange;
  const body = await readBody(request, maxBodyBytes);
  if (body === undefined) {
    response.shouldKeepAlive = false;
    return sendProblem(exchange, 413, `The request has more than ${maxBodyBytes} bytes.`);
  }
  const parsedBody = parsedJson(body);
  if (parsedBody === undefined) return sendProblem(exchange, 400, 'The request is not JSON.', parseError);
  if (Array.isArray(parsedBody) && parsedBody.length > maxMessages)
    return sendProblem(exchange, 400, `The request has more than ${maxMessages} messages.`);
  const release = exchange.hold?.();
  try {
    const handler = createMcpHandler(() => readerServer(site, { observer }), {
      keepAliveMs: 0,
      maxSubscriptions: 0,
    });
    const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    const asked = new Request(`http://site.invalid${path}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    const answer = await handler.fetch(asked, { parsedBody });
    await sendAnswer(exchange, answer);
  } finally {
    release?.();
  }
}

async function sendAnswer(exchange: SiteExchange, answer: Response): Promise<void> {
  const content = new Uint8Array(await answer.arrayBuffer());
  const type = answer.headers.get('content-type');
  sendContent(exchange, answer.status, content, type ?? undefined);
}

function sendProblem(exchange: SiteExchange, status: number, message: string, code = invalidRequest): void {
  const problem = { jsonrpc: '2.0', id: null, error: { code, message } };
  sendContent(exchange, status, Buffer.from(JSON.stringify(problem)), 'application/json');
}

function sendContent(
  exchange: SiteExchange,
  status: number,
  content: Uint8Array,
  type: string | undefined,
): void {
  send(
    exchange,
    status,
    [
      ...(type === undefined ? [] : ['Content-Type', type]),
      'Content-Length',
      String(content.length),
      'Cache-Control',
      'no-store',
      ...exchange.textHeaders,
    ],
    content,
  );
}

/** Undefined for invalid JSON, which never has this value. */
function parsedJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
