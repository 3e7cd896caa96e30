import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { DocyardClient } from './client.ts';
import { downloadBundle, DownloadError } from './download.ts';
import { closeServers, cut, sendJson, serve, type RecordedRequest } from '../test/support/scripted-server.ts';

const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31) % 251));
const hash = createHash('sha256').update(bytes).digest('hex');
const partName = `bundle.tar.gz.${hash.slice(0, 16)}.part`;

const root = await mkdtemp(join(tmpdir(), 'docyard-download-'));

afterAll(async () => {
  closeServers();
  await rm(root, { recursive: true });
});

describe.concurrent('downloadBundle', () => {
  it('the complete file is downloaded and progress is reported', async () => {
    const { client, file, folder, requests } = await setUp((response) => sendWhole(response));
    const progress: [number, number][] = [];
    const bundle = await downloadBundle(client, 'se_1', file, {
      onProgress: (...step) => progress.push(step),
    });
    expect(bundle).toMatchObject({ jobId: 'se_1', sha256: hash });
    expect(await readFile(file)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['bundle.tar.gz']);
    expect(progress.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(requests[0]?.headers).not.toHaveProperty('range');
    expect(requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('the API key is not sent to the file server', async () => {
    const { client, file, requests } = await setUp((response) => sendWhole(response));
    await downloadBundle(client, 'se_1', file);
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('a download resumes at the byte where the connection was lost', async () => {
    const { client, file, requests } = await setUp((response, request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : sendRange(response, request),
    );
    await downloadBundle(client, 'se_1', file);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=100000-']);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('a download continues as long as each attempt brings new bytes', async () => {
    const { client, file, requests } = await setUp((response, request) =>
      sendRange(response, request, 75_000),
    );
    await downloadBundle(client, 'se_1', file, { tries: 1 });
    expect(requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=75000-',
      'bytes=150000-',
      'bytes=225000-',
    ]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it.each([403, 410])('a new link is requested when the old one answers %i', async (status) => {
    const { client, file, requests, links } = await setUp((response, request, turn) => {
      if (turn === 1) sendSome(response, 100_000);
      else if (request.path === '/files/1') sendJson(response, status, { error: 'The link has expired.' });
      else sendRange(response, request);
    });
    await downloadBundle(client, 'se_1', file);
    expect(links()).toBe(2);
    expect(requests.map(({ path, headers }) => [path, headers.range])).toEqual([
      ['/files/1', undefined],
      ['/files/1', 'bytes=100000-'],
      ['/files/2', 'bytes=100000-'],
    ]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('a download fails when new links are refused too', async () => {
    const { client, file, requests } = await setUp((response) => sendJson(response, 403, { error: 'No.' }));
    await expect(downloadBundle(client, 'se_1', file, { tries: 3 })).rejects.toThrow(
      'refused the link with 403',
    );
    expect(requests).toHaveLength(3);
  });

  it('a file with the wrong hash is deleted', async () => {
    const { client, file, folder } = await setUp((response) =>
      sendWhole(response, Buffer.alloc(bytes.length)),
    );
    const download = downloadBundle(client, 'se_1', file);
    await expect(download).rejects.toBeInstanceOf(DownloadError);
    await expect(download).rejects.toThrow('has the wrong SHA-256');
    expect(await readdir(folder)).toEqual([]);
  });

  it('an existing file stays when the new one has the wrong hash', async () => {
    const { client, file } = await setUp((response) => sendWhole(response, Buffer.alloc(bytes.length)));
    await writeFile(file, 'the last good one');
    await expect(downloadBundle(client, 'se_1', file)).rejects.toThrow();
    expect(await readFile(file, 'utf8')).toBe('the last good one');
  });

  it('a response that is too long is not read to its end', async () => {
    const { client, file, folder } = await setUp((response) => {
      const more = () => response.destroyed || response.write(bytes, () => void setTimeout(more, 5));
      response.writeHead(200);
      more();
    });
    await expect(downloadBundle(client, 'se_1', file)).rejects.toThrow('SHA-256');
    expect(await readdir(folder)).toEqual([]);
  });

  it('a partial file of an earlier run is resumed', async () => {
    const { client, file, folder, requests } = await setUp((response, request) =>
      sendRange(response, request),
    );
    await writeFile(join(folder, partName), bytes.subarray(0, 123_456));
    await downloadBundle(client, 'se_1', file);
    expect(requests.map(({ headers }) => headers.range)).toEqual(['bytes=123456-']);
    expect(await readFile(file)).toEqual(bytes);
    expect(await readdir(folder)).toEqual(['bundle.tar.gz']);
  });

  it('no request is sent for a complete partial file', async () => {
    const { client, file, folder, requests } = await setUp((response, request) =>
      sendRange(response, request),
    );
    await writeFile(join(folder, partName), bytes);
    await downloadBundle(client, 'se_1', file);
    expect(requests).toEqual([]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('a partial file that is longer than the bundle is discarded', async () => {
    const { client, file, folder, requests } = await setUp((response, request) =>
      sendRange(response, request),
    );
    await writeFile(join(folder, partName), Buffer.alloc(bytes.length + 1));
    await downloadBundle(client, 'se_1', file);
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined]);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('partial files of two bundles are separate', async () => {
    const { client, file, folder, requests } = await setUp((response, request) =>
      sendRange(response, request),
    );
    await writeFile(join(folder, 'bundle.tar.gz.0123456789abcdef.part'), 'of another bundle');
    await downloadBundle(client, 'se_1', file);
    expect(requests[0]?.headers).not.toHaveProperty('range');
  });

  it('a download starts over when the server ignores Range', async () => {
    const { client, file, requests } = await setUp((response, _request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : sendWhole(response),
    );
    await downloadBundle(client, 'se_1', file);
    expect(requests).toHaveLength(2);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('a download fails when the server ignores Range and always disconnects', async () => {
    const { client, file, requests } = await setUp((response, _request, turn) =>
      sendSome(response, turn % 2 === 0 ? 100_000 : 50_000),
    );
    await expect(downloadBundle(client, 'se_1', file, { tries: 2 })).rejects.toThrow();
    expect(requests).toHaveLength(4);
  });

  it('a different range than requested is not appended', async () => {
    const { client, file, folder } = await setUp((response) => {
      response.writeHead(206, { 'content-range': `bytes 0-${bytes.length - 1}/${bytes.length}` }).end(bytes);
    });
    await writeFile(join(folder, partName), bytes.subarray(0, 1000));
    await expect(downloadBundle(client, 'se_1', file, { tries: 1 })).rejects.toThrow('different range');
    expect(await readFile(join(folder, partName))).toEqual(bytes.subarray(0, 1000));
  });

  it('a download fails when the server never answers', async () => {
    const { client, file, folder, requests } = await setUp(() => undefined);
    const download = downloadBundle(client, 'se_1', file, { tries: 2, stallSeconds: 0.2 });
    await expect(download).rejects.toThrow('No data arrived for 0.2 seconds.');
    expect(requests).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  });

  it('a download resumes after a stalled connection', async () => {
    const { client, file, requests } = await setUp((response, request, turn) => {
      if (turn > 1) return sendRange(response, request);
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 100_000));
    });
    await downloadBundle(client, 'se_1', file, { stallSeconds: 0.3 });
    expect(requests[1]?.headers.range).toBe('bytes=100000-');
    expect(await readFile(file)).toEqual(bytes);
  });

  it('a download fails when the server sends no bytes', async () => {
    const { client, file, requests } = await setUp((response) => void response.writeHead(200).end());
    await expect(downloadBundle(client, 'se_1', file, { tries: 2 })).rejects.toThrow(
      'sent 0 of 300000 bytes',
    );
    expect(requests).toHaveLength(2);
  });

  it('a failed download keeps its partial file', async () => {
    const { client, file, folder } = await setUp((response, _request, turn) =>
      turn === 1 ? sendSome(response, 100_000) : void response.writeHead(500).end(),
    );
    await expect(downloadBundle(client, 'se_1', file, { tries: 1 })).rejects.toThrow(
      'The server answered 500.',
    );
    expect(await readFile(join(folder, partName))).toEqual(bytes.subarray(0, 100_000));
  });

  it('a download fails immediately when the file cannot be written', async () => {
    const { client, folder, requests } = await setUp((response) => sendWhole(response));
    const download = downloadBundle(client, 'se_1', join(folder, 'missing', 'bundle.tar.gz'));
    await expect(download).rejects.toMatchObject({ code: 'ENOENT' });
    expect(requests).toHaveLength(1);
  });

  it('an error of the progress callback rejects the download', async () => {
    const { client, file, requests } = await setUp((response) => sendWhole(response));
    const gone = new Error('The screen is gone.');
    const onProgress = () => {
      throw gone;
    };
    await expect(downloadBundle(client, 'se_1', file, { onProgress })).rejects.toThrow('The screen is gone.');
    expect(requests).toHaveLength(1);
  });

  it('an abort stops the download and keeps the partial file', async () => {
    const { client, file, folder } = await setUp((response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1000));
    });
    const controller = new AbortController();
    const onProgress = () => controller.abort(new Error('Enough.'));
    const download = downloadBundle(client, 'se_1', file, { signal: controller.signal, onProgress });
    await expect(download).rejects.toThrow('Enough.');
    expect(await readdir(folder)).toEqual([partName]);
  });

  it('an abort stops the request for a link', async () => {
    const { url } = await serve(() => undefined);
    const client = new DocyardClient({ baseUrl: url, apiKey: 'docyard_key' });
    const signal = AbortSignal.timeout(200);
    await expect(downloadBundle(client, 'se_1', 'never-made', { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('the error of the server is reported when there is no bundle', async () => {
    const { url } = await serve((response) =>
      sendJson(response, 409, { error: 'The job is at work.', code: 'job_not_completed' }),
    );
    const client = new DocyardClient({ baseUrl: url, apiKey: 'docyard_key' });
    await expect(downloadBundle(client, 'se_1', 'never-made')).rejects.toMatchObject({
      code: 'job_not_completed',
    });
  });
});

/** An API server that returns the links /files/1, /files/2 and so on, and a file server for them. */
async function setUp(script: (response: ServerResponse, request: RecordedRequest, turn: number) => void) {
  const folder = await mkdtemp(join(root, 'test-'));
  const files = await serve(script);
  const api = await serve((response, _request, turn) =>
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
    requests: files.requests,
    links: () => api.requests.length,
  };
}

function sendWhole(response: ServerResponse, content: Buffer = bytes): void {
  response.writeHead(200, { 'content-length': content.length }).end(content);
}

/** Sends the complete headers and the first bytes, then disconnects. */
function sendSome(response: ServerResponse, count: number): void {
  response.writeHead(200, { 'content-length': bytes.length });
  writeAndCut(response, bytes.subarray(0, count));
}

/** Supports Range. With `atMost`, disconnects after that many bytes. */
function sendRange(response: ServerResponse, request: RecordedRequest, atMost = bytes.length): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const rest = bytes.subarray(from);
  const contentRange = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
  response.writeHead(from === 0 ? 200 : 206, {
    'content-length': rest.length,
    ...(from === 0 ? {} : contentRange),
  });
  if (rest.length <= atMost) response.end(rest);
  else writeAndCut(response, rest.subarray(0, atMost));
}

/** Waits before disconnecting so that the client reads the bytes. */
function writeAndCut(response: ServerResponse, part: Buffer): void {
  response.write(part, () => void setTimeout(() => cut(response), 100));
}
