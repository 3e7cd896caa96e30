/** Static export from request to unpacked bundle, through the typed client against the running program. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { downloadBundle } from '@docyard/api/download';
import { DocyardError, waitForExport, type ExportJob, type Manifest, type StartExport } from '@docyard/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audienceOf, openAudiences } from '../packages/bundle/src/audiences.ts';
import { parseContentKey } from '../packages/bundle/src/content-key.ts';
import { sealedIndexPath } from '../packages/bundle/src/sealed-files.ts';
import { parsePublicKey } from '../packages/bundle/src/signature.ts';
import { checkBundle } from '../packages/bundle/src/unpack.ts';
import {
  commitAll,
  gitRepository,
  siteFiles,
  startService,
  temporaryFolder,
  writeFiles,
  type Service,
} from './service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service.stop();
});

let sites = 0;

/** Returns the domain of the project. */
async function project(repository: string, more: { ref?: string; directory?: string } = {}): Promise<string> {
  sites += 1;
  const domain = `site-${sites}.example.com`;
  await service.client.call('createProject', {
    body: { name: domain, domain, source: { repository, ...more } },
  });
  return domain;
}

async function exportSite(body: StartExport): Promise<ExportJob> {
  const { jobId } = await service.client.call('startExport', { body });
  return waitForExport(service.client, jobId, { timeoutSeconds: 50 });
}

async function unpack(jobId: string): Promise<string> {
  const folder = temporaryFolder('bundle');
  const file = join(folder, 'bundle.tar.gz');
  await downloadBundle(service.client, jobId, file);
  const ended = spawnSync('tar', ['-xzf', file, '-C', folder], { encoding: 'utf8' });
  expect(ended.stderr).toBe('');
  return folder;
}

describe('a site with pages for groups', () => {
  const files = {
    'index.mdx': '---\ntitle: Home\n---\n\nWelcome.',
    'prices.mdx': '---\ntitle: amberprices\ngroups: [partners]\n---\n\n[Gone](/ambergone)',
  };

  test('is exported with sealed files that the content key of the project opens', async () => {
    const domain = await project(`file://${gitRepository(files)}`);
    const job = await exportSite({ domain });
    expect(job.pageCount).toBe(1);
    expect(job.totalPages).toBe(1);
    const folder = await unpack(job.jobId);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    const found = await service.client.call('readContentKey', { params: { projectId: job.projectId } });
    expect(manifest.access).toEqual({ format: 1, keyId: found.keyId });
    const audiences = openAudiences(
      parseContentKey(found.contentKey),
      readFileSync(join(folder, sealedIndexPath)),
      manifest,
    );
    const partners = audienceOf(audiences, { groups: ['partners'] });
    expect(partners).not.toBe('manifest');
    expect(JSON.stringify(partners)).toContain('prices.html');
    expect(JSON.stringify(manifest)).not.toContain('prices');
    expect(readFileSync(join(folder, 'report.json'), 'utf8')).not.toContain('amber');
    const report = await service.client.call('readReport', { params: { jobId: job.jobId } });
    expect(report.diagnostics).toContainEqual(
      expect.objectContaining({ file: 'prices.mdx', code: 'broken_link' }),
    );
  });

  test('is exported without sealed files for one audience', async () => {
    const domain = await project(`file://${gitRepository(files)}`);
    const job = await exportSite({ domain, groups: ['partners'] });
    const folder = await unpack(job.jobId);
    expect(existsSync(join(folder, 'prices.html'))).toBe(true);
    expect(existsSync(join(folder, sealedIndexPath))).toBe(false);
  });
});

