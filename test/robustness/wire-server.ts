/** An HTTP server that sends exactly the bytes a case describes, at the moments it describes. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';

export type Json = Record<string, unknown>;

export interface WireRequest {
  /** Number of earlier requests. */
  number: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: Json;
}

export interface WireResponse {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** Silence before the headers. */
  silentMilliseconds?: number;
  /** Written one after another. A number is a pause in milliseconds. */
  parts: readonly (string | Uint8Array | number)[];
  /** After the parts the connection breaks, or stays open without data. The default is a proper end. */
  end?: 'broken' | 'open';
}

export interface WireServer {
  url: string;
  host: string;
  requests: WireRequest[];
  close(): Promise<void>;
}

export type WireHandler = (request: WireRequest) => WireResponse | Promise<WireResponse>;

export async function startWireServer(handler: WireHandler): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    // Clients under test disconnect.
    response.on('error', () => {});
    incoming.on('error', () => {});
    answer(incoming, response).catch(() => response.destroy());
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Json;
    const { url: path = '', headers } = incoming;
    const request = { number: requests.length, path, headers, body };
    requests.push(request);
    await send(await handler(request), response);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/v1`,
    host,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function send(
  { status = 200, headers = {}, silentMilliseconds, parts, end }: WireResponse,
  response: ServerResponse,
): Promise<void> {
  if (silentMilliseconds !== undefined) await delay(silentMilliseconds);
  if (parts.length === 0 && end === 'broken') return void response.destroy();
  if (parts.length === 0 && end === 'open') return;
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const part of parts) {
    if (response.destroyed) return;
    if (typeof part === 'number') await delay(part);
    else response.write(part);
    await turn();
  }
  if (end === 'broken') response.destroy();
  else if (end === undefined) response.end();
}

export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    parts: [JSON.stringify(body)],
  };
}
