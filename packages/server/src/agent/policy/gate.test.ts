import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DiffFile } from '../contract.ts';
import { judge, judgeChange } from './gate.ts';
import { changed, outcomeOf, plainSettings, verdictOn } from '../../../test/support/policy-verdicts.ts';

const page = '---\ntitle: A\n---\n\nText.\n';

describe('the verdict', () => {
  it('an ordinary edit passes without notes', () => {
    const edit = changed('guides/a.mdx', page, `${page}\nMore, with [a link](/b) and <Note>a note</Note>.\n`);
    expect(verdictOn([edit])).toEqual({ outcome: 'pass', notes: [] });
  });

  it('an empty change passes', () => {
    expect(verdictOn([])).toEqual({ outcome: 'pass', notes: [] });
  });

  it('the worst note decides, and notes name rule and file', () => {
    const { outcome, notes } = verdictOn([
      changed('a.mdx', page, `${page}\n[x](https://new.acme.dev)\n`),
      changed('b.mdx', page, `${page}\n<script src="/a.js" />\n`),
    ]);
    expect(outcome).toBe('block');
    expect(notes.map(({ rule, path, outcome: each }) => [rule, path, each])).toEqual([
      ['pages', 'b.mdx', 'block'],
      ['pages', 'b.mdx', 'block'],
      ['addresses', 'a.mdx', 'draft'],
    ]);
  });

  it('an unreadable page is blocked', () => {
    expect(outcomeOf([changed('a.mdx', page, '<div>\n\n{{{ a</b>')])).toBe('block pages');
  });

  it('a blocking note is kept among many smaller ones', () => {
    const links = Array.from({ length: 60 }, (_, index) => `[x](https://host${index}.dev)`).join('\n');
    const verdict = verdictOn([
      changed('a.mdx', page, page + links),
      changed('b.mdx', page, `${page}[x](javascript:x)`),
    ]);
    expect(verdict.outcome).toBe('block');
    expect(verdict.notes.length).toBeLessThanOrEqual(40);
  });
});

describe('file types', () => {
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>';

  it.each([
    ['a new symbolic link', changed('a.mdx', null, '/etc/passwd', { newMode: '120000' })],
    ['a changed symbolic link', changed('a.mdx', 'b', 'c', { oldMode: '120000', newMode: '120000' })],
    ['a removed submodule', changed('lib.md', 'b', null, { oldMode: '160000' })],
    ['a new program', changed('a.mdx', null, page, { newMode: '100755' })],
    ['a file that becomes a program', changed('a.mdx', page, page, { newMode: '100755' })],
    ['a file of unknown mode', changed('a.mdx', page, page, { oldMode: '', newMode: '' })],
    ['bytes', changed('a.mdx', null, null, { status: 'added', newMode: '100644', isBinary: true })],
    ['a file without content', changed('a.mdx', page, null, { status: 'modified', newMode: '100644' })],
    ['control characters', changed('a.mdx', page, `${page}\u001b[31m`)],
    ['bytes that were not UTF-8', changed('a.mdx', page, `${page}\ufffd`)],
  ])('the gate blocks %s', (_, file) => {
    expect(outcomeOf([file])).toBe('block files');
  });

  it('an executable that stays one passes', () => {
    expect(outcomeOf([changed('a.mdx', page, `${page}x`, { oldMode: '100755', newMode: '100755' })])).toBe(
      'pass',
    );
  });

  it('a removed picture makes a draft', () => {
    expect(
      outcomeOf([
        changed('a.png', '', null, { before: null, status: 'removed', oldMode: '100644', isBinary: true }),
      ]),
    ).toBe('draft files');
  });

  it('a plain drawing passes', () => {
    expect(outcomeOf([changed('a.svg', null, drawing)])).toBe('pass');
  });

  it.each([
    '<script>x</script>',
    '<svg:script/>',
    '<foreignObject/>',
    '<path onload="x"/>',
    '<a href="https://evil.dev"/>',
    '<image xlink:href="data:image/png;base64,AA"/>',
    '<style>@import "x"</style>',
    '<path fill="url(https://evil.dev/x)"/>',
    '<a href="&#106;avascript:x"/>',
    '<!DOCTYPE svg [<!ENTITY a "b">]>',
  ])('a drawing with %s is blocked', (part) => {
    expect(outcomeOf([changed('a.svg', drawing, drawing.replace('<path', `${part}<path`))])).toContain(
      'drawings',
    );
  });
});

