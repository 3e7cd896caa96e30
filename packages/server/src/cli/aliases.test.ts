/** Command names of other tools, run on a site with one problem of each kind. */
import { beforeAll, expect, test } from 'vitest';
import { diagnosticCodes } from '@docyard/render/report';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { aliases, withoutAlias } from './aliases.ts';
import { docyard } from '../../test/support/run-command.ts';

let site: string;

beforeAll(() => {
  site = temporaryFolder('site');
  writeFiles(site, {
    'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index'] } }),
    'index.mdx': '---\ntitle: Home\n---\n\n[lost](/nowhere)\n\n![](/picture.svg)\n',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
  });
});

async function codesFoundBy(...args: string[]): Promise<{ status: number; codes: string[] }> {
  const { status, stdout } = await docyard(...args, '--format', 'json', '--quiet');
  return { status, codes: Object.keys((JSON.parse(stdout) as { byCode: Record<string, number> }).byCode) };
}

test('broken-links reports only links and accepts --check-anchors', async () => {
  const found = await codesFoundBy('broken-links', '--check-anchors', site);
  expect(found).toEqual({ status: 7, codes: ['broken_link'] });
});

test('a11y reports only accessibility', async () => {
  expect(await codesFoundBy('a11y', site)).toEqual({ status: 7, codes: ['missing_alt'] });
});

test('validate reports findings of every kind and fails', async () => {
  const { status, codes } = await codesFoundBy('validate', site);
  expect(status).toBe(7);
  expect(codes).toEqual(expect.arrayContaining(['broken_link', 'missing_alt']));
});

test('every finding code of an alias exists', () => {
  const named = Object.values(aliases).flatMap(
    ({ words }) => words[words.indexOf('--only') + 1]?.split(',') ?? [],
  );
  expect(named.filter((name) => name.includes('_') && !Object.hasOwn(diagnosticCodes, name))).toEqual([]);
});

test('words that are no alias stay unchanged', () => {
  expect(withoutAlias(['check', 'broken-links'])).toEqual(['check', 'broken-links']);
  expect(withoutAlias(['constructor'])).toEqual(['constructor']);
});
