import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultIdentity } from './commit-identity.ts';
import { type ChangeFacts, commitMessage, pullRequestText } from './text.ts';

const facts: ChangeFacts = {
  jobId: 'aj_1',
  prompt: 'Fix the link in the quickstart.',
  title: 'Fix a link in the quickstart',
  summary: 'The link led nowhere. It leads to `/install` now.\n\n- changed one page',
  reason: 'done',
  problem: null,
  earlier: [],
  files: [
    { path: 'quickstart.mdx', from: null, status: 'modified', addedLines: 1, removedLines: 1 },
    { path: 'new.mdx', from: 'old.mdx', status: 'moved', addedLines: 0, removedLines: 0 },
  ],
  baseBranch: 'main',
  baseUpdate: null,
  findings: [],
  findingsBefore: 1,
  verdict: { outcome: 'pass', notes: [] },
  usage: { inputTokens: 12_345, outputTokens: 678, cacheReadTokens: 0, steps: 9 },
  model: 'local-model',
  previewUrl: 'https://docs.acme.io/previews/1',
  messageUrl: 'https://docs.acme.io/v2/agent/pr_1/job/aj_1/message',
  template: null,
  evidence: [],
  samples: null,
  secrets: [],
};
const bodyOf = (change: Partial<ChangeFacts>) => pullRequestText({ ...facts, ...change }).body;
const titleOf = (title: string) => pullRequestText({ ...facts, title }).title;

