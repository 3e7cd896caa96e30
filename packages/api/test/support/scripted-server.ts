/** An HTTP server that answers with a script and records the requests. */
import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
  type IncomingMessage,
} from 'node:http';

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Milliseconds since the process began. */
  at: number;
}

/** `turn` counts the requests from 1. */
type Script = (response: ServerResponse, request: RecordedRequest, turn: number) => void | Promise<void>;

export async function serve(script: Script): Promise<{ url: string; requests: RecordedRequest[] }> {
  const requests: RecordedRequest[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: Buffer.concat(chunks).toString(), at };
    await script(response, one, requests.push(one));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}`, requests };
}

const servers: Server[] = [];

/** Call it in `afterAll`: concurrent tests share the list. */
export function closeServers(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: object = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Closes the connection without a complete response. */
export function cut(response: ServerResponse): void {
  response.socket?.destroy();
}
