import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffFile, SiteCheckError, type SiteFinding } from '../contract.ts';
import { diff } from './diff.ts';
import { finish } from './finish.ts';
import { tools } from './all-tools.ts';
import { renderPage } from './render-page.ts';
import { bench } from '../../../test/support/tool-bench.ts';
import { validate } from './validate.ts';

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

describe('validate and render_page', () => {
  test('new problems come first and decide the verdict', async () => {
    const site = bench(
      { 'a.mdx': '' },
      { findings: [finding({ isNew: false, file: 'old.mdx' }), finding({})] },
    );
    expect((await site.run(validate, {})).text).toBe(
      'New in this run: 1 error, 0 warnings, 0 notes. Existing: 1. Fix the new errors before you finish.\n' +
        '- new error mdx_syntax a.mdx:3: The page does not parse. Close the tag.\n' +
        '- error mdx_syntax old.mdx:3: The page does not parse. Close the tag.',
    );
    expect((await site.run(validate, { paths: ['old.mdx'] })).text).toContain('There are no new errors');
  });

  test('a page is shown as readers see it, in parts when it is long', async () => {
    const site = bench({ 'a.mdx': 'x' });
    site.context.site.renderPage = () => Promise.resolve({ markdown: manyLines, findings: [finding({})] });
    const { text } = await site.run(renderPage, { path: 'a.mdx' });
    expect(text).toContain('line 400\n… 500 more lines. Continue with offset 401.');
    expect(text).toContain('Findings:\n- new error');
    expect((await site.run(renderPage, { path: 'b.mdx' })).text).toContain('b.mdx does not exist');
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

  test('the changes of all files or of one file are shown', async () => {
    const site = bench({}, { diff: { files: [changed('a.mdx'), changed('b.mdx')], patch } });
    expect((await site.run(diff, {})).text).toContain(
      'modified a.mdx (+2 −1)\nmodified b.mdx (+2 −1)\n\ndiff --git',
    );
    const one = (await site.run(diff, { path: 'b.mdx' })).text;
    expect(one).toBe('modified b.mdx (+2 −1)\n\ndiff --git a/b.mdx b/b.mdx\n-c\n+d⟦U+200B⟧');
    expect((await site.run(diff, { path: 'c.mdx' })).text).toBe(
      'c.mdx has not changed. Changed files: a.mdx, b.mdx.',
    );
    expect((await bench({}).run(diff, {})).text).toBe('Nothing has changed.');
  });
});

describe('finish', () => {
  const file = { path: 'a.mdx' } as DiffFile;
  const input = { title: 'Fix', summary: 'Fixed it.' };

  test('the run ends with the summary of the model', async () => {
    const result = await bench({}, { diff: { files: [file], patch: '' } }).run(finish, input);
    expect(result.finished).toEqual({ title: 'Fix', summary: 'Fixed it.', outcome: 'done' });
  });

  test('new errors refuse the end unless a reason is given', async () => {
    const site = bench({}, { findings: [finding({})], diff: { files: [file], patch: '' } });
    const refused = await site.run(finish, input);
    expect(refused.finished).toBeUndefined();
    expect(refused.text).toContain('The site has new errors. Fix them, then call finish again');
    expect(refused.text).toContain('a.mdx:3');
    const insisted = await site.run(finish, { ...input, leave_problems: 'The example shows a mistake.' });
    expect(insisted.finished?.summary).toBe('Fixed it.\n\nProblems left: The example shows a mistake.');
  });

  test('a failed site check does not block the end, because the run checks again', async () => {
    const site = bench({}, { diff: { files: [file], patch: '' } });
    site.context.site.validate = () => Promise.reject(new SiteCheckError('The check took too long.'));
    expect((await site.run(finish, input)).finished?.outcome).toBe('done');
    expect(await site.run(validate, {})).toEqual({ text: 'The check took too long.', isError: true });
  });

  test('needs_input, or an end without changes, does not depend on the site', async () => {
    const site = bench({}, { findings: [finding({})] });
    expect((await site.run(finish, input)).finished?.outcome).toBe('done');
    expect((await site.run(finish, { ...input, outcome: 'needs_input' })).finished?.outcome).toBe(
      'needs_input',
    );
  });
});

describe('random input', () => {
  test('a tool answers invalid input with an error and never throws', async () => {
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
