/** A webhook receiver for tests. It records messages and answers as configured. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from './test-context.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  payload: { type: string; timestamp: string; data: Record<string, unknown> };
}

export interface Receiver {
  origin: string;
  /** For EGRESS_ALLOW. */
  host: string;
  received: Received[];
  /** A status, or a function that writes the response. */
  answer: number | ((response: ServerResponse, message: Received) => void);
}

export async function startReceiver(): Promise<Receiver> {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString();
    const { url: path = '', headers } = request;
    const message = { path, headers, body, payload: JSON.parse(body) as Received['payload'] };
    receiver.received.push(message);
    if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end('thanks');
    else receiver.answer(response, message);
  };
  const server = createServer((request, response) => void receive(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: Receiver = { origin: `http://${host}`, host, received: [], answer: 204 };
  return receiver;
}
