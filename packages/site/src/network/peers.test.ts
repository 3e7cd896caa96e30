import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { isThisMachine, peerFetch, refuseDistantPeer } from './peers.ts';

test('a name counts as this machine only if no DNS query is needed', () => {
  for (const name of ['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])
    expect(isThisMachine(name), name).toBe(true);
  for (const name of ['', '0.0.0.0', '10.0.0.1', 'localhost.example.com', 'a.localhost', '::', '[::2]'])
    expect(isThisMachine(name), name).toBe(false);
});

test.each([
  ['postgres://user:secret@db.internal/docyard', 'db.internal'],
  ['postgres://localhost/docyard?host=db.internal', 'db.internal'],
  ['postgres://10.0.0.5:5432/docyard', '10.0.0.5'],
  ['s3://bundles/docs', 's3.amazonaws.com'],
  ['s3://bundles?endpoint=https://store.internal', 'store.internal'],
  ['https://collector.internal:4318', 'collector.internal'],
])('offline, %s is refused with its host name', (address, host) => {
  expect(() => refuseDistantPeer(address, { offline: true })).toThrow(
    `OFFLINE is on: ${host} is not contacted.`,
  );
  expect(() => refuseDistantPeer(address, { offline: false })).not.toThrow();
});

test.each([
  'postgres://localhost:5432/docyard',
  'postgres://127.0.0.1/docyard',
  'postgres://[::1]/docyard',
  'postgres://user@localhost/docyard?host=/run/postgresql',
  's3://bundles?endpoint=http://127.0.0.1:9000',
  'file:///srv/bundles',
  'http://localhost:4318',
])('offline, %s stays usable', (address) => {
  expect(() => refuseDistantPeer(address, { offline: true })).not.toThrow();
});

test('PostgreSQL without a host uses its environment variable', () => {
  const address = 'postgres:///docyard';
  expect(() => refuseDistantPeer(address, { offline: true }, 'db.internal')).toThrow('db.internal');
  expect(() => refuseDistantPeer(address, { offline: true })).not.toThrow();
});

test('offline, fetch reaches this machine and follows no redirects', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: 'http://203.0.113.1/' }).end();
    else response.end('here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const near = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = peerFetch({ offline: true });
  expect(await (await fetch(near)).text()).toBe('here');
  await expect(fetch(`${near}/away`)).rejects.toThrow('fetch failed');
  expect((await fetch(`${near}/away`, { redirect: 'manual' })).status).toBe(302);
  await expect(fetch('http://203.0.113.1/')).rejects.toThrow('OFFLINE is on: 203.0.113.1 is not contacted.');
  await expect(fetch(new Request('https://docs.example.com/'))).rejects.toThrow('docs.example.com');
});
