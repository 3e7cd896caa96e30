import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cleanUp } from '../../test/support/test-context.ts';
import { fetchFont } from './font.ts';

async function serve(size: number): Promise<{ host: string; agents: (string | undefined)[] }> {
  const agents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers['user-agent']);
    response.end(Buffer.alloc(size, 'a'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, agents };
}

test('a font is fetched as by a browser, because other programs get larger files', async () => {
  const { host, agents } = await serve(3);
  const bytes = await fetchFont(`http://${host}/css2`, { allowedHosts: [host] });
  expect(Buffer.from(bytes).toString()).toBe('aaa');
  expect(agents).toEqual([expect.stringContaining('Chrome/')]);
});

test('a font over 2 MB and a font of a private host are refused', async () => {
  const { host, agents } = await serve(2_000_001);
  await expect(fetchFont(`http://${host}/a`, { allowedHosts: [host] })).rejects.toMatchObject({
    problem: 'too_large',
  });
  const lookup = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  await expect(fetchFont('https://fonts.test/a', { allowedHosts: [], lookup })).rejects.toThrow(
    'The host fonts.test is at a private address.',
  );
  expect(agents).toHaveLength(1);
});
