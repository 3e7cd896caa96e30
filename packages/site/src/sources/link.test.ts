import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BundleOrigin } from '../../../../test/deployment/origin.ts';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { diskFull, download, defaultLimits } from './download.ts';
import { linkSource } from './link.ts';
import { SourceError, type Offer } from './source.ts';

const { signal } = new AbortController();

async function startOrigin(bytes: Uint8Array): Promise<BundleOrigin> {
  const origin = await BundleOrigin.start();
  cleanUp(() => origin.close());
  origin.offer(bytes);
  return origin;
}

async function look(url: string, known: string | null = null): Promise<Offer> {
  const found = await linkSource(url, fetch).look(known, signal);
  if (found === 'unchanged') throw new Error('It is unchanged.');
  return found;
}

test('a check transfers one byte, and none when nothing is new', async () => {
  const origin = await startOrigin(randomBytes(100_000));
  const { fingerprint } = await look(origin.url);
  expect(origin.sentBytes).toEqual([1]);
  expect(await linkSource(origin.url, fetch).look(fingerprint, signal)).toBe('unchanged');
  expect(origin.sentBytes).toEqual([1]);
  origin.offer(randomBytes(100));
  expect((await look(origin.url, fingerprint)).fingerprint).not.toBe(fingerprint);
});

test('an interrupted download is resumed', async () => {
  const bytes = randomBytes(100_000);
  const origin = await startOrigin(bytes);
  const offer = await look(origin.url);
  origin.cutAfterBytes = 30_000;
  const file = await offer.fetch(temporaryFolder('download'), signal);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  // A restart from the beginning would never complete.
  expect(origin.downloads).toBeGreaterThan(3);
});

test('a download starts over when the content changes', async () => {
  const origin = await startOrigin(randomBytes(100_000));
  const other = randomBytes(90_000);
  const offer = await look(origin.url);
  origin.cutAfterBytes = 60_000;
  const fetching = offer.fetch(temporaryFolder('download'), signal);
  await expect.poll(() => origin.downloads).toBe(1);
  origin.offer(other);
  expect(readFileSync(await fetching).equals(other)).toBe(true);
});

test('an origin without ETag and Last-Modified has no fingerprint', async () => {
  const origin = await startOrigin(randomBytes(100));
  origin.isNameless = true;
  expect((await look(origin.url)).fingerprint).toBeNull();
});

test.each([
  [403, 'link_expired', /Create a new one with POST .*refreshFrom/],
  [410, 'link_expired', /does not expire/],
  [404, 'not_found', /status 404/],
  [500, 'unreachable', /status 500/],
])('status %d is reported as %s', async (status, failure, message) => {
  const origin = await startOrigin(randomBytes(10));
  origin.status = status;
  const error = await look(origin.url).catch((error: unknown) => error as SourceError);
  expect(error).toBeInstanceOf(SourceError);
  expect(error).toMatchObject({ failure, message: expect.stringMatching(message) });
});

test('an unreachable host is reported without the secret of the link', async () => {
  const error = await look('http://127.0.0.1:1/bundle.tar.gz?s=secret').catch(
    (error: unknown) => error as Error,
  );
  expect(error).toMatchObject({ failure: 'unreachable' });
  expect((error as Error).message).not.toContain('secret');
});

test('the link of a Docyard server contains the export id and the hash', async () => {
  const origin = await startOrigin(randomBytes(10));
  const url = origin.url.replace('/bundle.tar.gz', '/b/se_0123456789abcdef/bundle.tar.gz?v=1&s=x');
  expect(await look(url)).toMatchObject({ jobId: 'se_0123456789abcdef' });
});

test('a download over the size limit is stopped', async () => {
  const origin = await startOrigin(randomBytes(5000));
  const file = join(temporaryFolder('download'), 'file');
  const remote = { origin: origin.url, spent: '', fetch, link: async () => origin.url };
  const limits = { ...defaultLimits, bytes: 4000 };
  await expect(download(remote, file, { signal, limits })).rejects.toMatchObject({ failure: 'too_large' });
  expect(existsSync(file)).toBe(false);
});

test('a silent server is abandoned', async () => {
  const url = await startSilent(() => {});
  const remote = { origin: url, spent: '', fetch, link: async () => url };
  const limits = { ...defaultLimits, stallSeconds: 0.2, tries: 2 };
  const file = join(temporaryFolder('download'), 'file');
  await expect(download(remote, file, { signal, limits })).rejects.toMatchObject({ failure: 'broken_off' });
  expect(existsSync(file)).toBe(false);
});

test('a server that trickles bytes is abandoned', async () => {
  const url = await startSilent((response) => {
    const timer = setInterval(() => response.write('.'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const remote = { origin: url, spent: '', fetch, link: async () => url };
  const limits = { ...defaultLimits, totalSeconds: 0.3 };
  const file = join(temporaryFolder('download'), 'file');
  await expect(download(remote, file, { signal, limits })).rejects.toMatchObject({ failure: 'broken_off' });
  expect(existsSync(file)).toBe(false);
});

/** Announces content that it never sends. */
async function startSilent(send: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 100_000 }).write('half');
    send(response);
  }).listen(0, '127.0.0.1');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a full disk is reported', () => {
  const error = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  expect(diskFull(error)).toMatchObject({ failure: 'disk_full' });
  const another = new Error('another');
  expect(diskFull(another)).toBe(another);
});
