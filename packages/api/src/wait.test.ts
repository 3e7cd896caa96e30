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
  it('waitForExport uses Prefer: wait and ETags and returns the final record', async () => {
    const { url, requests } = await serve(async (response, _request, turn) => {
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
    expect(requests.map(({ path, headers }) => [path, headers.prefer, headers['if-none-match']])).toEqual([
      ['/v1/static-export/jobs/se_1', 'wait=30', undefined],
      ['/v1/static-export/jobs/se_1', 'wait=30', '"10"'],
    ]);
  });

  it('waitForExport returns immediately for a finished job', async () => {
    const { url, requests } = await serve((response) => sendJob(response, 'completed', 100));
    await waitForExport(clientOf(url), 'se_1');
    expect(requests).toHaveLength(1);
  });

  it('waitForExport resolves with a failed job', async () => {
    const failure = { code: 'no_pages', message: 'The folder contains no page.' };
    const { url } = await serve((response) =>
      sendJson(response, 200, { jobId: 'se_1', status: 'failed', failure }),
    );
    expect(await waitForExport(clientOf(url), 'se_1')).toMatchObject({ status: 'failed', failure });
  });

  it('a 304 response is not reported as progress', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1) sendJob(response, 'running', 10, held);
      else if (turn === 2) response.writeHead(304, { etag: '"10"', ...held }).end();
      else sendJob(response, 'completed', 100, held);
    });
    const seen: number[] = [];
    await waitForExport(clientOf(url), 'se_1', { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([10, 100]);
    expect(requests[2]?.headers['if-none-match']).toBe('"10"');
  });

  it('Retry-After sets the pace when a proxy removes Prefer', async () => {
    const { url, requests } = await serve((response, _request, turn) =>
      turn === 1
        ? sendJob(response, 'queued', 0, { 'retry-after': '1' })
        : sendJob(response, 'completed', 100),
    );
    await waitForExport(clientOf(url), 'se_1');
    expect(requests).toHaveLength(2);
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThan(950);
  });

  it.each([
    ['Retry-After is nought', { 'retry-after': '0' }],
    ['Retry-After cannot be read', { 'retry-after': 'soon' }],
    ['Retry-After is a date gone by', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
    ['the server claims to hold and does not', held],
  ])('does not storm the server when %s', async (_case, headers) => {
    const { url, requests } = await serve((response) => sendJob(response, 'running', 10, headers));
    await expect(waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 0.6 })).rejects.toThrow();
    expect(requests.length).toBeLessThanOrEqual(3);
  });

  it('a record is reported once even when a proxy removes the ETag', async () => {
    const { url } = await serve((response, _request, turn) => {
      const [status, progress] = turn < 3 ? ['running', 10] : ['completed', 100];
      sendJson(response, 200, { jobId: 'se_1', status, progress }, held);
    });
    const seen: ExportJob[] = [];
    await waitForExport(clientOf(url), 'se_1', { onProgress: (job) => seen.push(job) });
    expect(seen.map(({ progress }) => progress)).toEqual([10, 100]);
  });

  it('the requested wait is shorter than the timeout of the client', async () => {
    const { url, requests } = await serve((response) => sendJob(response, 'completed', 100));
    await waitForExport(clientOf(url, { timeoutSeconds: 10 }), 'se_1');
    expect(requests[0]?.headers.prefer).toBe('wait=5');
  });

  it('waitForExport survives a restart of the server', async () => {
    const { url, requests } = await serve((response, _request, turn) => {
      if (turn === 1)
        sendJson(response, 503, { error: 'Stopping.', code: 'draining' }, { 'retry-after': '0' });
      else if (turn === 2) response.socket?.destroy();
      else sendJob(response, 'completed', 100);
    });
    expect(await waitForExport(clientOf(url), 'se_1')).toMatchObject({ status: 'completed' });
    expect(requests).toHaveLength(3);
  });

  it('waitForExport rejects on timeout while the server holds the request', async () => {
    const { url } = await serve(() => undefined);
    const begun = performance.now();
    const wait = waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 0.3 });
    await expect(wait).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - begun).toBeLessThan(3000);
  });

  it('waitForExport rejects when the caller aborts, also with a timeout', async () => {
    const { url } = await serve((response) => sendJob(response, 'queued', 0, { 'retry-after': '30' }));
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('Enough.')), 200);
    const wait = waitForExport(clientOf(url), 'se_1', { timeoutSeconds: 20, signal: controller.signal });
    await expect(wait).rejects.toThrow('Enough.');
  });

  it('waitForExport rejects for an unknown job', async () => {
    const { url, requests } = await serve((response) =>
      sendJson(response, 404, { error: 'No.', code: 'not_found' }),
    );
    await expect(waitForExport(clientOf(url), 'se_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(requests).toHaveLength(1);
  });
});

describe.concurrent('waitForAgentJob', () => {
  const params = { projectId: 'pr_1', id: 'aj_1' };

  it.each(['completed', 'failed', 'archived'])(
    'waitForAgentJob resolves when the job is %s',
    async (status) => {
      const { url, requests } = await serve((response, _request, turn) =>
        sendJson(response, 200, { id: 'aj_1', status: turn === 1 ? 'active' : status }, held),
      );
      const seen: string[] = [];
      const job = await waitForAgentJob(clientOf(url), params, {
        onProgress: (record) => seen.push(record.status),
      });
      expect(job.status).toBe(status);
      expect(seen).toEqual(['active', status]);
      expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/v2/agent/pr_1/job/aj_1']));
    },
  );
});
