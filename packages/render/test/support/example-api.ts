/** A small HTTP API and its OpenAPI description, for tests of the request form. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function specification(server: string): unknown {
  const ok = { responses: { 200: { description: 'Fine', content: { 'application/json': {} } } } };
  const parameter = (name: string, place: string, schema: unknown) => ({
    name,
    in: place,
    schema,
    ...(place === 'path' ? { required: true } : {}),
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    servers: [{ url: server }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'X-Key' },
      },
    },
    paths: {
      '/things/{group}': {
        get: {
          ...ok,
          security: [{ bearer: [] }],
          parameters: [
            parameter('group', 'path', { type: 'string' }),
            parameter('words', 'query', { type: 'array', items: { type: 'string' } }),
            parameter('size', 'query', { type: 'string', enum: ['small', 'large'] }),
          ],
        },
      },
      '/things': {
        post: {
          ...ok,
          security: [{ key: [] }],
          responses: {
            200: { description: 'Fine', content: { 'application/json': { example: { id: 1 } } } },
            422: {
              description: 'Not so',
              content: { 'application/json': { example: { code: 'too_long' } } },
            },
          },
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { owner: { type: 'object', properties: { name: { type: 'string' } } } },
                },
              },
            },
          },
        },
      },
      '/file': {
        put: {
          ...ok,
          requestBody: {
            content: {
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: { data: { type: 'string', format: 'binary' }, note: { type: 'string' } },
                },
              },
            },
          },
        },
      },
      '/picture': { get: ok },
      '/closed': { get: ok },
      '/slow': { get: ok },
    },
  };
}

export async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  received: Received[],
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const isClosed = url.startsWith('/closed');
  if (!isClosed) {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', '*, Authorization');
    response.setHeader('Access-Control-Allow-Methods', '*');
  }
  if (method === 'OPTIONS') return void response.writeHead(204).end();
  let body = '';
  for await (const part of request) body += String(part);
  received.push({ method, url, headers, body });
  if (url.startsWith('/slow')) return;
  if (url.startsWith('/picture'))
    return void response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
  response.writeHead(method === 'POST' ? 422 : 200, { 'content-type': 'application/json' });
  response.end('{"data":[{"name":"first"}]}');
}
