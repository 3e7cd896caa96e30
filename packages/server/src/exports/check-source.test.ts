/** A source looked at before there is a project: what it holds, or what is wrong with it, and nothing is left behind. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSource } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitAll, composeForTest, temporaryFolder, writeFiles, type TestContext } from '../testing.ts';
import { checkSource } from './check-source.ts';

const site = {
  'docs/docs.json': JSON.stringify({
    theme: 'mint',
    name: 'Harbour guide',
    colors: { primary: '#0f766e' },
    navigation: { pages: ['index', 'second'] },
  }),
  'docs/index.mdx': '# Home\n',
  'docs/second.mdx': '# Second\n',
};

let context: TestContext;

beforeAll(async () => {
  context = await composeForTest();
});

const check = (source: CheckSource['source'], allowLocal = true) =>
  checkSource(context, { source, allowLocal, signal: new AbortController().signal });

test('a repository with a site is told with commit, configuration, name and pages', async () => {
  const folder = temporaryFolder('source');
  const commit = commitAll(folder, site);
  expect(await check({ repository: `file://${folder}`, directory: 'docs' })).toEqual({
    ok: true,
    commit,
    configFile: 'docs.json',
    name: 'Harbour guide',
    pages: 2,
    problem: null,
  });
  expect(readdirSync(join(context.config.dataDir, 'work'))).toEqual([]);
});

test('a folder of pages without a configuration is a site too', async () => {
  const folder = temporaryFolder('pages');
  writeFiles(folder, { 'index.md': '# Home\n' });
  expect(await check({ repository: folder })).toMatchObject({
    ok: true,
    configFile: null,
    pages: 1,
    commit: null,
  });
});

describe('what is wrong is told as a failed export would tell it', () => {
  const folder = temporaryFolder('wrong');
  commitAll(folder, { ...site, 'broken/docs.json': '{"name": ', 'empty/read.txt': 'nothing here' });
  const repository = `file://${folder}`;

  test.each([
    ['a branch that is not there', { repository, ref: 'missing' }, 'source_not_found'],
    ['a folder that is not there', { repository, directory: 'missing' }, 'source_not_found'],
    ['a configuration that cannot be read', { repository, directory: 'broken' }, 'config_invalid'],
    ['a folder without pages', { repository, directory: 'empty' }, 'no_pages'],
    ['a private address', { repository: 'https://127.0.0.1/docs.git' }, 'source_refused'],
    ['another private address', { repository: 'https://10.0.0.1/docs.git' }, 'source_refused'],
  ] as const)('%s', async (_what, source, code) => {
    const { ok, pages, problem } = await check(source);
    expect({ ok, pages, code: problem?.code }).toEqual({ ok: false, pages: 0, code });
    expect(problem?.message).toMatch(/\w/);
  });

  test('a folder of this machine, for an organization that may not read it', async () => {
    expect((await check({ repository: folder }, false)).problem?.code).toBe('source_refused');
  });
});

test('no more than two are looked at at once', async () => {
  const folder = temporaryFolder('busy');
  commitAll(folder, site);
  const source = { repository: `file://${folder}`, directory: 'docs' };
  const all = await Promise.allSettled([check(source), check(source), check(source)]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect((all[2] as PromiseRejectedResult).reason).toMatchObject({ code: 'overloaded' });
});