describe('a site in a git repository', () => {
  test('is exported, and the bundle holds what the manifest says', async () => {
    const repository = gitRepository(siteFiles(5));
    const domain = await project(`file://${repository}`);
    const job = await exportSite({ domain, version: 'first', metadata: { build: '42' } });
    expect(job).toMatchObject({
      status: 'completed',
      progress: 100,
      pageCount: 5,
      totalPages: 5,
      phase: 'done',
      attempt: 1,
      failure: null,
      version: 'first',
      metadata: { build: '42' },
      source: {
        repository: `file://${repository}`,
        commit: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      },
    });
    expect(job).not.toHaveProperty('error');

    const folder = await unpack(job.jobId);
    expect(existsSync(join(folder, 'index.html'))).toBe(true);
    expect(existsSync(join(folder, '404.html'))).toBe(true);
    const inside = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    expect(await service.client.call('readManifest', { params: { jobId: job.jobId } })).toEqual(inside);
    // The manifest and its signature are files of the bundle too.
    expect(inside.files.length + 2).toBe(job.bundle?.fileCount);
    const { keyId, publicKey } = await service.client.call('readSigningKey', {});
    const checked = await checkBundle(createReadStream(join(folder, 'bundle.tar.gz')), {
      version: 'first',
      publicKeys: [parsePublicKey(publicKey)],
      sha256: job.bundle?.sha256 ?? '',
    });
    expect(checked).toMatchObject({ signedBy: keyId, manifest: inside, archiveBytes: job.bundle?.sizeBytes });
    const committed = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: repository, encoding: 'utf8' });
    expect(Date.parse(inside.committedAt ?? '') / 1000).toBe(Number(committed.stdout));
    for (const { path, sha256, sizeBytes } of inside.files) {
      const bytes = readFileSync(join(folder, path));
      expect({
        path,
        sizeBytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
      }).toEqual({
        path,
        sizeBytes,
        sha256,
      });
    }
  });

  test('gives the same SHA-256 for the same commit, and another for another', async () => {
    const repository = gitRepository(siteFiles(8));
    const domain = await project(`file://${repository}`);
    const first = await exportSite({ domain });
    const second = await exportSite({ domain });
    expect(second.bundle?.sha256).toBe(first.bundle?.sha256);

    writeFiles(repository, { 'index.mdx': '---\ntitle: Changed\n---\n\nOther words.\n' });
    const commit = commitAll(repository, 'Change a page');
    const third = await exportSite({ domain });
    expect(third.source.commit).toBe(commit);
    expect(third.bundle?.sha256).not.toBe(first.bundle?.sha256);

    const old = await exportSite({ domain, ref: first.source.commit ?? '' });
    expect(old.bundle?.sha256).toBe(first.bundle?.sha256);
  });

  test('may lie in a folder of the repository and on another branch', async () => {
    const nested = Object.entries(siteFiles(2)).map(([path, text]) => [`docs/site/${path}`, text]);
    const repository = gitRepository(Object.fromEntries(nested) as Record<string, string>);
    const domain = await project(`file://${repository}`, { ref: 'main', directory: 'docs/site' });
    expect(await exportSite({ domain })).toMatchObject({ status: 'completed', pageCount: 2 });
    expect(await exportSite({ domain, ref: 'nowhere' })).toMatchObject({
      status: 'failed',
      failure: {
        code: 'source_not_found',
        message: expect.stringContaining('nowhere') as string,
        retryable: false,
      },
    });
  });
});

describe('a plain folder', () => {
  test('is exported as it lies there and stays untouched', async () => {
    const folder = temporaryFolder('folder');
    writeFiles(folder, siteFiles(3));
    const domain = await project(folder);
    expect(await exportSite({ domain })).toMatchObject({ status: 'completed', source: { commit: null } });
    expect(existsSync(join(folder, 'index.html'))).toBe(false);
  });
});

