import { expect, test } from 'vitest';
import { makeSite, startServer } from '../../test/support/served-releases.ts';
import { sendText } from './send-file.ts';

test('an endpoint responds below the base path of its site, also if the bundle has a file with its path', async () => {
  const server = await startServer(await makeSite({ 'index.html': 'home', '_docyard/tides': 'file' }), {
    basePath: '/docs',
  });
  server.hosted.add({
    path: '/_docyard/tides',
    serve: async (exchange) => sendText(exchange, 200, `${exchange.request.method} ${exchange.site.id}`),
  });
  const answer = await server.get('/docs/_docyard/tides?at=noon');
  expect([answer.status, answer.body.toString()]).toEqual([200, expect.stringMatching(/^GET \w+\n$/)]);
  expect((await server.get('/_docyard/tides')).status).toBe(404);
  expect((await server.get('/docs/')).body.toString()).toBe('home');
});

test('an endpoint that fails responds with 500 and leaves the server running', async () => {
  const server = await startServer(await makeSite({ 'index.html': 'home' }));
  server.hosted.add({ path: '/broken', serve: async () => Promise.reject(new Error('no tide')) });
  const answer = await server.get('/broken');
  expect([answer.status, answer.body.toString()]).toEqual([
    500,
    'The server failed to respond. Try again later.\n',
  ]);
  expect((await server.get('/')).status).toBe(200);
});
