import { afterAll, describe, expect, it } from 'vitest';
import { DocyardClient } from './client.ts';
import { ExportFailedError, runExport } from './run-export.ts';
import { closeServers, sendJson, serve } from '../test/support/scripted-server.ts';

afterAll(closeServers);

const request = { domain: 'docs.example.com' };
const bundle = { jobId: 'se_1', bundleUrl: 'http://127.0.0.1/b/1', sizeBytes: 1, sha256: '0'.repeat(64) };

function service(records: object[]) {
  let turn = 0;
  return serve((response, { method, path }) => {
    if (path.endsWith('/bundle')) return sendJson(response, 200, bundle);
    if (method === 'POST') return sendJson(response, 202, { jobId: 'se_1', status: 'queued' });
    sendJson(response, 200, { jobId: 'se_1', ...records[turn++] }, { 'preference-applied': 'wait' });
  });
}

const clientOf = (baseUrl: string) => new DocyardClient({ baseUrl, apiKey: 'docyard_key' });

describe('runExport', () => {
  it('runExport starts the job, reports progress and returns the record and the link', async () => {
    const { url, requests } = await service([
      { status: 'running', progress: 50 },
      { status: 'completed', progress: 100 },
    ]);
    const seen: string[] = [];
    const made = await runExport(clientOf(url), request, {
      onProgress: ({ status }) => seen.push(status),
      idempotencyKey: 'release-7',
    });
    expect(made).toMatchObject({ job: { status: 'completed' }, bundle });
    expect(seen).toEqual(['running', 'completed']);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/static-export/jobs',
      'GET /v1/static-export/jobs/se_1',
      'GET /v1/static-export/jobs/se_1',
      'POST /v1/static-export/jobs/se_1/bundle',
    ]);
    expect(requests[0]?.headers['idempotency-key']).toBe('release-7');
    expect(requests[3]?.headers['idempotency-key']).not.toBe('release-7');
  });

  it('runExport rejects with the record when the job fails', async () => {
    const failure = { code: 'no_pages', message: 'The folder contains no page.' };
    const { url, requests } = await service([{ status: 'failed', error: failure.message, failure }]);
    const rejected = await runExport(clientOf(url), request).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(ExportFailedError);
    expect(rejected).toMatchObject({ message: failure.message, job: { status: 'failed', failure } });
    expect(requests.some(({ path }) => path.endsWith('/bundle'))).toBe(false);
  });

  it('runExport rejects with the reason of the signal', async () => {
    const { url } = await service([{ status: 'running' }]);
    const controller = new AbortController();
    const waiting = runExport(clientOf(url), request, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('No longer wanted.')),
    });
    await expect(waiting).rejects.toThrow('No longer wanted.');
  });
});