describe('what an author can get wrong', () => {
  test('one bad page becomes a visible panel and the rest is exported', async () => {
    const domain = await project(
      gitUrl({ ...siteFiles(3), 'guides/page-1.mdx': '# Broken\n\n<Card title="x"></Note>\n\nno start\n' }),
    );
    const job = await exportSite({ domain });
    expect(job).toMatchObject({ status: 'completed', pageCount: 3 });
    const report = await service.client.call('readReport', { params: { jobId: job.jobId } });
    expect(report).toMatchObject({ jobId: job.jobId, pages: 3, errors: 1, truncated: false });
    expect(report.diagnostics[0]).toMatchObject({ severity: 'error', file: 'guides/page-1.mdx' });

    const strict = await exportSite({ domain, strict: true });
    expect(strict).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('Strict') as string,
      failure: { code: 'strict_failed', file: 'guides/page-1.mdx', line: expect.any(Number) as number },
    });
    const why = await service.client.call('readReport', { params: { jobId: strict.jobId } });
    expect(why.diagnostics).toEqual(report.diagnostics);
  });

  test('the report comes in the form that the caller asks for', async () => {
    const domain = await project(gitUrl({ ...siteFiles(2), 'index.mdx': 'See [this](#nowhere).\n' }));
    const { jobId } = await exportSite({ domain });
    const ask = async (accept: string) => {
      const answer = await service.request(`/v1/static-export/jobs/${jobId}/report`, { headers: { accept } });
      return { type: answer.headers.get('content-type'), text: await answer.text(), headers: answer.headers };
    };
    const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
    expect(page.type).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('broken_anchor');
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    const sarif = await ask('application/sarif+json');
    expect(JSON.parse(sarif.text)).toMatchObject({ version: '2.1.0' });
    expect(sarif.text).toContain('"ruleId": "broken_anchor"');
    expect((await ask('application/xml')).text).toContain('<testsuites name="docyard"');
    for (const accept of ['*/*', 'application/json', 'text/plain'])
      expect(await ask(accept)).toMatchObject({ type: 'application/json' });
  });

  test('a docs.json that is not JSON is named with its line', async () => {
    const domain = await project(
      gitUrl({ 'docs.json': '{\n  "name": "x",\n  oops\n}', 'index.mdx': 'Hello' }),
    );
    expect(await exportSite({ domain })).toMatchObject({
      status: 'failed',
      failure: { code: 'config_invalid', file: 'docs.json', line: 3, retryable: false },
    });
  });

  test('a folder without pages is reported', async () => {
    const domain = await project(gitUrl({ LICENSE: 'none' }));
    expect(await exportSite({ domain })).toMatchObject({ status: 'failed', failure: { code: 'no_pages' } });
  });
});

describe('what a caller can choose', () => {
  test('only some pages', async () => {
    const domain = await project(gitUrl(siteFiles(4)));
    const job = await exportSite({ domain, paths: ['index', 'guides/page-2'] });
    expect(job).toMatchObject({ status: 'completed', pageCount: 2 });
    const folder = await unpack(job.jobId);
    expect(existsSync(join(folder, 'guides/page-2.html'))).toBe(true);
    expect(existsSync(join(folder, 'guides/page-1.html'))).toBe(false);
  });

  test('a page that does not exist is refused before anything starts', async () => {
    const domain = await project(gitUrl(siteFiles(2)));
    const refused = service.client.call('startExport', {
      body: { domain, paths: ['index', 'guides/nothing'] },
    });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      details: [{ path: 'paths.1', message: expect.stringContaining('guides/nothing') as string }],
    });
  });

  test('the style of addresses', async () => {
    const domain = await project(gitUrl(siteFiles(2)));
    const job = await exportSite({ domain, urlStyle: 'directory' });
    const folder = await unpack(job.jobId);
    expect(existsSync(join(folder, 'guides/page-1/index.html'))).toBe(true);
  });
});

