import { once } from 'node:events';
import { type RequestListener, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cleanUp } from '../../test/support/test-context.ts';
import { fetchPicture } from './picture.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('an image of a listed host is fetched over http with an Accept header for images', async () => {
  const host = await serve((request, response) => response.end(request.headers.accept));
  const bytes = await fetchPicture(`http://${host}/ship.png`, { allowedHosts: [host] });
  expect(Buffer.from(bytes).toString()).toBe('image/*');
});

test('http addresses of unlisted hosts are upgraded to https', async () => {
  const asked: string[] = [];
  const lookup = (name: string): Promise<string[]> => {
    asked.push(name);
    return Promise.resolve(['127.0.0.1']);
  };
  const attempt = fetchPicture('http://pictures.example.com/ship.png', { allowedHosts: [], lookup });
  // The error is about the resolved address, so the request was upgraded to https.
  await expect(attempt).rejects.toThrow('The host pictures.example.com is at a private address.');
  expect(asked).toEqual(['pictures.example.com']);
});

test('an image over 10 MB is refused with and without Content-Length', async () => {
  const host = await serve((request, response) => {
    if (request.url === '/announced') response.writeHead(200, { 'content-length': 10_000_001 });
    response.write(Buffer.alloc(1000));
    if (request.url !== '/announced') response.end(Buffer.alloc(10_000_000));
  });
  for (const path of ['announced', 'unannounced'])
    await expect(fetchPicture(`http://${host}/${path}`, { allowedHosts: [host] })).rejects.toMatchObject({
      problem: 'too_large',
    });
});

test('a redirect to another host is refused even if that host is listed', async () => {
  const other = await serve((_, response) => response.end('picture'));
  const host = await serve((_, response) => response.writeHead(302, { location: `http://${other}/` }).end());
  await expect(fetchPicture(`http://${host}/`, { allowedHosts: [host, other] })).rejects.toMatchObject({
    problem: 'refused',
  });
});
