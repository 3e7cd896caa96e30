/** Every tool as a model meets it: what it answers, where it stops, and what it says when it refuses. */
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type DiffFile, SiteCheckFailed, type SiteFinding } from '../contract.ts';
import { deleteFile } from './delete-file.ts';
import { diff } from './diff.ts';
import { editFile, multiEdit } from './edit-file.ts';
import { finish } from './finish.ts';
import { listFiles } from './list-files.ts';
import { tools } from './list.ts';
import { outline } from './outline.ts';
import { pageInfo } from './page-info.ts';
import { readFile } from './read-file.ts';
import { renderPage } from './render-page.ts';
import { search } from './search.ts';
import { bench, type TestBench } from '../../../test/support/tool-bench.ts';
import { validate } from './validate.ts';
import { writeFile } from './write-file.ts';

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

/** Reads first, as a model must. */
async function opened(site: TestBench, path: string): Promise<TestBench> {
  await site.run(readFile, { path });
  return site;
}

describe('the list', () => {
  test('has fourteen tools whose inputs a provider can be told of', () => {
    expect(tools.map(({ name }) => name).toSorted()).toEqual(
      'delete_file diff edit_file finish list_files move_page multi_edit outline page_info read_file render_page search validate write_file'.split(
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

  test('shows two levels, deeper folders as one line', async () => {
    const { text } = await site().run(listFiles, {});
    expect(text).toBe('5 files:\na/b/ (2 files)\na/f.md (0 B)\ndocs.json (2 B)\ng.png (0 B)');
  });

  test('goes into a folder, however it is written, and filters by pattern', async () => {
    expect((await site().run(listFiles, { path: './a/b/' })).text).toContain('a/b/e.mdx (1.5 kB)');
    expect((await site().run(listFiles, { glob: '*.mdx' })).text).toBe(
      '2 files:\na/b/c/d.mdx (0 B)\na/b/e.mdx (1.5 kB)',
    );
    expect((await site().run(listFiles, { glob: 'a/**/d.*' })).text).toContain('a/b/c/d.mdx');
  });

  test('stops at 500 entries and says how to see the rest', async () => {
    const files = Object.fromEntries(Array.from({ length: 620 }, (_, index) => [`p${index}.mdx`, '']));
    const { text } = await bench(files).run(listFiles, {});
    expect(text.split('\n')).toHaveLength(502);
    expect(text).toContain('… and 120 more. Name a folder as path, or use glob.');
  });

  test('names the nearest folder when there is none', async () => {
    const result = await site().run(listFiles, { path: 'a/bb' });
    expect(result).toEqual({ text: 'There is no folder a/bb. The nearest is a/b.', isError: true });
  });
});

describe('read_file', () => {
  test('numbers lines and says how to read on', async () => {
    const site = bench({ 'long.mdx': manyLines });
    const { text } = await site.run(readFile, { path: 'long.mdx' });
    expect(text).toContain('long.mdx: lines 1–400 of 900\n    1\tline 1\n');
    expect(text).toContain('  400\tline 400\n… 500 more lines. Read on with offset 401.');
    const rest = await site.run(readFile, { path: 'long.mdx', offset: 899 });
    expect(rest.text).toBe('long.mdx: lines 899–900 of 900\n  899\tline 899\n  900\tline 900');
  });

  test('stops at 48 kB also within the limit of lines, and cuts long lines', async () => {
    const site = bench({ 'wide.mdx': Array.from({ length: 100 }, () => 'x'.repeat(3000)).join('\n') });
    const { text } = await site.run(readFile, { path: 'wide.mdx' });
    expect(text.length).toBeLessThan(50_000);
    expect(text).toContain('(1000 more characters)');
    expect(text).toMatch(/Read on with offset \d+\.$/);
  });

  test('shows what cannot be seen, and leaves pictures and line endings alone', async () => {
    const hidden = `a\u200bb \u202ec 👩\u200d💻 \u{e0041}d\r\nend`;
    const { text } = await bench({ 'a.mdx': hidden }).run(readFile, { path: 'a.mdx' });
    expect(text).toContain('a⟦U+200B⟧b ⟦U+202E⟧c 👩\u200d💻 ⟦U+E0041⟧d\n');
  });

  test('does not show what is no text, nor what lies elsewhere', async () => {
    const site = bench({ 'p.png': '\u0000', 'l.mdx': 'version https://git-lfs.github.com/spec/v1\n' });
    expect((await site.run(readFile, { path: 'p.png' })).text).toContain('is not a text file');
    expect((await site.run(readFile, { path: 'l.mdx' })).text).toContain('git LFS');
  });

  test('names what was probably meant', async () => {
    const site = bench({ 'guides/quickstart.mdx': '', 'other.mdx': '' });
    expect((await site.run(readFile, { path: 'quickstart.mdx' })).text).toBe(
      'There is no file quickstart.mdx. Did you mean guides/quickstart.mdx?',
    );
    expect((await site.run(readFile, { path: 'zzz' })).text).toContain('Use list_files');
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

  test('takes the pattern literally and shows file and line', async () => {
    const { text } = await site().run(search, { pattern: 'ind (me)' });
    expect(text).toBe(
      '3 lines in 2 files\na.mdx\n    2\tFind (me) here\nb/c.mdx\n    1\tfind (me)\n    2\tfind (me)',
    );
  });

  test('searches patterns, cases, folders and names when asked', async () => {
    const run = async (input: object) => (await site().run(search, { pattern: 'find', ...input })).text;
    expect(await run({})).toContain('2 lines in 1 file\n');
    expect(await run({ ignore_case: true })).toContain('3 lines in 2 files');
    expect(await run({ ignore_case: true, path: 'b' })).not.toContain('a.mdx');
    expect(await run({ ignore_case: true, glob: 'a.*' })).not.toContain('b/c.mdx');
    expect(await run({ pattern: '^(Find|three)', regex: true })).toContain('2 lines in 1 file');
    expect(await run({ mode: 'files', ignore_case: true })).toBe('a.mdx\nb/c.mdx');
    expect(await run({ mode: 'count' })).toBe('b/c.mdx: 2');
    expect(await run({ pattern: 'here', context: 1 })).toContain(
      '    1\tone\n    2\tFind (me) here\n    3\tthree',
    );
  });

  test('says what to try when nothing matches or the pattern is wrong', async () => {
    const run = async (input: object) => (await site().run(search, { pattern: 'x', ...input })).text;
    expect(await run({ pattern: 'f.nd' })).toContain('Nothing matches.');
    expect(await run({ pattern: '(f|g)ind' })).toContain('set regex');
    expect(await run({ pattern: '(', regex: true })).toContain('Search literally');
    expect(await run({ pattern: 'a\nb' })).toContain('Search for one line');
    expect(await run({ pattern: '((a{1,255}){1,255}){1,255}', regex: true })).toContain('repeats too much');
  });

  test('a pattern never becomes an option, and shows at most a hundred lines', async () => {
    const many = bench({
      'a.mdx': '--help\n',
      ...Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, manyLines])),
    });
    expect((await many.run(search, { pattern: '--help' })).text).toContain('1 line in 1 file');
    const { text } = await many.run(search, { pattern: 'line' });
    expect(text).toContain('8100 lines in 9 files, not all shown. Narrow the search');
    expect(text.split('\n').length).toBeLessThan(120);
  });

  test('reads neither links out of the tree nor settings within it', async () => {
    const outside = bench({ 'secret.txt': 'canary-text' });
    const inside = bench({ 'a.mdx': 'x', '.git/config': '[core]\n\tfsmonitor = touch canary\n' });
    symlinkSync(join(outside.folder, 'secret.txt'), join(inside.folder, 'link.txt'));
    expect((await inside.run(search, { pattern: 'canary-text' })).text).toContain('Nothing matches');
    expect(existsSync(join(inside.folder, 'canary'))).toBe(false);
  });
});

describe('edit_file', () => {
  test('replaces one piece and shows the lines around it', async () => {
    const site = await opened(bench({ 'a.mdx': 'one\ntwo\nthree\n' }), 'a.mdx');
    const result = await site.run(editFile, { path: 'a.mdx', old: 'two', new: 'deux\ntrois' });
    expect(result.text).toBe(
      'Changed a.mdx. It is 1 line longer.\n     1\tone\n-    2\ttwo\n+    2\tdeux\n+    3\ttrois\n     4\tthree',
    );
    expect(result.changes).toEqual([{ path: 'a.mdx', content: 'one\ndeux\ntrois\nthree\n' }]);
  });

  test('keeps line endings and the byte order mark, also where they are mixed', async () => {
    const site = bench({ 'w.mdx': '\ufeffone\r\ntwo\r\nthree\r\n', 'm.mdx': 'a\r\nb\nc\n' });
    for (const path of ['w.mdx', 'm.mdx']) await site.run(readFile, { path });
    await site.run(editFile, { path: 'w.mdx', old: 'one\ntwo', new: '1\n2' });
    expect(site.read('w.mdx')).toBe('\ufeff1\r\n2\r\nthree\r\n');
    await site.run(editFile, { path: 'm.mdx', old: 'b\nc', new: 'B\nC' });
    expect(site.read('m.mdx')).toBe('a\r\nB\nC\n');
  });

  test('wants the file read first, and as it is now', async () => {
    const site = bench({ 'a.mdx': 'one' });
    const edit = { path: 'a.mdx', old: 'one', new: 'two' };
    expect((await site.run(editFile, edit)).text).toBe('Read a.mdx with read_file before you change it.');
    await opened(site, 'a.mdx');
    site.write('a.mdx', 'one!');
    expect((await site.run(editFile, edit)).text).toContain('has changed since you read it');
    await opened(site, 'a.mdx');
    expect((await site.run(editFile, edit)).isError).toBeUndefined();
    expect((await site.run(editFile, { ...edit, old: 'two', new: 'three' })).isError).toBeUndefined();
  });

  test('names every place when the text is not unique, and changes all when told to', async () => {
    const site = await opened(bench({ 'a.mdx': 'x\ny\nx\nx' }), 'a.mdx');
    const result = await site.run(editFile, { path: 'a.mdx', old: 'x', new: 'z' });
    expect(result.text).toContain('stands 3 times in the file, at lines 1, 3, 4.');
    expect(site.read('a.mdx')).toBe('x\ny\nx\nx');
    await site.run(editFile, { path: 'a.mdx', old: 'x', new: 'z', replace_all: true });
    expect(site.read('a.mdx')).toBe('z\ny\nz\nz');
  });

  test('shows the closest places when the text is not there', async () => {
    const text = '# Rowing\n\nPull the oars hard.\n\nPull the oar softly.\n\nAnchor here.\n';
    const site = await opened(bench({ 'a.mdx': text }), 'a.mdx');
    const run = async (old: string, now = 'new') =>
      (await site.run(editFile, { path: 'a.mdx', old, new: now })).text;
    const near = await run('Pull the oars harder.');
    expect(near).toContain('Most like it:\n    3\tPull the oars hard.\n   --\n    5\tPull the oar softly.');
    expect(await run('Pull  the oars\thard.')).toContain('only with other white space');
    expect(await run('Steer left.', 'Anchor here.')).toContain('already is, at line 7');
    expect(await run('zzzz')).toContain('nothing like it');
    expect(await run('')).toContain('write_file makes new files');
    expect(await run('same', 'same')).toContain('nothing would change');
  });

  test('a marker means the hidden character; new ones are not let in', async () => {
    const site = await opened(bench({ 'a.mdx': 'a\u200bb c' }), 'a.mdx');
    expect((await site.run(editFile, { path: 'a.mdx', old: 'c', new: 'd\u202e' })).text).toContain('U+202E');
    await site.run(editFile, { path: 'a.mdx', old: 'a⟦U+200B⟧b', new: 'ab' });
    expect(site.read('a.mdx')).toBe('ab c');
  });

  test('text that looks like a pattern of replacement is only text', async () => {
    const site = await opened(bench({ 'a.mdx': 'price' }), 'a.mdx');
    await site.run(editFile, { path: 'a.mdx', old: 'price', new: "$& $1 $'" });
    expect(site.read('a.mdx')).toBe("$& $1 $'");
  });

  test('stays within the scope of the job', async () => {
    const site = bench({ 'a.mdx': 'one', 'in/b.mdx': 'one', 'inside.mdx': 'one' }, { scopePaths: ['in/'] });
    for (const path of ['a.mdx', 'in/b.mdx', 'inside.mdx']) await site.run(readFile, { path });
    const run = async (path: string) => (await site.run(editFile, { path, old: 'one', new: 'two' })).text;
    expect(await run('a.mdx')).toContain('outside what this job may change: in/');
    expect(await run('inside.mdx')).toContain('outside');
    expect(await run('in/b.mdx')).toContain('Changed');
  });
});

describe('multi_edit', () => {
  test('makes all edits in order, or none and says which failed', async () => {
    const site = await opened(bench({ 'a.mdx': 'one two' }), 'a.mdx');
    const edits = [
      { old: 'one', new: 'two' },
      { old: 'two two', new: 'three' },
    ];
    const failing = await site.run(multiEdit, {
      path: 'a.mdx',
      edits: [...edits, { old: 'gone', new: 'x' }],
    });
    expect(failing.text).toContain('Edit 3 failed and none was made.');
    expect(site.read('a.mdx')).toBe('one two');
    await site.run(multiEdit, { path: 'a.mdx', edits });
    expect(site.read('a.mdx')).toBe('three');
  });
});

describe('write_file', () => {
  const files = { 'docs.json': '{ "navigation": { "pages": ["a"] } }', 'a.mdx': 'one\r\n', 'b.mdx': 'b' };

  test('makes a new file, and says when the navigation lacks it', async () => {
    const site = bench(files);
    const { text, changes } = await site.run(writeFile, { path: 'new/page.mdx', content: '# New\n' });
    expect(text).toBe(
      'Created new/page.mdx: 1 line. It is not in the navigation yet: add "new/page" to a "pages" list in docs.json.',
    );
    expect(changes).toEqual([{ path: 'new/page.mdx', content: '# New\n' }]);
    const again = await site.run(editFile, { path: 'new/page.mdx', old: 'New', new: 'Newer' });
    expect(again.isError).toBeUndefined();
  });

  test('overwrites only what was read, in the style of the file', async () => {
    const site = bench(files);
    const input = { path: 'a.mdx', content: 'two\nthree\n' };
    expect((await site.run(writeFile, input)).text).toContain('Read a.mdx with read_file before');
    await opened(site, 'a.mdx');
    await site.run(writeFile, input);
    expect(site.read('a.mdx')).toBe('two\r\nthree\r\n');
  });

  test('refuses hidden characters', async () => {
    const result = await bench(files).run(writeFile, { path: 'c.mdx', content: 'a\u200b' });
    expect(result.text).toContain('characters that nobody can see: U+200B');
  });
});

describe('delete_file', () => {
  const site = () =>
    bench({
      'docs.json': '{\n  "navigation": { "pages": ["a", "b"] }\n}',
      'a.mdx': '---\ntitle: A\n---\n\n[b](/b) ![p](p.png)',
      'b.mdx': 'b',
      'c.mdx': 'c',
      'p.png': 'x',
    });

  test('is refused while something leads to the file, and names it', async () => {
    const bound = site();
    const result = await bound.run(deleteFile, { path: 'b.mdx' });
    expect(result.text).toBe(
      'b.mdx is still in use. Change these first, or set force:\n- docs.json:2 navigation entry "b"\n- a.mdx:5 link /b',
    );
    expect((await bound.run(deleteFile, { path: 'p.png' })).text).toContain('- a.mdx:5 link p.png');
    expect(existsSync(join(bound.folder, 'b.mdx'))).toBe(true);
  });

  test('removes what nothing needs, and with force what something does', async () => {
    const free = site();
    expect((await free.run(deleteFile, { path: 'c.mdx' })).changes).toEqual([
      { path: 'c.mdx', content: null },
    ]);
    const forced = await free.run(deleteFile, { path: 'b.mdx', force: true });
    expect(forced.text).toContain('These now lead nowhere:\n- docs.json:2');
    expect(existsSync(join(free.folder, 'b.mdx'))).toBe(false);
  });

  test('never removes the configuration', async () => {
    const result = await site().run(deleteFile, { path: 'docs.json', force: true });
    expect(result.text).toContain('is the configuration of the site and cannot be deleted');
    expect((await site().run(deleteFile, { path: 'bb.mdx' })).text).toContain('Did you mean b.mdx?');
  });
});

describe('outline', () => {
  test('shows groups, titles, missing pages and those left out', async () => {
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

  test('is bounded, and can be read on', async () => {
    const pages = Array.from({ length: 900 }, (_, index) => `p${index}`);
    const site = bench({ 'docs.json': JSON.stringify({ navigation: { pages } }) });
    const { text } = await site.run(outline, {});
    expect(text).toContain('… 301 more lines. Go on with offset 601.');
    expect((await site.run(outline, { offset: 601 })).text).toContain('p599 (no such file)');
  });

  test('says so when there is no configuration, or a broken one', async () => {
    expect((await bench({ 'a.mdx': '' }).run(outline, {})).text).toContain('There is no docs.json');
    expect((await bench({ 'docs.json': '{' }).run(outline, {})).text).toContain('is not valid JSON');
    const deep = bench({ 'docs.json': '['.repeat(200_000) });
    expect((await deep.run(outline, {})).text).toContain('is not valid JSON');
  });
});

describe('page_info', () => {
  test('tells of front matter, headings, links both ways, navigation and findings', async () => {
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
        '  7: /gone → no file: a redirect, a generated page, or broken',
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

describe('validate and render_page', () => {
  test('new problems come first, and decide what is said', async () => {
    const site = bench(
      { 'a.mdx': '' },
      { findings: [finding({ isNew: false, file: 'old.mdx' }), finding({})] },
    );
    expect((await site.run(validate, {})).text).toBe(
      'New since the run began: 1 error, 0 warnings, 0 notes. There before: 1. Fix the new errors before you finish.\n' +
        '- new error mdx_syntax a.mdx:3: The page does not parse. Close the tag.\n' +
        '- error mdx_syntax old.mdx:3: The page does not parse. Close the tag.',
    );
    expect((await site.run(validate, { paths: ['old.mdx'] })).text).toContain(
      'Nothing new stands in the way',
    );
  });

  test('a page comes as readers see it, in parts when it is long', async () => {
    const site = bench({ 'a.mdx': 'x' });
    site.context.site.renderPage = () => Promise.resolve({ markdown: manyLines, findings: [finding({})] });
    const { text } = await site.run(renderPage, { path: 'a.mdx' });
    expect(text).toContain('line 400\n… 500 more lines. Go on with offset 401.');
    expect(text).toContain('Findings:\n- new error');
    expect((await site.run(renderPage, { path: 'b.mdx' })).text).toContain('There is no file b.mdx');
  });
});

describe('diff', () => {
  const changed = (path: string): DiffFile => ({
    path,
    from: null,
    status: 'modified',
    oldMode: '100644',
    newMode: '100644',
    isBinary: false,
    addedLines: 2,
    removedLines: 1,
    before: 'a',
    after: 'b',
  });
  const patch = 'diff --git a/a.mdx b/a.mdx\n-a\n+b\ndiff --git a/b.mdx b/b.mdx\n-c\n+d\u200b';

  test('shows what changed, of all files or of one', async () => {
    const site = bench({}, { diff: { files: [changed('a.mdx'), changed('b.mdx')], patch } });
    expect((await site.run(diff, {})).text).toContain(
      'modified a.mdx (+2 −1)\nmodified b.mdx (+2 −1)\n\ndiff --git',
    );
    const one = (await site.run(diff, { path: 'b.mdx' })).text;
    expect(one).toBe('modified b.mdx (+2 −1)\n\ndiff --git a/b.mdx b/b.mdx\n-c\n+d⟦U+200B⟧');
    expect((await site.run(diff, { path: 'c.mdx' })).text).toBe(
      'c.mdx has not changed. Changed are: a.mdx, b.mdx.',
    );
    expect((await bench({}).run(diff, {})).text).toBe('Nothing has changed.');
  });
});

describe('finish', () => {
  const file = { path: 'a.mdx' } as DiffFile;
  const input = { title: 'Fix', summary: 'Fixed it.' };

  test('ends the run with what the model says of it', async () => {
    const result = await bench({}, { diff: { files: [file], patch: '' } }).run(finish, input);
    expect(result.finished).toEqual({ title: 'Fix', summary: 'Fixed it.', outcome: 'done' });
  });

  test('is refused while there are new errors, unless a reason is given', async () => {
    const site = bench({}, { findings: [finding({})], diff: { files: [file], patch: '' } });
    const refused = await site.run(finish, input);
    expect(refused.finished).toBeUndefined();
    expect(refused.text).toContain('The site has new errors. Fix them, then call finish again');
    expect(refused.text).toContain('a.mdx:3');
    const insisted = await site.run(finish, { ...input, leave_problems: 'The example shows a mistake.' });
    expect(insisted.finished?.summary).toBe('Fixed it.\n\nProblems left: The example shows a mistake.');
  });

  test('is not held up by a check that did not end: the run looks again before anything leaves', async () => {
    const site = bench({}, { diff: { files: [file], patch: '' } });
    site.context.site.validate = () => Promise.reject(new SiteCheckFailed('The check took too long.'));
    expect((await site.run(finish, input)).finished?.outcome).toBe('done');
    expect(await site.run(validate, {})).toEqual({ text: 'The check took too long.', isError: true });
  });

  test('asks for input, or ends without a change, whatever the site is like', async () => {
    const site = bench({}, { findings: [finding({})] });
    expect((await site.run(finish, input)).finished?.outcome).toBe('done');
    expect((await site.run(finish, { ...input, outcome: 'needs_input' })).finished?.outcome).toBe(
      'needs_input',
    );
  });
});

describe('whatever a model sends', () => {
  test('is a refusal of its form or a text, never an exception', async () => {
    const site = bench({
      'docs.json': '{ "navigation": { "pages": ["a"] } }',
      'a.mdx': '[a](a)',
      'b/c.mdx': 'c',
    });
    const paths = [
      'a.mdx',
      'b/c.mdx',
      'docs.json',
      'b',
      'b/new.mdx',
      'a.mdx/x.mdx',
      '',
      '.',
      '..',
      '../x',
      '.git/config',
    ];
    const texts = [
      '\0',
      '\ud800',
      '*',
      '**/*',
      '[',
      '(',
      '\\',
      '-e',
      '--',
      'c',
      '⟦U+FFFFFF⟧',
      '⟦U+D800⟧',
      '$&',
    ];
    const value = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...paths) },
      { weight: 2, arbitrary: fc.constantFrom(...texts) },
      fc.string({ unit: 'binary', maxLength: 2000 }),
      fc.integer(),
      fc.boolean(),
      fc.constant([{ old: 'c', new: 'd' }]),
      fc.anything(),
    );
    const names =
      'path from to old new content pattern glob regex mode offset limit depth edits paths title summary force';
    const input = fc.record(Object.fromEntries(names.split(' ').map((name) => [name, value])), {
      requiredKeys: [],
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tools),
        fc.oneof({ weight: 9, arbitrary: input }, fc.anything()),
        async (tool, raw) => {
          const parsed = tool.input.safeParse(raw);
          if (!parsed.success) return;
          const { text } = await tool.run(site.context, parsed.data);
          expect(text.length).toBeLessThan(60_000);
        },
      ),
      { numRuns: 600, seed: 7 },
    );
  });
});
