/** Exports with real components: git, the sandboxed process, the archive and the store. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { Manifest, Report, type Project, type StartExport } from '@docyard/api';
import { checkFolder, parsePublicKey } from '@docyard/bundle';
import type { JobFailedError } from '../jobs/failure.ts';
import type { RunnerInput } from '../jobs/worker.ts';
import { claimJob, completeJob, failJob, reportProgress, type Progress } from '../jobs/store.ts';
import type { Blobs } from '../ports/blobs.ts';
import { Problem } from '../problem.ts';
import {
  commitAll,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  git,
  present,
  temporaryFolder,
  until,
  writeFiles,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { findIsolation } from '../sandbox/isolation.ts';
import { readManifest, readReport } from './read.ts';
import { RenderingError } from './process.ts';
import { blobName } from './record.ts';
import { runExport } from './run.ts';
import { viewExport } from './view.ts';

const site = {
  'docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Site',
    colors: { primary: '#0f766e' },
    navigation: { groups: [{ group: 'Guides', pages: ['index', 'second'] }] },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nHello, see [second](/second).\n',
  'second.mdx': '---\ntitle: Second\n---\n\nText.\n',
};

let context: TestContext;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest({ RENDER_PROCESSES: '1' });
  tenant = await createTenant(context);
});

async function projectWith(files: Record<string, string>): Promise<Project & { commit: string }> {
  const folder = temporaryFolder('repository');
  const commit = commitAll(folder, files);
  return { ...(await createTestProject(context, tenant, { repository: `file://${folder}` })), commit };
}

const folderOf = ({ source }: Project) => fileURLToPath(source.repository);

async function claimed(project: Project, request: Partial<StartExport> = {}) {
  const job = present(await claimJob(context, (await createExport(context, tenant, project, request)).id));
  const reports: Progress[] = [];
  const controller = new AbortController();
  const input: RunnerInput = {
    job,
    signal: controller.signal,
    log: context.log,
    report: async (progress) => {
      reports.push(progress);
      await reportProgress(context, job, progress);
    },
    retryOnStorage: (work) => work(),
  };
  return { job, input, reports, controller };
}

const workLeft = () => readdirSync(join(context.config.dataDir, 'work'));

describe('a site', () => {
  test('becomes a bundle with a correct manifest and report', async () => {
    const project = await projectWith(site);
    const { job, input, reports } = await claimed(project, { version: '7' });
    const outcome = await runExport(context, input);
    const done = present(await completeJob(context, job, outcome));
    expect(done).toMatchObject({ status: 'completed', page_count: 2, source_commit: project.commit });

    const file = join(temporaryFolder('bundle'), 'bundle.tar.gz');
    writeFileSync(file, await context.blobs.readBytes(blobName(job.id, 1, 'bundle.tar.gz')));
    const unpacked = temporaryFolder('unpacked');
    expect(spawnSync('tar', ['xzf', file, '-C', unpacked]).status).toBe(0);
    const manifest = Manifest.parse(await readManifest(context, done));
    const committedAt = git(folderOf(project), 'log', '-1', '--format=%cI');
    const { level, statement } = await findIsolation();
    expect(manifest).toMatchObject({ version: '7', commit: project.commit, pages: 2, isolation: level });
    expect(viewExport(done).isolation).toEqual({ level, statement });
    expect(manifest.committedAt).toBe(new Date(committedAt).toISOString());
    for (const { path, sha256, sizeBytes } of manifest.files) {
      const bytes = readFileSync(join(unpacked, path));
      expect([path, bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
        path,
        sizeBytes,
        sha256,
      ]);
    }
    const inside = JSON.parse(readFileSync(join(unpacked, 'report.json'), 'utf8')) as object;
    expect(Object.keys(inside)).not.toContain('slowest');
    const names = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    expect(names).toHaveLength(manifest.files.length + 2);
    const { signer } = context.secrets;
    const publicKeys = [parsePublicKey(signer.publicKey)];
    const checked = await checkFolder(unpacked, { version: '7', publicKeys });
    expect(checked).toMatchObject({ manifest, signedBy: signer.keyId });
    expect(Report.parse(await readReport(context, done))).toMatchObject({
      jobId: job.id,
      pages: 2,
      errors: 0,
    });

    const shares = reports.flatMap(({ progress }) => progress ?? []);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(reports.at(0)).toMatchObject({ phase: 'fetching' });
    // The first page is reported immediately.
    expect(reports).toContainEqual(expect.objectContaining({ phase: 'rendering', pageCount: 1 }));
    expect(reports.at(-1)).toMatchObject({ phase: 'storing' });
    expect(workLeft()).toEqual([]);
  });

  test('shows the day of the last commit that changed a page', async () => {
    const config = { ...(JSON.parse(site['docs.json']) as object), metadata: { timestamp: true } };
    const project = await projectWith({ ...site, 'docs.json': JSON.stringify(config) });
    const seconds = Number(git(folderOf(project), 'log', '-1', '--format=%ct'));
    const { job, input } = await claimed(project);
    await runExport(context, input);
    const file = join(temporaryFolder('bundle'), 'bundle.tar.gz');
    writeFileSync(file, await context.blobs.readBytes(blobName(job.id, 1, 'bundle.tar.gz')));
    const page = spawnSync('tar', ['xzOf', file, 'second.html'], { encoding: 'utf8' }).stdout;
    expect(page).toContain(`<time datetime="${new Date(seconds * 1000).toISOString().slice(0, 10)}">`);
  });

  test('yields the same bytes each time', async () => {
    const project = await projectWith(site);
    const hashes: string[] = [];
    for (let time = 1; time <= 2; time += 1) {
      const { input } = await claimed(project);
      const { result } = (await runExport(context, input)) as { result: { bundle: { sha256: string } } };
      hashes.push(result.bundle.sha256);
    }
    expect(hashes[0]).toBe(hashes[1]);
  });
});

test('the second run of an attempt exports the commit of the first', async () => {
  const project = await projectWith(site);
  const { job, input, reports } = await claimed(project);
  let runs = 0;
  const putStream = async (name: string, stream: Readable, signal?: AbortSignal) => {
    runs += 1;
    if (runs > 1) return context.blobs.putStream(name, stream, signal);
    await once(stream, 'readable');
    commitAll(folderOf(project), { 'second.mdx': '---\ntitle: Newer\n---\n\nText.\n' });
    throw new RenderingError('The rendering process failed.');
  };
  const blobs = Object.assign(Object.create(context.blobs) as Blobs, { putStream, putFile: undefined });
  const outcome = await runExport({ ...context, blobs }, input);
  const done = present(await completeJob(context, job, outcome));
  expect(git(folderOf(project), 'rev-parse', 'HEAD')).not.toBe(project.commit);
  expect(reports.flatMap(({ commit }) => commit ?? [])).toEqual([project.commit, project.commit]);
  expect(done.source_commit).toBe(project.commit);
  expect(Manifest.parse(await readManifest(context, done)).commit).toBe(project.commit);
});

describe('the total of the pages', () => {
  const { 'second.mdx': second } = site;
  const docs = (...pages: string[]) => JSON.stringify({ name: 'Site', navigation: { pages } });
  const restricted = '---\ntitle: Staff\ngroups: [staff]\n---\n\nText.\n';

  test.each([
    ['does not count a restricted page', { ...site, 'staff.mdx': restricted }, {}, 2],
    ['counts a page of their groups', { ...site, 'staff.mdx': restricted }, { groups: ['staff'] }, 3],
    [
      'counts the copy of the first page at the root',
      { 'docs.json': docs('second', 'third'), 'second.mdx': second, 'third.mdx': second },
      {},
      3,
    ],
    ['counts a page once that is named twice', site, { paths: ['index', '/index'] }, 1],
  ])('%s', async (_what, files, request, pages) => {
    const { job, input, reports } = await claimed(await projectWith(files), request);
    const done = present(await completeJob(context, job, await runExport(context, input)));
    expect(done).toMatchObject({ page_count: pages, total_pages: pages });
    expect(Manifest.parse(await readManifest(context, done)).pages).toBe(pages);
    expect(new Set(reports.flatMap(({ totalPages }) => totalPages ?? []))).toEqual(new Set([pages]));
  });
});

describe('findings while it runs', () => {
  const broken = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}.mdx`, 'See [there](/nowhere).\n']),
    );

  test('are part of the progress, up to the last twenty', async () => {
    const { input, job, reports } = await claimed(await projectWith({ ...site, ...broken(30) }));
    const { result } = await runExport(context, input);
    const reported = reports.findLast(({ recentFindings }) => recentFindings !== undefined)?.recentFindings;
    expect(reported).toHaveLength(20);
    const done = present(await completeJob(context, job, { result, pageCount: 32 }));
    const { recentFindings } = viewExport(done);
    expect(recentFindings).toEqual(reported);
    // Informational findings make room for more severe ones.
    expect(new Set(recentFindings.map(({ code }) => code))).toEqual(new Set(['broken_link']));
  });

  test('that fail the export are part of the progress', async () => {
    const { input, job } = await claimed(await projectWith({ ...site, ...broken(1) }), {
      failOn: ['broken_link'],
    });
    const failure = (await runExport(context, input).catch((error: unknown) => error)) as JobFailedError;
    const failed = present(await failJob(context, job, failure.failure));
    expect(viewExport(failed).recentFindings).toContainEqual(
      expect.objectContaining({ code: 'broken_link', file: 'p0.mdx', line: 1 }),
    );
  });
});

describe('an export fails with', () => {
  test.each([
    ['a docs.json that cannot be read', { ...site, 'docs.json': '{ "name": ' }, {}, 'config_invalid'],
    ['a page that is not there', site, { paths: ['nothing'] }, 'unknown_paths'],
    ['a branch that is not there', site, { ref: 'nothing' }, 'source_not_found'],
  ])('%s', async (_what, files, request, code) => {
    const project = await projectWith(files);
    const { input } = await claimed(
      { ...project, source: { ...project.source, ref: 'ref' in request ? request.ref : null } },
      request,
    );
    await expect(runExport(context, input)).rejects.toMatchObject({
      name: 'JobFailedError',
      failure: { code },
    });
    expect(workLeft()).toEqual([]);
  });

  test('a finding listed in failOn, with its file and line, and keeps the report', async () => {
    const project = await projectWith({
      ...site,
      'second.mdx': '---\ntitle: Second\n---\n\nSee [home](/#nowhere).\n',
    });
    await expect(
      runExport(context, (await claimed(project, { failOn: ['error'] })).input),
    ).resolves.toBeDefined();
    const { input, job } = await claimed(project, { failOn: ['broken_anchor'] });
    const failure = await runExport(context, input).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      failure: { code: 'strict_failed', file: 'second.mdx', line: 5, hint: expect.any(String) as string },
    });
    const failed = present(await failJob(context, job, (failure as JobFailedError).failure));
    const report = Report.parse(await readReport(context, failed));
    expect(report).toMatchObject({ errors: 0, warnings: 1, byCode: { broken_anchor: 1 } });
    expect(report.slowest.map(({ file }) => file).toSorted()).toEqual(['index.mdx', 'second.mdx']);
    expect(await context.blobs.stat(blobName(job.id, 1, 'bundle.tar.gz'))).toBeUndefined();
    expect(workLeft()).toEqual([]);
  });

  test('a store that becomes unavailable during the upload', async () => {
    const { input } = await claimed(await projectWith(site));
    const putStream = async (_name: string, stream: Readable) => {
      await once(stream, 'readable');
      throw new Problem('storage_unavailable', 'The object storage cannot be used at the moment.');
    };
    const blobs = Object.assign(Object.create(context.blobs) as Blobs, { putStream, putFile: undefined });
    // The worker retries and finally fails the job as storage_failed.
    await expect(runExport({ ...context, blobs }, input)).rejects.toMatchObject({
      code: 'storage_unavailable',
    });
    expect(workLeft()).toEqual([]);
  });

  test('an abort, kills the rendering process and leaves no files', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, n) => [
        `p${n}.mdx`,
        `---\ntitle: P${n}\n---\n\n${'Text. '.repeat(2000)}\n`,
      ]),
    );
    const folder = temporaryFolder('folder');
    const pages = Object.keys(many).map((name) => name.replace('.mdx', ''));
    const docs = { theme: 'mint', name: 'S', colors: { primary: '#0f766e' }, navigation: { pages } };
    writeFiles(folder, { ...many, 'docs.json': JSON.stringify(docs) });
    const project = await createTestProject(context, tenant, { repository: folder });
    const { input, reports, controller, job } = await claimed(project);
    const running = runExport(context, input).catch((error: unknown) => error);
    await until(() => reports.some(({ phase }) => phase === 'loading'), 30);
    controller.abort();
    expect(String(await running)).toContain('AbortError');
    expect(workLeft()).toEqual([]);
    expect(await context.blobs.stat(`${job.id}/1/bundle.tar.gz`)).toBeUndefined();
  });
});