describe('a pull request', () => {
  it('a resumed job lists every instruction and keeps the first title', () => {
    const first = {
      prompt: 'Add a page.\nAbout ropes.',
      title: 'Add a page about ropes',
      summary: 'It is new.',
    };
    const { title, body } = pullRequestText({ ...facts, earlier: [first] });
    expect(title).toBe('Add a page about ropes');
    expect(body).toContain(`### Instructions

> Add a page.
> About ropes.

It is new.

> Fix the link in the quickstart.

### Changes`);
    expect(commitMessage({ ...facts, earlier: [first] })).toMatch(/^Fix a link in the quickstart\n/);
  });

  it('evidence is listed with links to its lines, and its words are only text', () => {
    const url = 'https://git.example.com/api/blob/1a2b3c4/src/(a).ts#L1-L2';
    const sources = [
      { text: 'api@1a2b3c4:src/`a|b`.ts#L1-L2', url },
      { text: 'guides/start.mdx#L3', url: null },
      { text: 'x', url: 'javascript:alert(1)' },
    ];
    const statement = 'The port is 80. @ada fixes #1 <img src=x> [go](https://evil.dev)';
    const body = bodyOf({ evidence: [{ page: 'new.mdx', statement, sources }] });
    const [, section = ''] = body.split('### Evidence\n\n');
    expect(section).toContain(
      "[`api@1a2b3c4:src/'a\\|b'.ts#L1-L2`](https://git.example.com/api/blob/1a2b3c4/src/%28a%29.ts#L1-L2), `guides/start.mdx#L3`, `x`",
    );
    expect(section).not.toMatch(/@ada|#1\b|<img|\]\(https:\/\/evil/);
  });

  it('code samples are listed with what they printed as plain text, without credentials', () => {
    const sample = { path: 'new.mdx', line: 7, language: 'python', exitCode: 1, problem: 'exit code 1' };
    const results = [
      { ...sample, exitCode: 0, problem: '', output: '' },
      { ...sample, output: 'Traceback:\n\n  `x` @ada fixes #1\nNameError' },
      { ...sample, output: 'key: seagull-42-harbour' },
    ];
    const notRun = { count: 2, reason: 'At most 20 samples are run.' };
    const [, section = ''] = bodyOf({
      samples: { results, notRun },
      secrets: ['seagull-42-harbour'],
    }).split('### Code samples\n\n');
    expect(section.split('\n\n')[0]).toBe(
      [
        '- `new.mdx:7` (python) passed',
        "- `new.mdx:7` (python) **failed**: exit code 1: `Traceback: / 'x' @ada fixes #1 / NameError`",
        '- `new.mdx:7` (python) **failed**: exit code 1: `(Text that resembles a credential was removed.)`',
        '- Changed code samples that were not run: 2. At most 20 samples are run.',
      ].join('\n'),
    );
  });

  it('only the newest of many instructions are shown, without secrets', () => {
    const secret = 'sk-0123456789abcdefghij';
    const earlier = Array.from({ length: 13 }, (_, index) => ({
      prompt: `Step ${index + 1}, says @ada.`,
      title: '',
      summary: index === 12 ? `The key is ${secret}.` : '',
    }));
    const body = bodyOf({ earlier, secrets: [secret] });
    expect(body).toContain('The first 3 instructions are omitted.');
    expect(body).not.toContain('Step 3,');
    expect(body).toContain('Step 4,');
    expect(body).not.toMatch(/(?<![`\w])@ada/);
    expect(body).not.toContain(secret);
  });

  it('the body lists instructions, changes, checks and how to continue', () => {
    expect(pullRequestText(facts)).toEqual({
      title: 'Fix a link in the quickstart',
      body: `The link led nowhere. It leads to \`/install\` now.

- changed one page

### Instructions

> Fix the link in the quickstart.

### Changes

| File | Change | Lines |
| --- | --- | ---: |
| \`quickstart.mdx\` | changed | +1 −1 |
| \`new.mdx\` | moved from \`old.mdx\` | +0 −0 |

### Checks

The site builds without new problems (findings: 1 before, 0 now).

### How to continue

- [Preview of this branch](https://docs.acme.io/previews/1)
- Ask for changes: \`POST https://docs.acme.io/v2/agent/pr_1/job/aj_1/message\` with a \`prompt\`. The agent continues on this branch.

Job \`aj_1\` · model \`local-model\` · 9 steps · 12,345 input tokens, 678 output tokens
`,
    });
  });

  it('new problems are listed with errors first, then the review notes', () => {
    const finding = { code: 'link_missing', message: 'No such page', file: 'a.mdx', line: 3, hint: null };
    const body = bodyOf({
      findings: [
        { ...finding, severity: 'warning', isNew: true, line: null },
        { ...finding, severity: 'error', isNew: true },
        { ...finding, severity: 'error', isNew: false, message: 'Old' },
      ],
      verdict: {
        outcome: 'draft',
        notes: [{ rule: 'addresses', path: 'a.mdx', message: 'New host', outcome: 'draft' }],
      },
    });
    expect(body).toContain(
      '**New problems: 2** (findings: 1 before, 3 now).\n- error `link_missing` in `a.mdx:3`: No such page\n- warning `link_missing` in `a.mdx`: No such page\n',
    );
    expect(body).toContain('### Review notes\n\n- `addresses` `a.mdx`: New host\n');
    expect(body).not.toContain('Old');
  });

  it.each(['budget', 'timeout', 'stalled', 'context_overflow'] as const)(
    'work that ended as %s is marked as incomplete, with the escaped problem',
    (reason) => {
      const problem = 'The agent asked @ada to\n[log in](https://strange-harbour.net/).';
      const body = bodyOf({ reason, problem });
      expect(body).toMatch(/^\*\*This work is incomplete: /);
      expect(body).toContain('\n\nThe agent asked @&zwnj;ada to \\[log in\\]');
    },
  );

  it('files that conflict with the base branch are listed, escaped', () => {
    const files = ['index.mdx', 'a`b @ada.mdx', ...Array.from({ length: 60 }, (_, index) => `${index}.mdx`)];
    const body = bodyOf({ baseUpdate: { outcome: 'conflicts', base: 'a'.repeat(40), files } });
    expect(body).toContain('### Conflicts with `main`\n\nBoth branches changed');
    expect(body).toContain("- `index.mdx`\n- `a'b @ada.mdx`\n- `0.mdx`\n");
    expect(body).toContain('- and 12 more\n');
  });

  it('a base branch that was merged needs no note, and a rewritten one has one', () => {
    const base = 'a'.repeat(40);
    const date = '2026-03-01T12:00:00.000Z';
    const merged = { outcome: 'merged', base, forkPoint: base, date, identity: defaultIdentity } as const;
    expect(bodyOf({ baseUpdate: merged })).toBe(bodyOf({}));
    expect(bodyOf({ baseUpdate: { outcome: 'rewritten', base } })).toContain(
      '### Not merged with `main`\n\nThe history of `main` was rewritten',
    );
  });

  it('a problem that contains a credential is left out', () => {
    const secret = 'sk-0123456789abcdefghij';
    const body = bodyOf({ reason: 'stalled', problem: `Key ${secret} refused.`, secrets: [secret] });
    expect(body).not.toContain(secret);
  });

  it('the text stays within the limits of forges for any input', () => {
    const long = '@[&<'.repeat(20_000);
    const body = bodyOf({
      summary: long,
      prompt: long,
      template: long,
      files: Array.from({ length: 500 }, () => ({ ...facts.files[0]!, path: long })),
      findings: Array.from({ length: 500 }, () => ({
        severity: 'error',
        code: 'x',
        message: long,
        file: long,
        line: 1,
        hint: null,
        isNew: true,
      })),
      verdict: {
        outcome: 'draft',
        notes: Array.from({ length: 500 }, () => ({
          rule: 'x',
          path: long,
          message: long,
          outcome: 'draft',
        })),
      },
    });
    expect(body.length).toBeLessThan(62_000);
  });

  it('only web addresses are linked', () => {
    expect(bodyOf({ previewUrl: 'javascript:x' })).not.toContain('Preview');
    expect(bodyOf({ previewUrl: 'https://a.io/x) [y](https://evil.dev' })).not.toContain('](https://evil');
  });
});

describe('a template of the repository', () => {
  it('the template is filled in: headings and check boxes stay, comments are removed', () => {
    const template =
      '<!-- Describe it -->\n## Description\n\n<!-- here -->\n\n## Checklist\n\n- [ ] I read the guide\n';
    expect(bodyOf({ template, summary: 'Done.' })).toMatch(
      /^## Description\n\nDone\.\n\n## Checklist\n\n- \[ \] I read the guide\n\n### Instructions/,
    );
  });

  it('a template without a place for the summary follows it', () => {
    expect(bodyOf({ template: '- [ ] Signed', summary: 'Done.' })).toMatch(/^Done\.\n\n- \[ \] Signed\n/);
  });

  it.each([
    ['[guide](https://evil.dev)', '[guide]\\(https:&zwnj;//evil.dev)'],
    ['](https://', ']\\(https:&zwnj;//'],
    ['[guide][1]\n\n[1]: https://evil.dev', '[guide]\\[1]\n\n[1]\\: https:&zwnj;//evil.dev'],
    ['fixes https://git.dev/a/issues/1', 'fixes https:&zwnj;//git.dev/a/issues/1'],
    ['see www.evil.dev', 'see www&zwnj;.evil.dev'],
    ['cc &commat;alice', 'cc &amp;commat;alice'],
    ['fixes ABC-12', 'fixes ABC&zwnj;-12'],
  ])('the template links, mentions and closes nothing: %s', (template, expected) => {
    expect(bodyOf({ template, summary: 'Done.' })).toContain(`Done.\n\n${expected}\n`);
  });

  it('the template cannot give commands', () => {
    const body = bodyOf({ template: '/merge\ncc @acme/docs\nfixes #1\n<img src=x>' });
    expect(body).toContain('\\/merge\ncc @&zwnj;acme/docs\nfixes #&zwnj;1\n&lt;img src=x>');
  });
});

describe('text by a model', () => {
  it.each([
    ['thanks @alice and @acme/team', 'thanks @&zwnj;alice and @&zwnj;acme/team'],
    ['fixes #12, closes acme/docs#3', 'fixes #&zwnj;12, closes acme/docs#&zwnj;3'],
    ['resolves GH-4 and fixes ABC-12', 'resolves GH&zwnj;-4 and fixes ABC&zwnj;-12'],
    ['closes !5', 'closes !&zwnj;5'],
    ['see https://evil.dev/x?y=1.', 'see `https://evil.dev/x?y=1`.'],
    ['[click](https://evil.dev)', '\\[click\\](`https://evil.dev`)'],
    ['![x](//evil.dev/a.png)', '!\\[x\\](//evil.dev/a.png)'],
    ['<img src=x onerror=y>', '&lt;img src=x onerror=y&gt;'],
    ['/merge', '\\/merge'],
    ['# Title', '\\# Title'],
    ['---', '\\---'],
    ['use `npm i @acme/cli`', 'use `npm i @acme/cli`'],
    ['run `fixes #1`', 'run \\`fixes #&zwnj;1\\`'],
    ['@`name #1`', '@\\`name #&zwnj;1\\`'],
    ['Signed-off-by: Eve', 'Signed-off-by&colon; Eve'],
    ['[skip ci]', '\\[skip ci\\]'],
    ['a\u202eb\u200bc\u0007d', 'abcd'],
    ['$`x`$', '&dollar;`x`&dollar;'],
    ['UTF-8 and a_b', 'UTF-8 and a\\_b'],
  ])('%j is sanitized', (text, expected) => {
    expect(bodyOf({ summary: text }).split('\n\n')[0]).toBe(expected);
  });

  it.each([
    ['fix: Fixes #12 for @alice', 'fix – Fixes # 12 for @ alice'],
    ['Draft: WIP: [draft] Title', 'Title'],
    ['[skip ci] Title.', 'Title'],
    ['See https://evil.dev/a', 'See ‹evil.dev›'],
    ['  \n', 'Update the documentation'],
    ['One\nTwo', 'One'],
    ['x'.repeat(300), `${'x'.repeat(99)}…`],
  ])('%j is sanitized as a title', (text, expected) => {
    expect(titleOf(text)).toBe(expected);
  });

  it('text with a credential is removed', () => {
    const secret = 'correct-horse-battery';
    const body = bodyOf({
      secrets: [secret],
      summary: `It is ${Buffer.from(secret).toString('base64')}`,
      title: secret,
    });
    expect(body).toMatch(/^\(Text that resembles a credential was removed\.\)/);
  });
});

describe('a commit message', () => {
  it('the message has a short subject, a wrapped body and a trailer', () => {
    const message = commitMessage({
      ...facts,
      title: 'A title that is much longer than what fits into the first line of a commit message',
      summary: `${'word '.repeat(30)}\n\nCo-authored-by: Eve <eve@evil.dev>\nAgent-Job: other\nskip-checks: true`,
    });
    const lines = message.split('\n');
    expect(lines[0]?.length).toBeLessThanOrEqual(72);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(74);
    expect(message).toMatch(/\n\nAgent-Job: aj_1\n$/);
    expect(message.match(/^[\w-]+: /gm)).toEqual(['Agent-Job: ']);
  });
});

describe('random text by a model', () => {
  const piece = fc.constantFrom(
    '@',
    '#',
    '!',
    '`',
    '``',
    'alice',
    '12',
    ' ',
    '\n',
    'fixes ',
    'Closes: ',
    'resolve ',
    'GH-',
    'ABC-',
    'https://',
    'www.',
    'evil.dev',
    '[',
    ']',
    '(',
    ')',
    '<',
    '>',
    '<script>',
    '&',
    '&#64;',
    '&commat;',
    '\\',
    '*',
    '_',
    '~',
    '|',
    '/',
    '/close',
    '$',
    '{',
    '}',
    '\u200b',
    '\u202e',
    '\0',
    '\ud83d',
    '👍',
    '＠',
    '- ',
    '1. ',
    '> ',
    '# ',
    '---',
    'Signed-off-by: ',
    ':',
    '\t',
    '"',
    '.',
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  /** Forges look for mentions outside code, after decoding entities. */
  const withoutCode = (body: string) =>
    body.replaceAll(/\\(?=[!-/:-@[-`{-~])([\s\S])|`[^`\n]*`/g, (_, kept?: string) => kept ?? '¤');
  /** An escaped bracket or parenthesis cannot be part of a link. */
  const withoutEscapes = (body: string) => body.replaceAll(/\\[!-/:-@[-`{-~]|`[^`\n]*`/g, '¤');
  const asRead = (body: string) => withoutCode(body).replaceAll('&zwnj;', '\u200c').replaceAll('&amp;', '&');
  const closing =
    /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?[^\S\n]+(?:\S*#\d|GH-\d|[A-Z]+-\d|!\d|https?:)/i;
  const ownParts = (body: string) => body.replaceAll(/\]\(https:\/\/docs\.acme\.io[^)]*\)/g, ']');

  it('a pull request mentions no user, closes no issue and contains no link or markup', () => {
    fc.assert(
      fc.property(text, text, text, (summary, prompt, path) => {
        const files = [{ ...facts.files[0]!, path }];
        const notes = [{ rule: 'x', path, message: prompt, outcome: 'draft' as const }];
        const body = ownParts(
          bodyOf({
            summary,
            prompt,
            files,
            model: path,
            template: prompt,
            verdict: { outcome: 'draft', notes },
          }),
        );
        const read = asRead(body);
        expect(read).not.toMatch(/@[\p{L}\p{N}_/]/u);
        expect(read).not.toMatch(/#\d|(?<![a-z0-9])GH-\d/i);
        expect(withoutEscapes(body)).not.toMatch(/\]\(https?:/i);
        expect(read).not.toMatch(/<[a-z/!]/i);
        expect(body).not.toMatch(/^\s*\/\w/m);
        expect(body).not.toMatch(/(?!\n|\t)[\p{C}\p{Default_Ignorable_Code_Point}]/u);
      }),
      { numRuns: 1500 },
    );
  });

  it('the body is harmless as a commit message', () => {
    fc.assert(
      fc.property(text, text, (summary, prompt) => {
        const body = ownParts(bodyOf({ summary, prompt, messageUrl: null }));
        expect(body).not.toMatch(closing);
        expect(withoutCode(body)).not.toMatch(/\bhttps?:\/\/|\bwww\.\w/i);
      }),
      { numRuns: 1500 },
    );
  });

  it('addresses without a scheme or assembled from pieces are removed', () => {
    for (const summary of ['://close', 'https:**//evil.example', ':[skip ci]//x'])
      expect(commitMessage({ ...facts, title: 'Mend', summary })).not.toContain('://');
  });

  it('titles and commit messages are as harmless', () => {
    fc.assert(
      fc.property(text, text, (title, summary) => {
        const plain = `${titleOf(title)}\n\n${commitMessage({ ...facts, title, summary })}`;
        expect(plain).not.toMatch(/@[^\s]|#[^\s]|(?<![a-z0-9])GH-\d|:\/\/|\[skip ci\]|<|^\/|^\s*\/\w/im);
        expect(plain).not.toMatch(closing);
        expect(plain.match(/^[A-Za-z][\w-]*: /gm)).toEqual(['Agent-Job: ']);
        expect(plain).not.toMatch(/(?!\n)[\p{C}\p{Default_Ignorable_Code_Point}]/u);
      }),
      { numRuns: 1500 },
    );
  });
});
