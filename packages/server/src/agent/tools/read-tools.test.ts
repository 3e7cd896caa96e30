import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { SiteFinding } from '../contract.ts';
import { listFiles } from './list-files.ts';
import { tools } from './all-tools.ts';
import { outline } from './outline.ts';
import { pageInfo } from './page-info.ts';
import { readFile } from './read-file.ts';
import { search } from './search.ts';
import { bench } from '../../../test/support/tool-bench.ts';

const manyLines = Array.from({ length: 900 }, (_, index) => `line ${index + 1}`).join('\n');
const finding = (more: Partial<SiteFinding>): SiteFinding => ({
  severity: 'error',
  code: 'mdx_syntax',
  message: 'The page does not parse',
  file: 'a.mdx',
  line: 3,
  hint: 'Close the tag.',
  isNew: true,
  ...more,
});

describe('the tool list', () => {
  test('the list has fifteen tools with schemas for providers', () => {
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      'delete_file diff edit_file find_pages finish list_files move_page multi_edit outline page_info read_file render_page search validate write_file'.split(
        ' ',
      ),
    );
    for (const { input, description } of tools) {
      expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({ type: 'object' });
      expect(description.length).toBeLessThan(500);
    }
  });
});

describe('list_files', () => {
  const site = () =>
    bench({ 'docs.json': '{}', 'a/b/c/d.mdx': '', 'a/b/e.mdx': 'x'.repeat(1500), 'a/f.md': '', 'g.png': '' });

  test('two levels are listed, and deeper folders are summarized', async () => {
    const { text } = await site().run(listFiles, {});
    expect(text).toBe('5 files:\na/b/ (2 files)\na/f.md (0 B)\ndocs.json (2 B)\ng.png (0 B)');
  });

  test('a folder can be listed in any notation and filtered by a pattern', async () => {
    expect((await site().run(listFiles, { path: './a/b/' })).text).toContain('a/b/e.mdx (1.5 kB)');
    expect((await site().run(listFiles, { glob: '*.mdx' })).text).toBe(
      '2 files:\na/b/c/d.mdx (0 B)\na/b/e.mdx (1.5 kB)',
    );
    expect((await site().run(listFiles, { glob: 'a/**/d.*' })).text).toContain('a/b/c/d.mdx');
  });

  test('the list stops at 500 entries and says how to see the rest', async () => {
    const files = Object.fromEntries(Array.from({ length: 620 }, (_, index) => [`p${index}.mdx`, '']));
    const { text } = await bench(files).run(listFiles, {});
    expect(text.split('\n')).toHaveLength(502);
    expect(text).toContain('… and 120 more. Pass a folder as path, or use glob.');
  });

  test('the error for a missing folder names the nearest one', async () => {
    const result = await site().run(listFiles, { path: 'a/bb' });
    expect(result).toEqual({ text: 'The folder a/bb does not exist. The nearest is a/b.', isError: true });
  });
});

describe('read_file', () => {
  test('lines are numbered, and the answer says how to continue', async () => {
    const site = bench({ 'long.mdx': manyLines });
    const { text } = await site.run(readFile, { path: 'long.mdx' });
    expect(text).toContain('long.mdx: lines 1–400 of 900\n    1\tline 1\n');
    expect(text).toContain('  400\tline 400\n… 500 more lines. Continue with offset 401.');
    const rest = await site.run(readFile, { path: 'long.mdx', offset: 899 });
    expect(rest.text).toBe('long.mdx: lines 899–900 of 900\n  899\tline 899\n  900\tline 900');
  });

  test('the answer stops at its byte limit and truncates long lines', async () => {
    const site = bench({ 'wide.mdx': Array.from({ length: 100 }, () => 'x'.repeat(3000)).join('\n') });
    const { text } = await site.run(readFile, { path: 'wide.mdx' });
    expect(text.length).toBeLessThan(50_000);
    expect(text).toContain('(1000 more characters)');
    expect(text).toMatch(/Continue with offset \d+\.$/);
  });

  test('invisible characters are shown, emoji and line endings stay unchanged', async () => {
    const hidden = `a\u200bb \u202ec 👩\u200d💻 \u{e0041}d\r\nend`;
    const { text } = await bench({ 'a.mdx': hidden }).run(readFile, { path: 'a.mdx' });
    expect(text).toContain('a⟦U+200B⟧b ⟦U+202E⟧c 👩\u200d💻 ⟦U+E0041⟧d\n');
  });

  test('binary files and LFS files are not shown', async () => {
    const site = bench({ 'p.png': '\u0000', 'l.mdx': 'version https://git-lfs.github.com/spec/v1\n' });
    expect((await site.run(readFile, { path: 'p.png' })).text).toContain('is not a text file');
    expect((await site.run(readFile, { path: 'l.mdx' })).text).toContain('Git LFS');
  });

  test('the error for a missing file suggests similar paths', async () => {
    const site = bench({ 'guides/quickstart.mdx': '', 'other.mdx': '' });
    expect((await site.run(readFile, { path: 'quickstart.mdx' })).text).toBe(
      'quickstart.mdx does not exist. Did you mean guides/quickstart.mdx?',
    );
    expect((await site.run(readFile, { path: 'zzz' })).text).toContain('List the files');
    expect(await site.run(readFile, { path: '../secret' })).toMatchObject({ isError: true });
    expect((await site.run(readFile, { path: 'other.mdx', offset: 5 })).text).toContain('has only 1 lines');
  });
});