describe('size and deletion', () => {
  const pages = (count: number, make: (index: number) => DiffFile) =>
    Array.from({ length: count }, (_, index) => make(index));

  it('a change over the limit of files or lines makes a draft', () => {
    expect(outcomeOf(pages(51, (index) => changed(`${index}.mdx`, null, page)))).toBe('draft size');
    expect(outcomeOf([changed('a.mdx', page, page, { addedLines: 5001 })])).toBe('draft size');
  });

  it('a change far over the limit is blocked', () => {
    expect(outcomeOf(pages(201, (index) => changed(`${index}.mdx`, null, page)))).toBe('block size');
    expect(outcomeOf([changed('a.mdx', page, page, { addedLines: Number.NaN })])).toContain('block size');
    expect(outcomeOf([changed('a.txt', null, 'x'.repeat(1_000_001))])).toBe('block size');
  });

  it('removing a tenth of the files makes a draft, removing half blocks', () => {
    const removal = (index: number) => changed(`${index}.mdx`, page, null, { removedLines: 1 });
    expect(outcomeOf(pages(3, removal))).toBe('pass');
    expect(outcomeOf(pages(11, removal))).toBe('draft deletion');
    expect(outcomeOf(pages(51, removal))).toContain('block deletion');
  });

  it('removing a tenth of the text or emptying a page makes a draft', () => {
    expect(outcomeOf([changed('a.mdx', page, page, { addedLines: 0, removedLines: 600 })])).toBe(
      'draft deletion',
    );
    expect(outcomeOf([changed('a.mdx', page, page, { addedLines: 0, removedLines: 2600 })])).toBe(
      'block deletion',
    );
    expect(outcomeOf([changed('a.mdx', page, '\n')])).toBe('draft deletion');
  });
});

describe('the page process', () => {
  it('the process gives the same verdict as the gate', async () => {
    const diff = [
      changed('a.mdx', page, `${page}{fetch("/a")}\n`),
      changed('b.mdx', page, '<div>\n\n{{{ a</b>'),
    ];
    expect(await judgeChange(diff, plainSettings, AbortSignal.timeout(30_000))).toEqual(verdictOn(diff));
  });

  it('the process ends with the run', async () => {
    const diff = [changed('a.mdx', page, `${page}x`)];
    await expect(judgeChange(diff, plainSettings, AbortSignal.abort())).rejects.toThrow();
  });
});

describe('random changes', () => {
  const text = fc.option(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            '<a',
            ' href=',
            '"',
            '{',
            '}',
            '$ref',
            ':',
            '//',
            'javascript:',
            '\n',
            '---',
            '[',
            ']',
            '(',
            ')',
            '%41',
            '\u200d',
            '\ud800',
            '<!--',
            ',',
          ),
        )
        .map((parts) => parts.join('')),
    ),
    { nil: null },
  );
  const file = fc.record({
    path: fc.oneof(fc.constantFrom('a.mdx', 'docs.json', 'a.svg', 'b.yaml'), fc.string({ unit: 'binary' })),
    from: fc.option(fc.string(), { nil: null }),
    status: fc.constantFrom('added', 'modified', 'removed', 'moved', 'odd'),
    oldMode: fc.constantFrom('100644', '000000', '120000', ''),
    newMode: fc.constantFrom('100644', '000000', '__proto__', ''),
    isBinary: fc.boolean(),
    addedLines: fc.nat(),
    removedLines: fc.nat(),
    before: text,
    after: text,
  }) as fc.Arbitrary<DiffFile>;

  it('the gate never throws and is deterministic', () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 4 }), (diff) => {
        expect(verdictOn(diff)).toEqual(verdictOn(diff));
      }),
      { numRuns: 300 },
    );
  });

  it('an unread page never passes', () => {
    fc.assert(
      fc.property(file, (each) => {
        fc.pre(each.status !== 'removed');
        const unread = { ...each, path: 'a.mdx', after: each.after ?? '' };
        expect(judge([unread], plainSettings, new Map()).outcome).toBe('block');
      }),
      { numRuns: 200 },
    );
  });

  it('a failing rule blocks the change', () => {
    const broken = [{ ...changed('a.mdx', page, page), path: undefined as unknown as string }];
    expect(judge(broken, plainSettings, new Map()).outcome).toBe('block');
  });
});