describe('the life of a job', () => {
  test('events tell of progress that never falls and is 100 only at the end', async () => {
    const domain = await project(gitUrl(siteFiles(60)));
    const { jobId } = await service.client.call('startExport', { body: { domain } });
    const records = await readEvents(jobId);
    expect(records.at(0)).toMatchObject({ status: 'queued', progress: 0 });
    expect(records.at(-1)).toMatchObject({ status: 'completed', progress: 100, pageCount: 60 });
    for (const [index, record] of records.entries()) {
      const before = records[index - 1];
      expect(record.progress).toBeGreaterThanOrEqual(before?.progress ?? 0);
      expect(record.pageCount).toBeGreaterThanOrEqual(before?.pageCount ?? 0);
      expect(record.progress === 100).toBe(record.status === 'completed');
    }
  });

  test('a canceled job is failed with the reason, and can be tried again', async () => {
    const domain = await project(gitUrl(siteFiles(400)));
    const { jobId } = await service.client.call('startExport', { body: { domain } });
    await service.client.call('cancelExport', { params: { jobId } });
    const ended = await waitForExport(service.client, jobId, { timeoutSeconds: 20 });
    expect(ended).toMatchObject({ status: 'failed', failure: { code: 'canceled' }, bundle: null });
    await expect(service.client.call('cancelExport', { params: { jobId } })).rejects.toMatchObject({
      code: 'job_finished',
    });
    await expect(service.client.call('createBundle', { params: { jobId } })).rejects.toMatchObject({
      code: 'job_failed',
    });

    const again = await service.client.call('retryExport', { params: { jobId } });
    expect(again).toMatchObject({ status: 'queued', retryOf: jobId });
    const done = await waitForExport(service.client, again.jobId, { timeoutSeconds: 50 });
    expect(done).toMatchObject({ status: 'completed', pageCount: 400, retryOf: jobId });
  });

  test('a deleted job is gone with its link', async () => {
    const domain = await project(gitUrl(siteFiles(2)));
    const { jobId } = await exportSite({ domain });
    const { bundleUrl } = await service.client.call('createBundle', { params: { jobId } });
    expect((await fetch(bundleUrl)).status).toBe(200);
    await service.client.call('deleteExport', { params: { jobId } });
    await expect(service.client.call('readExport', { params: { jobId } })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await fetch(bundleUrl)).status).toBe(410);
    expect(existsSync(join(service.dataDir, 'blobs', jobId))).toBe(false);
  });

  test('stable addresses lead to a fresh link', async () => {
    const domain = await project(gitUrl(siteFiles(2)));
    await expect(service.client.answer('openLatestBundle', { query: { domain } })).rejects.toBeInstanceOf(
      DocyardError,
    );
    const job = await exportSite({ domain });
    for (const path of [
      `/v1/static-export/jobs/${job.jobId}/bundle`,
      `/v1/static-export/latest/bundle?domain=${domain}`,
    ]) {
      const answer = await service.request(path);
      expect(answer.status).toBe(302);
      const bytes = Buffer.from(await (await fetch(answer.headers.get('location') ?? '')).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.bundle?.sha256);
    }
  });

  test('lists are newest first and filtered', async () => {
    const domain = await project(gitUrl(siteFiles(1)));
    const jobs = [await exportSite({ domain }), await exportSite({ domain }), await exportSite({ domain })];
    const ids = jobs.map(({ jobId }) => jobId).toReversed();
    const first = await service.client.call('listExports', { query: { domain, limit: 2 } });
    expect(first.data.map(({ jobId }) => jobId)).toEqual(ids.slice(0, 2));
    const rest = await service.client.call('listExports', {
      query: { domain, limit: 2, cursor: first.nextCursor ?? '' },
    });
    expect(rest).toMatchObject({ data: [{ jobId: ids[2] }], nextCursor: null });
    expect((await service.client.call('listExports', { query: { domain, status: 'failed' } })).data).toEqual(
      [],
    );
    const since = jobs[1]?.createdAt ?? '';
    const newer = await service.client.call('listExports', { query: { domain, since } });
    expect(newer.data.map(({ jobId }) => jobId)).toEqual(ids.slice(0, 2));
  });
});

function gitUrl(files: Record<string, string>): string {
  return `file://${gitRepository(files)}`;
}

async function readEvents(jobId: string): Promise<ExportJob[]> {
  const answer = await service.request(`/v1/static-export/jobs/${jobId}/events`);
  const text = await answer.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as ExportJob);
}
