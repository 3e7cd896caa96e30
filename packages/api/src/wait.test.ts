/**
 * Following an export to its end, with servers that hold requests, servers that do not, and proxies between.
 */
import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { DocyardClient, pause, type ClientOptions } from './client.ts';
import type { ExportJob } from './schemas.ts';
import { closeServers, sendJson, serve } from '../test/support/scripted-server.ts';
import { waitForAgentJob, waitForExport } from './wait.ts';

const held = { 'preference-applied': 'wait' };

function clientOf(baseUrl: string, more: Partial<ClientOptions> = {}): DocyardClient {
  return new DocyardClient({ baseUrl, apiKey: 'docyard_key', ...more });
}

function sendJob(response: ServerResponse, status: string, progress: number, headers: object = {}): void {
  sendJson(response, 200, { jobId: 'se_1', status, progress }, { etag: `"${progress}"`, ...headers });
}

afterAll(closeServers);

describe.concurrent('waitForExport', () => {
  it('asks the server to hold, names the record it has, and returns the last one', async () => {
    const { url, asked } = await serve(async (response, _asked, turn) => {
      if (turn === 1) return sendJob(response, 'running', 10, held);
      await pause(0.5);
      sendJob(response, 'completed', 100, held);
    });
    const seen: number[] = [];
    const job = await waitForExport(clientOf(url), 'se_1', {
      onProgress: ({ progress }) => seen.push(progress),
    });
    expect(job).toMatchObject({ status: 'completed', progress: 100 });
    expect(seen).toEqual([10, 100]);
    expect(asked.map(({ path, headers }) => [path, headers.prefer, headers['if-none-match']])).toEqual([
      ['/v1/static-export/jobs/se_1', 'wait=30', undefined],
      ['/v1/static-export/jobs/se_1', 'wait=30', '"10"'],
    ]);
  });

  it('returns at once when the job has already ended', async () => {
    const { url, asked } = await serve((response) => sendJob(response, 'completed', 100));
    await waitForExport(clientOf(url), 'se_1');
    expect(asked).toHaveLength(1);
  });

  it('resolves with a failed job: that is an answer, not an error', async () => {
    const failure = { code: 'no_pages', message: 'The folder holds no page.' };
    const { url } = await serve((response) =>
      sendJson(response, 200, { jobId: 'se_1', status: 'failed', failure }),
    );
    expect(await waitForExport(clientOf(url), 'se_1')).toMatchObject({ status: 'failed', failure });
  });

  it('goes on after 304 and reports nothing for it', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1) sendJob(response, 'running', 10, held);
      else if (turn === 2) response.writeHead(304, { etag: '"10"', ...held }).end();
      else sendJob(response, 'completed', 100, held);
    });
    const seen: number[] = [];
    await waitForExport(clientOf(url), 'se_1', { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([10, 100]);
    expect(asked[2]?.headers['if-none-match']).toBe('"10"');
  });

  it('goes by Retry-After when a proxy swallows Prefer', async () => {
    const { url, asked } = await serve((response, _asked, turn) =>
      turn === 1
        ? sendJob(response, 'queued', 0, { 'retry-after': '1' })
        : sendJob(response, 'completed', 100),
    );
    await waitForExport(clientOf(url), 'se_1');
    expect(asked).toHaveLength(2);
    expect((asked[1]?.at ?? 0) - (asked[0]?.at ?? 0)).toBeGreaterThan(950);
  });

  it.each([
    ['Retry-After is nought', { 'retry-after': '0' }],
    ['Retry-After cannot be read', { 'retry-after': 'soon' }],
    ['Retry-After is a date gone by', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    ['the server claims to hold and does not', held],
  ])('does not storm the server when %s', async (_case, headers) => {
    const { url, asked } = await serve((response) => sendJob(response, 'running', 10, headers));
    await expect(waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 0.6 })).rejects.toThrow();
    expect(asked.length).toBeLessThanOrEqual(3);
  });

  it('reports a record once even when a proxy takes the ETag away', async () => {
    const { url } = await serve((response, _asked, turn) => {
      const [status, progress] = turn < 3 ? ['running', 10] : ['completed', 100];
      sendJson(response, 200, { jobId: 'se_1', status, progress }, held);
    });
    const seen: ExportJob[] = [];
    await waitForExport(clientOf(url), 'se_1', { onProgress: (job) => seen.push(job) });
    expect(seen.map(({ progress }) => progress)).toEqual([10, 100]);
  });

  it('asks for less than its client has patience for', async () => {
    const { url, asked } = await serve((response) => sendJob(response, 'completed', 100));
    await waitForExport(clientOf(url, { timeoutSeconds: 10 }), 'se_1');
    expect(asked[0]?.headers.prefer).toBe('wait=5');
  });

  it('survives a restart of the server', async () => {
    const { url, asked } = await serve((response, _asked, turn) => {
      if (turn === 1)
        sendJson(response, 503, { error: 'Stopping.', code: 'draining' }, { 'retry-after': '0' });
      else if (turn === 2) response.socket?.destroy();
      else sendJob(response, 'completed', 100);
    });
    expect(await waitForExport(clientOf(url), 'se_1')).toMatchObject({ status: 'completed' });
    expect(asked).toHaveLength(3);
  });

  it('rejects when the time is up, even while the server holds', async () => {
    const { url } = await serve(() => undefined);
    const begun = performance.now();
    const wait = waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 0.3 });
    await expect(wait).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('rejects when the caller aborts, also with a time limit', async () => {
    const { url } = await serve((response) => sendJob(response, 'queued', 0, { 'retry-after': '30' }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('Enough.')), 200);
    const wait = waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 20, signal: controller.signal });
    await expect(wait).rejects.toThrow('Enough.');
  });

  it('rejects when the job does not exist', async () => {
    const { url, asked } = await serve((response) =>
      sendJson(response, 404, { error: 'No.', code: 'not_found' }),
    );
    await expect(waitForExport(clientOf(url), 'se_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(asked).toHaveLength(1);
  });
});

describe.concurrent('waitForAgentJob', () => {
  const params = { projectId: 'pr_1', id: 'aj_1' };

  it.each(['completed', 'failed', 'archived'])('ends when the job is %s, and not before', async (status) => {
    const { url, asked } = await serve((response, _asked, turn) =>
      sendJson(response, 200, { id: 'aj_1', status: turn === 1 ? 'active' : status }, held),
    );
    const seen: string[] = [];
    const job = await waitForAgentJob(clientOf(url), params, {
      onProgress: (record) => seen.push(record.status),
    });
    expect(job.status).toBe(status);
    expect(seen).toEqual(['active', status]);
    expect(new Set(asked.map(({ path }) => path))).toEqual(new Set(['/v2/agent/pr_1/job/aj_1']));
  });
});