describe('search', () => {
  const site = () =>
    bench({
      'a.mdx': 'one\nFind (me) here\nthree',
      'b/c.mdx': 'find (me)\nfind (me)',
      'b/d.png': 'x\u0000(me)',
    });

  test('the pattern is literal, and matches have file and line', async () => {
    const { text } = await site().run(search, { pattern: 'ind (me)' });
    expect(text).toBe(
      '3 lines in 2 files\na.mdx\n    2\tFind (me) here\nb/c.mdx\n    1\tfind (me)\n    2\tfind (me)',
    );
  });

  test('regular expressions, case, folders and globs can be set', async () => {
    const run = async (input: object) => (await site().run(search, { pattern: 'find', ...input })).text;
    expect(await run({})).toContain('2 lines in 1 file\n');
    expect(await run({ ignore_case: true })).toContain('3 lines in 2 files');
    expect(await run({ ignore_case: true, path: 'b' })).not.toContain('a.mdx');
    expect(await run({ ignore_case: true, glob: 'a.*' })).not.toContain('b/c.mdx');
    expect(await run({ pattern: '^(Find|three)', regex: true })).toContain('2 lines in 1 file');
    expect(await run({ pattern: '(?:o|g)ne|find', mode: 'files' })).toBe('a.mdx\nb/c.mdx');
    expect(await run({ pattern: '\\w+ee$|[\\d]', mode: 'count' })).toBe('a.mdx: 1');
    expect(await run({ mode: 'files', ignore_case: true })).toBe('a.mdx\nb/c.mdx');
    expect(await run({ mode: 'count' })).toBe('b/c.mdx: 2');
    expect(await run({ pattern: 'here', context: 1 })).toContain(
      '    1\tone\n    2\tFind (me) here\n    3\tthree',
    );
  });

  test('an empty result and an invalid pattern say what to try', async () => {
    const run = async (input: object) => (await site().run(search, { pattern: 'x', ...input })).text;
    expect(await run({ pattern: 'f.nd' })).toContain('Nothing matches.');
    expect(await run({ pattern: '(f|g)ind)' })).toContain('Nothing matches.');
    expect(await run({ pattern: '(', regex: true })).toContain('Search literally');
    expect(await run({ pattern: 'a\nb' })).toContain('Search for one line');
    expect(await run({ pattern: '((a{1,255}){1,255}){1,255}', regex: true })).toContain(
      'too many counted repeats',
    );
  });

  test('a pattern never becomes an option, and at most a hundred lines are shown', async () => {
    const many = bench({
      'a.mdx': '--help\n',
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, manyLines])),
    });
    expect((await many.run(search, { pattern: '--help' })).text).toContain('1 line in 1 file');
    const { text } = await many.run(search, { pattern: 'line' });
    expect(text).toContain('8100 lines in 9 files, not all shown. Narrow the search');
    expect(text.split('\n').length).toBeLessThan(120);
  });

  test('a file with one line of megabytes hides no match in other files', async () => {
    const long = `${'{"key":1},'.repeat(450_000)}needle${'{"key":1},'.repeat(100)}`;
    const site = bench({ 'api/data.json': long, 'guides/a.md': 'the needle\n', 'z.md': 'a needle' });
    const run = async (input: object) => (await site.run(search, { pattern: 'needle', ...input })).text;
    expect(await run({ path: 'guides' })).toBe('1 line in 1 file\nguides/a.md\n    1\tthe needle');
    expect(await run({})).toBe(
      [
        '3 lines in 3 files',
        'api/data.json',
        '    1\t(a line of more than 20000 bytes, match at byte 4500001)',
        'guides/a.md',
        '    1\tthe needle',
        'z.md',
        '    1\ta needle',
      ].join('\n'),
    );
    expect(await run({ pattern: 'key', mode: 'count', glob: '*.json' })).toBe('api/data.json: 1');
  });

  test('the part around the match of a long line is shown', async () => {
    const site = bench({ 'a.md': `${'x'.repeat(5000)} needle ${'y'.repeat(5000)}` });
    const { text } = await site.run(search, { pattern: 'needle' });
    expect(text).toMatch(/^1 line in 1 file\na\.md\n {4}1\t… x+ needle y+ … \(4\d+ more characters\)$/);
  });

  test('a path without files is reported, also outside of the tree', async () => {
    for (const path of ['guides', '../..', 'a.mdx/b'])
      expect((await site().run(search, { pattern: 'find', path })).text).toContain('No file has this path');
  });

  test('links out of the tree are not searched, and settings in the tree have no effect', async () => {
    const outside = bench({ 'secret.txt': 'canary-text' });
    const inside = bench({ 'a.mdx': 'x', '.git/config': '[core]\n\tfsmonitor = touch canary\n' });
    symlinkSync(join(outside.folder, 'secret.txt'), join(inside.folder, 'link.txt'));
    expect((await inside.run(search, { pattern: 'canary-text' })).text).toContain('Nothing matches');
    expect(existsSync(join(inside.folder, 'canary'))).toBe(false);
  });
});

