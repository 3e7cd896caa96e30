import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Project, StartExport } from '@docyard/api';
import type { Outcome, RunnerInput } from '../jobs/worker.ts';
import { claimJob, completeJob } from '../jobs/store.ts';
import {
  commitAll,
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  temporaryFolder,
  type Tenant,
  type TestContext,
} from '../../test/support/test-context.ts';
import { runExport } from './run.ts';
import type { ExportResult } from './record.ts';
import { openProjectCache, sweepProjectCaches } from '../build-cache/cache-folder.ts';

const site = {
  'docs.json': JSON.stringify({
    name: 'Site',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'second', 'third'] },
  }),
  'index.mdx': '---\ntitle: Home\n---\n\nHello, see [second](/second).\n',
  'second.mdx': '---\ntitle: Second\n---\n\nText.\n',
  'third.mdx': '---\ntitle: Third\n---\n\nMore text.\n',
};

/**
 * LONG_TESTS covers every kind of edit; otherwise only one that affects every page and one that adds a page.
 */
const isLong = process.env['LONG_TESTS'] !== undefined;

let context: TestContext;
let uncached: TestContext;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest({ RENDER_PROCESSES: '1' });
  uncached = { ...context, config: { ...context.config, buildCacheBytes: 0 } };
  tenant = await createTenant(context);
});

const caches = () => join(context.config.dataDir, 'cache/exports');

async function projectWith(files: Record<string, string>): Promise<Project> {
  const folder = temporaryFolder('repository');
  commitAll(folder, files);
  return createTestProject(context, tenant, { repository: `file://${folder}` });
}

async function run(using: TestContext, project: Project, request: Partial<StartExport> = {}) {
  const job = present(await claimJob(context, (await createExport(context, tenant, project, request)).id));
  const input: RunnerInput = {
    job,
    signal: new AbortController().signal,
    log: context.log,
    report: async () => {},
    retryOnStorage: (work) => work(),
  };
  const outcome: Outcome = await runExport(using, input);
  await completeJob(context, job, outcome);
  return (outcome.result as ExportResult).bundle.sha256;
}

