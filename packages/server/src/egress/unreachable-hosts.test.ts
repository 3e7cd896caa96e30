/** An export with images on hosts that accept connections without answering, or that drop every packet. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSite, renderSite } from '@docyard/render';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fetchPicture } from './picture.ts';

const silent: Server[] = [];
let root: string;

beforeAll(async () => {
  for (let index = 0; index < 3; index++) {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    silent.push(server);
  }
  root = await mkdtemp(join(tmpdir(), 'docyard-unreachable-'));
});

afterAll(async () => {
  for (const server of silent) server.close();
  await rm(root, { recursive: true, force: true });
});

it('an export waits once for hosts that do not respond, not once per image', async () => {
  const hosts = silent.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`);
  // TEST-NET-1 (RFC 5737): nothing answers there.
  hosts.push('192.0.2.1:9');
  const names = Array.from({ length: 30 }, (_, index) => `page-${index}`);
  await writeFile(join(root, 'docs.json'), JSON.stringify({ name: 'Site', navigation: { pages: names } }));
  for (const name of names)
    await writeFile(
      join(root, `${name}.mdx`),
      hosts.map((host) => `![A picture](http://${host}/${name}.png)`).join('\n\n'),
    );
  const policy = { allowedHosts: hosts, offline: false };
  let asked = 0;
  const beganAtMs = performance.now();
  let pages = 0;
  const events = renderSite(await loadSite({ root }), {
    concurrency: 1,
    fetchPicture: (address) => {
      asked += 1;
      return fetchPicture(address, policy);
    },
  });
  for await (const event of events) if (event.type === 'file' && event.file.kind === 'page') pages += 1;
  // One more than the named pages, because the first page is also the root.
  expect(pages).toBe(31);
  expect(asked).toBeLessThanOrEqual(12);
  expect(performance.now() - beganAtMs).toBeLessThan(20_000);
});