describe('outline', () => {
  test('groups, titles, missing pages and orphans are shown', async () => {
    const site = bench({
      'docs.json': JSON.stringify({
        navigation: {
          tabs: [
            {
              tab: 'Guides',
              groups: [{ group: 'Start', pages: ['index', 'gone', { group: 'More', pages: ['a'] }] }],
            },
            { tab: 'API', pages: ['GET /boats'] },
          ],
          global: { anchors: [{ anchor: 'Blog', href: 'https://blog.example.com' }] },
        },
      }),
      'index.mdx': '---\ntitle: "Home"\n---\n',
      'a.mdx': '---\ntitle: Oars\n---\n',
      'lost.mdx': 'text',
      'snippets/part.mdx': 'no page',
    });
    expect((await site.run(outline, {})).text).toBe(
      [
        'Navigation in docs.json:',
        '  [Guides]',
        '    [Start]',
        '      index.mdx “Home”',
        '      gone (no such file)',
        '      [More]',
        '        a.mdx “Oars”',
        '  [API]',
        '    GET /boats',
        '  [Blog] → https://blog.example.com',
        'Not in the navigation (1 page):',
        '  lost.mdx',
      ].join('\n'),
    );
  });

  test('a long outline is truncated and can be continued', async () => {
    const pages = Array.from({ length: 900 }, (_, index) => `p${index}`);
    const site = bench({ 'docs.json': JSON.stringify({ navigation: { pages } }) });
    const { text } = await site.run(outline, {});
    expect(text).toContain('… 301 more lines. Continue with offset 601.');
    expect((await site.run(outline, { offset: 601 })).text).toContain('p599 (no such file)');
  });

  test('a missing and a broken configuration are reported', async () => {
    expect((await bench({ 'a.mdx': '' }).run(outline, {})).text).toContain('There is no docs.json');
    expect((await bench({ 'docs.json': '{' }).run(outline, {})).text).toContain('is not valid JSON');
    const deep = bench({ 'docs.json': '['.repeat(200_000) });
    expect((await deep.run(outline, {})).text).toContain('is not valid JSON');
  });
});

describe('page_info', () => {
  test('front matter, headings, links in both directions, navigation and findings are shown', async () => {
    const site = bench(
      {
        'docs.json': '{ "navigation": { "pages": ["guides/a", "b"] } }',
        'guides/a.mdx':
          '---\ntitle: A\n---\n\n## Use `row` now\n\n[b](../b#x) [web](https://example.com) [gone](/gone)\n\n```md\n## Not one\n```\n\n### Own {#mine}\n',
        'b.mdx': 'See [a](guides/a).',
      },
      { findings: [finding({ file: 'guides/a.mdx', isNew: false })] },
    );
    expect((await site.run(pageInfo, { path: 'guides/a.mdx' })).text).toBe(
      [
        'guides/a.mdx has the address /guides/a',
        'Front matter (1):',
        '  title: A',
        'Headings (2):',
        '  5: ## Use `row` now (#use-row-now)',
        '  13: ### Own {#mine} (#mine)'.replace(' {#mine}', ''),
        'Links on it (3):',
        '  7: ../b#x → the page b.mdx',
        '  7: https://example.com → another host',
        '  7: /gone → not a file: a redirect, a generated page, or broken',
        'Links to it (1):',
        '  b.mdx:1 guides/a',
        'In the navigation (1):',
        '  docs.json: "guides/a"',
        'Findings (1):',
        '  error mdx_syntax guides/a.mdx:3: The page does not parse. Close the tag.',
      ].join('\n'),
    );
  });
});
