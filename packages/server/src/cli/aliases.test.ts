/** Names from other tools do what people expect of them, on a site with one mistake of each kind. */
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

test('broken-links looks at links alone, and at anchors without being asked', async () => {
  const found = await codesFoundBy('broken-links', '--check-anchors', site);
  expect(found).toEqual({ status: 7, codes: ['broken_link'] });
});

test('a11y looks at accessibility alone', async () => {
  expect(await codesFoundBy('a11y', site)).toEqual({ status: 7, codes: ['missing_alt'] });
});

test('validate is strict', async () => {
  const { status, codes } = await codesFoundBy('validate', site);
  expect(status).toBe(7);
  expect(codes).toEqual(expect.arrayContaining(['broken_link', 'missing_alt']));
});

test('every finding that a name asks for exists', () => {
  const named = Object.values(aliases).flatMap(
    ({ words }) => words[words.indexOf('--only') + 1]?.split(',') ?? [],
  );
  expect(named.filter((name) => name.includes('_') && !Object.hasOwn(diagnosticCodes, name))).toEqual([]);
});

test('other words stay as they are', () => {
  expect(withoutAlias(['check', 'broken-links'])).toEqual(['check', 'broken-links']);
  expect(withoutAlias(['constructor'])).toEqual(['constructor']);
});