describe('a repeated export', () => {
  describe('of an edited project', () => {
    let project: Project;
    let folder: string;

    beforeAll(async () => {
      project = await projectWith(site);
      folder = fileURLToPath(project.source.repository);
    });

    test('is byte-identical when nothing was edited', async () => {
      const first = await run(context, project);
      expect(await run(uncached, project)).toBe(first);
      expect(await run(context, project)).toBe(first);
    });

    const rewritten = 'Another text with newfangled words.\n';
    const text = { 'second.mdx': `---\ntitle: Second\n---\n\n${rewritten}` };
    const edits: Record<string, Record<string, string>> = {
      ...(isLong ? { 'the text of a page': text } : {}),
      'the title of a page': { 'second.mdx': `---\ntitle: Number two\n---\n\n${rewritten}` },
      'a new page': { 'fourth.mdx': '---\ntitle: Fourth\n---\n\n[Home](/)\n' },
      ...(isLong ? { 'all of it, back to what it was': site } : {}),
    };
    test.each(Object.keys(edits))(
      'is byte-identical to an uncached export after an edit of %s',
      async (name) => {
        commitAll(folder, edits[name] ?? {});
        const cached = await run(context, project);
        expect(cached).toBe(await run(uncached, project));
      },
    );

    test('has a separate cache for each branch and set of options', async () => {
      expect(readdirSync(join(caches(), project.id))).toHaveLength(1);
      await run(context, project, { urlStyle: 'clean' });
      expect(readdirSync(join(caches(), project.id))).toHaveLength(2);
    });
  });

  test('finds the source when the folder in the repository changes', async () => {
    const inDocs = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`docs/${name}`, text]));
    const folder = temporaryFolder('repository');
    commitAll(folder, inDocs(site));
    const source = { repository: `file://${folder}`, directory: 'docs' };
    const project = await createTestProject(context, tenant, source);
    await run(context, project);
    // Nothing remains, so git removes the folder and creates another one.
    rmSync(join(folder, 'docs'), { recursive: true });
    commitAll(
      folder,
      inDocs({ 'docs.json': site['docs.json'].replaceAll('index', 'start'), 'start.mdx': 'New.\n' }),
    );
    expect(await run(context, project)).toBe(await run(uncached, project));
    rmSync(join(folder, 'docs'), { recursive: true });
    commitAll(folder, { docs: 'a file now' });
    await expect(run(context, project)).rejects.toThrow('The folder docs of the source does not exist.');
    rmSync(join(folder, 'docs'));
    commitAll(folder, inDocs(site));
    expect(await run(context, project)).toBe(await run(uncached, project));
  });

  test('reuses the intact part of a damaged cache', async () => {
    const project = await projectWith(site);
    const first = await run(context, project);
    const [name = ''] = readdirSync(join(caches(), project.id));
    writeFileSync(join(caches(), project.id, name, 'young'), 'not a cache file'.repeat(100));
    expect(await run(context, project)).toBe(first);
  });

  test('is byte-identical to an uncached export when part of the cache is damaged', async () => {
    const wordsOf = (page: number): string =>
      Array.from({ length: 10_000 }, (_, at) => `${at % 50 ? '' : '\n\n'}w${(page * 10_000 + at) ** 2}`).join(
        ' ',
      );
    const pages = Array.from({ length: 20 }, (_, page) => [`page${page}.mdx`, wordsOf(page)] as const);
    const project = await projectWith({
      'docs.json': JSON.stringify({
        ...JSON.parse(site['docs.json']),
        navigation: { pages: pages.map(([file]) => file.replace('.mdx', '')) },
      }),
      ...Object.fromEntries(pages),
    });
    await run(context, project);
    const [name = ''] = readdirSync(join(caches(), project.id));
    const young = join(caches(), project.id, name, 'young');
    // Damages the start of each value but not the index, so that only a read detects it.
    const bytes = readFileSync(young);
    const places = [...bytes.toString('latin1').matchAll(/piece:/g)].map(({ index }) => index);
    const values = places.filter((place, at) => (places[at + 1] ?? place) - place > 50_000);
    expect(values.length).toBeGreaterThan(2);
    for (const value of values) bytes.fill(0, value + 1000, value + 1100);
    writeFileSync(young, bytes);
    commitAll(fileURLToPath(project.source.repository), { 'page7.mdx': `${wordsOf(7)}\n\nOne more.\n` });
    expect(await run(context, project)).toBe(await run(uncached, project));
  });
});

test('a cache has one owner at a time', async () => {
  const owner = { projectId: 'project', kind: 'main' };
  const cache = present(await openProjectCache(context, owner));
  expect(await openProjectCache(context, owner)).toBeUndefined();
  const other = present(await openProjectCache(context, { ...owner, kind: 'draft' }));
  other.release();
  cache.release();
  present(await openProjectCache(context, owner)).release();
});

test('caches of deleted projects, old ones and those beyond the limit are removed', async () => {
  const { id } = await projectWith(site);
  const place = (project: string, name: string): string => {
    const folder = join(caches(), project, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'young'), Buffer.alloc(1000));
    return folder;
  };
  const [gone, old, large, small] = [
    place('gone', 'a'),
    place(id, 'old'),
    place(id, 'large'),
    place(id, 'small'),
  ];
  writeFileSync(join(large, 'young'), Buffer.alloc(100_000));
  utimesSync(old, 1e9, 1e9);
  utimesSync(large, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
  await sweepProjectCaches({ ...context, config: { ...context.config, buildCacheBytes: 50_000 } });
  expect([gone, old, large, small].map((folder) => existsSync(folder))).toEqual([false, false, false, true]);
});
