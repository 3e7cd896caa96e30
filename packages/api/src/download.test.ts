/**
 * Downloads over real connections that break, lie, stall and expire. What ends up on the disk is the whole
 * bundle or nothing.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DocyardClient } from './client.ts';
import { downloadBundle, DownloadError } from './download.ts';
import { closeServers, cut, sendJson, serve, type Asked } from '../test/support/scripted-server.ts';

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251));
const hash = createHash('sha256').update(bytes).digest('hex');
const partName = `bundle.tar.gz.${hash.slice(0, 16)}.part`;

const root = await mkdtemp(join(tmpdir(), 'docyard-download-'));

afterAll(async () => {
  closeServers();
  await rm(root, { recursive: true });
});

describe.concurrent('downloadBundle', () => {
  it('brings the whole file and says how far it is', async () => {
    const { client, file, folder, asked } = await setUp((response) => sendWhole(response));
    const progress: [number, number][] = [];
    const bundle = await downloadBundle(client, 'se_1', file, {
      onProgress: (...step) => progress.push(step),
    });
    expect(bundle).toMatchObject({ jobId: 'se_1', sha256: hash });
    expect(await readFile(file)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['bundle.tar.gz']);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(asked[0]?.headers).not.toHaveProperty('range');
    expect(asked[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('does not show the key to whoever keeps the files', async () => {
    const { client, file, asked } = await setUp((response) => sendWhole(response));
    await downloadBundle(client, 'se_1', file);
    expect(asked[0]?.headers).not.toHaveProperty('authorization');
  });

  it('goes on from the byte at which the connection was cut', async () => {
    const { client, file, asked } = await setUp((response, request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : sendRange(response, request),
    );
    await downloadBundle(client, 'se_1', file);
    expect(asked.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-']);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('goes on as long as something new arrives, however often it breaks', async () => {
    const { client, file, asked } = await setUp((response, request) => sendRange(response, request, 75_000));
    await downloadBundle(client, 'se_1', file, { tries: 1 });
    expect(asked.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=75000-',
      'bytes=150000-',
      'bytes=225000-',
    ]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it.each([403, 410])('asks for a fresh link when the old one answers %i on the way', async (status) => {
    const { client, file, asked, links } = await setUp((response, request, turn) => {
      if (turn === 1) sendSome(response, 100_000);
      else if (request.path === '/files/1') sendJson(response, status, { error: 'The link has expired.' });
      else sendRange(response, request);
    });
    await downloadBundle(client, 'se_1', file);
    expect(links()).toBe(2);
    expect(asked.map(({ path, headers }) => [path, headers.range])).toEqual([
      ['/files/1', undefined],
      ['/files/1', 'bytes=100000-'],
      ['/files/2', 'bytes=100000-'],
    ]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('gives up when fresh links are refused as well', async () => {
    const { client, file, asked } = await setUp((response) => sendJson(response, 403, { error: 'No.' }));
    await expect(downloadBundle(client, 'se_1', file, { tries: 3 })).rejects.toThrow(
      'refuses the link with 403',
    );
    expect(asked).toHaveLength(3);
  });

  it('throws away what has the wrong hash', async () => {
    const { client, file, folder } = await setUp((response) =>
      sendWhole(response, Buffer.alloc(bytes.length)),
    );
    const download = downloadBundle(client, 'se_1', file);
    await expect(download).rejects.toBeInstanceOf(DownloadError);
    await expect(download).rejects.toThrow('does not have the promised SHA-256');
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves an older file in place when the new one is wrong', async () => {
    const { client, file } = await setUp((response) => sendWhole(response, Buffer.alloc(bytes.length)));
    await writeFile(file, 'the last good one');
    await expect(downloadBundle(client, 'se_1', file)).rejects.toThrow();
    expect(await readFile(file, 'utf8')).toBe('the last good one');
  });

  it('stops reading a file that is longer than promised', async () => {
    const { client, file, folder } = await setUp((response) => {
      const more = () => response.destroyed || response.write(bytes, () => void setTimeout(more, 5));
      response.writeHead(200);
      more();
    });
    await expect(downloadBundle(client, 'se_1', file)).rejects.toThrow('SHA-256');
    expect(await readdir(folder)).toEqual([]);
  });

  it('continues a part left by an earlier run', async () => {
    const { client, file, folder, asked } = await setUp((response, request) => sendRange(response, request));
    await writeFile(join(folder, partName), bytes.subarray(0, 123_456));
    await downloadBundle(client, 'se_1', file);
    expect(asked.map(({ headers }) => headers.range)).toEqual(['bytes=123456-']);
    expect(await readFile(file)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['bundle.tar.gz']);
  });

  it('asks for nothing when the part is already whole', async () => {
    const { client, file, folder, asked } = await setUp((response, request) => sendRange(response, request));
    await writeFile(join(folder, partName), bytes);
    await downloadBundle(client, 'se_1', file);
    expect(asked).toEqual([]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('begins anew when the part is longer than the bundle', async () => {
    const { client, file, folder, asked } = await setUp((response, request) => sendRange(response, request));
    await writeFile(join(folder, partName), Buffer.alloc(bytes.length + 1));
    await downloadBundle(client, 'se_1', file);
    expect(asked.map(({ headers }) => headers.range)).toEqual([undefined]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('does not mix up the parts of two bundles', async () => {
    const { client, file, folder, asked } = await setUp((response, request) => sendRange(response, request));
    await writeFile(join(folder, 'bundle.tar.gz.0123456789abcdef.part'), 'of another bundle');
    await downloadBundle(client, 'se_1', file);
    expect(asked[0]?.headers).not.toHaveProperty('range');
  });

  it('begins anew when the server ignores Range', async () => {
    const { client, file, asked } = await setUp((response, _request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : sendWhole(response),
    );
    await downloadBundle(client, 'se_1', file);
    expect(asked).toHaveLength(2);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('gives up on a server that ignores Range and always breaks off', async () => {
    const { client, file, asked } = await setUp((response, _request, turn) =>
      sendSome(response, turn % 2 === 0 ? 100_000 : 50_000),
    );
    await expect(downloadBundle(client, 'se_1', file, { tries: 2 })).rejects.toThrow();
    expect(asked).toHaveLength(4);
  });

  it('does not append another part than the one it asked for', async () => {
    const { client, file, folder } = await setUp((response) => {
      response.writeHead(206, { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` }).end(bytes);
    });
    await writeFile(join(folder, partName), bytes.subarray(0, 1000));
    await expect(downloadBundle(client, 'se_1', file, { tries: 1 })).rejects.toThrow(
      'another part of the file',
    );
    expect(await readFile(join(folder, partName))).toEqual(bytes.subarray(0, 1000));
  });

  it('gives up on a server that never answers', async () => {
    const { client, file, folder, asked } = await setUp(() => undefined);
    const download = downloadBundle(client, 'se_1', file, { tries: 2, stallSeconds: 0.2 });
    await expect(download).rejects.toThrow('Nothing arrived for 0.2 seconds.');
    expect(asked).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it('goes on after a server that stops in the middle without closing', async () => {
    const { client, file, asked } = await setUp((response, request, turn) => {
      if (turn > 1) return sendRange(response, request);
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 100_000));
    });
    await downloadBundle(client, 'se_1', file, { stallSeconds: 0.3 });
    expect(asked[1]?.headers.range).toBe('bytes=100000-');
    expect(await readFile(file)).toEqual(bytes);
  });

  it('gives up on a server that answers with nothing', async () => {
    const { client, file, asked } = await setUp((response) => void response.writeHead(200).end());
    await expect(downloadBundle(client, 'se_1', file, { tries: 2 })).rejects.toThrow(
      'sent 0 of 300000 bytes',
    );
    expect(asked).toHaveLength(2);
  });

  it('keeps what it has when it gives up, for the next run', async () => {
    const { client, file, folder } = await setUp((response, _request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : void response.writeHead(500).end(),
    );
    await expect(downloadBundle(client, 'se_1', file, { tries: 1 })).rejects.toThrow(
      'The server answered 500.',
    );
    expect(await readFile(join(folder, partName))).toEqual(bytes.subarray(0, 100_000));
  });

  it('fails at once when the file cannot be written', async () => {
    const { client, folder, asked } = await setUp((response) => sendWhole(response));
    const download = downloadBundle(client, 'se_1', join(folder, 'missing', 'bundle.tar.gz'));
    await expect(download).rejects.toMatchObject({ code: 'ENOENT' });
    expect(asked).toHaveLength(1);
  });

  it('passes on an error of the progress callback', async () => {
    const { client, file, asked } = await setUp((response) => sendWhole(response));
    const gone = new Error('The screen is gone.');
    const onProgress = () => {
      throw gone;
    };
    await expect(downloadBundle(client, 'se_1', file, { onProgress })).rejects.toThrow('The screen is gone.');
    expect(asked).toHaveLength(1);
  });

  it('stops when the caller aborts, and keeps the part', async () => {
    const { client, file, folder } = await setUp((response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1000));
    });
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('Enough.'));
    const download = downloadBundle(client, 'se_1', file, { signal: controller.signal, onProgress });
    await expect(download).rejects.toThrow('Enough.');
    expect(await readdir(folder)).toEqual([partName]);
  });

  it('stops when the caller aborts while the link is being made', async () => {
    const { url } = await serve(() => undefined);
    const client = new DocyardClient({ baseUrl: url, apiKey: 'docyard_key' });
    const signal = AbortSignal.timeout(200);
    await expect(downloadBundle(client, 'se_1', 'never-made', { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('says what the server says when there is no bundle', async () => {
    const { url } = await serve((response) =>
      sendJson(response, 409, { error: 'The job is at work.', code: 'job_not_completed' }),
    );
    const client = new DocyardClient({ baseUrl: url, apiKey: 'docyard_key' });
    await expect(downloadBundle(client, 'se_1', 'never-made')).rejects.toMatchObject({
      code: 'job_not_completed',
    });
  });
});

/** An API server that hands out the links /files/1, /files/2 and so on, and a file server that serves them. */
async function setUp(script: (response: ServerResponse, asked: Asked, turn: number) => void) {
  const folder = await mkdtemp(join(root, 'test-'));
  const files = await serve(script);
  const api = await serve((response, _asked, turn) =>
    sendJson(response, 200, {
      jobId: 'se_1',
      bundleUrl: `${files.url}/files/${turn}`,
      sizeBytes: bytes.length,
      expiresAt: '2030-01-01T00:00:00Z',
      sha256: hash,
    }),
  );
  const client = new DocyardClient({ baseUrl: api.url, apiKey: 'docyard_key' });
  return {
    client,
    folder,
    file: join(folder, 'bundle.tar.gz'),
    asked: files.asked,
    links: () => api.asked.length,
  };
}

function sendWhole(response: ServerResponse, content: Buffer = bytes): void {
  response.writeHead(200, { 'content-length': content.length }).end(content);
}

/** Promises everything, sends the first bytes, and is gone. */
function sendSome(response: ServerResponse, count: number): void {
  response.writeHead(200, { 'content-length': bytes.length });
  writeAndCut(response, bytes.subarray(0, count));
}

/** Obeys Range as a good server does; with `atMost` the connection breaks after so many bytes. */
function sendRange(response: ServerResponse, asked: Asked, atMost = bytes.length): void {
  const from = Number(/^bytes=(\d+)-$/.exec(asked.headers.range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(from);
  const contentRange = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(from === 0 ? 200 : 206, {
    'content-length': rest.length,
    ...(from === 0 ? {} : contentRange),
  });
  if (rest.length <= atMost) response.end(rest);
  else writeAndCut(response, rest.subarray(0, atMost));
}

/** Waits a little before the cut, so that the bytes are read and not lost with the connection. */
function writeAndCut(response: ServerResponse, part: Buffer): void {
  response.write(part, () => void setTimeout(() => cut(response), 100));
}
