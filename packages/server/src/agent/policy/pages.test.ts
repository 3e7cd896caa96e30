import { describe, expect, it } from 'vitest';
import { changed, outcomeOf } from '../../../test/support/policy-verdicts.ts';

const base = 'Text.\n';
const adding = (text: string, before = base) => outcomeOf([changed('a.mdx', before, `${before}\n${text}\n`)]);

describe('additions that pass', () => {
  it.each([
    '## Heading\n\n- a list\n- `code()`',
    '```js\neval(document.cookie)\n```',
    '<Card title="A" href="/b" icon="rocket">Text</Card>',
    '<Steps>\n<Step title="One">Do {1 + 1}.</Step>\n</Steps>',
    '<img className="block dark:hidden" src="/a.png" />',
    '<Frame style={{ width: "50%" }}>![a](/a.png)</Frame>',
    '<video controls src="/a.mp4"></video>',
    '<Component once only />',
    '<a href={address}>a</a>',
  ])('%s passes', (text) => expect(adding(text)).toBe('pass'));
});

describe('additions that are blocked', () => {
  it.each([
    ["import A from '/snippets/a.jsx'", 'pages'],
    ['export const a = 1', 'pages'],
    ['{fetch("/api")}', 'pages'],
    ['{new Image()}', 'pages'],
    ['{[1].map((a) => a)}', 'pages'],
    ['{document.cookie}', 'pages'],
    ['{a["b"].constructor}', 'pages'],
    ['{(() => { for (;;) {} })}', 'pages'],
    ['<script>x</script>', 'pages'],
    ['<SCRIPT src="/a" />', 'pages'],
    ['{yes && <script />}', 'pages'],
    ['<iframe src="/a"></iframe>', 'pages'],
    ['<object data="/a" />', 'pages'],
    ['<embed src="/a" />', 'pages'],
    ['<form action="/a"></form>', 'pages'],
    ['<meta httpEquiv="refresh" content="0" />', 'pages'],
    ['<style>a</style>', 'pages'],
    ['<div onClick="x">a</div>', 'pages'],
    ['<Card onMouseOver={go} />', 'pages'],
    ['<img src="/a" onerror="x" />', 'pages'],
    ['<div dangerouslySetInnerHTML={{ __html: "a" }} />', 'pages'],
    ['<div {...rest} />', 'pages'],
    ['<a href={"java" + "script:x"}>a</a>', 'pages'],
    ['<a href={`${a}:x`}>a</a>', 'pages'],
    ['[a](javascript:x)', 'addresses'],
    ['[a](  JaVaScRiPt:x)', 'addresses'],
    ['<a href="java&#x0A;script:x">a</a>', 'addresses'],
    ['<a href="&#1;javascript:x">a</a>', 'addresses'],
    ['![a](data:image/svg+xml;base64,PHN2Zz4=)', 'addresses'],
    ['<Card title="A" link="vbscript:x" />', 'addresses'],
  ])('%s is blocked', (text, rule) => expect(adding(text)).toBe(`block ${rule}`));
});

describe('imports', () => {
  it('importing a snippet makes a draft', () => {
    expect(adding("import Setup from '/snippets/setup.mdx'")).toBe('draft pages');
    const before = "import A from '/snippets/a.jsx'\n\nText.\n";
    const after = "import A from '/snippets/a.jsx'\nimport B from './b.mdx'\n\nText.\n";
    expect(outcomeOf([changed('a.mdx', before, after)])).toBe('draft pages');
    expect(outcomeOf([changed('a.mdx', after, before)])).toBe('pass');
  });

  it.each([
    "import Setup from 'https://evil.dev/setup.mdx'",
    "import '/snippets/setup.mdx'",
    "import Setup from '/snippets/setup.mdx'; fetch('/a')",
    "import * as Setup from '/snippets/setup.mdx'",
    'import {\n  a,\n} from "/snippets/a.mdx"',
  ])('another import is blocked: %s', (text) => expect(adding(text)).toContain('block'));

  it('an import does not hide a changed export', () => {
    const before = 'export const a = 1\nexport const b = 2\n\nText.\n';
    expect(outcomeOf([changed('a.mdx', before, before.replace('2', '3'))])).toBe('block pages');
    expect(outcomeOf([changed('a.mdx', before, 'Text.\n')])).toBe('pass');
  });
});

describe('existing code', () => {
  const list = 'export const items = ["a"]\n\n{items.map((item) => <li>{item}</li>)}\n';

  it('unchanged code passes', () => expect(adding('More text.', list)).toBe('pass'));

  it('changed code makes a draft', () => {
    const after = list.replace('{item}', 'Item {item}');
    expect(outcomeOf([changed('a.mdx', list, after)])).toBe('draft pages');
  });

  it('repeated code with other arguments is blocked', () => {
    expect(adding('{items.forEach((item) => item)}', list)).toBe('block pages');
  });

  it('a second frame, or another address in the first, is blocked', () => {
    const frame = '<iframe src="https://docs.acme.io/video"></iframe>\n';
    expect(adding('Text', frame)).toBe('pass');
    expect(adding('<iframe src="https://docs.acme.io/video"></iframe>', frame)).toBe('block pages');
    expect(outcomeOf([changed('a.mdx', frame, frame.replace('video', 'other'))])).toBe('block pages');
  });

  it('the same code in another page is blocked', () => {
    expect(outcomeOf([changed('b.mdx', null, list)])).toBe('block pages');
  });

  it('code may move with its page', () => {
    expect(outcomeOf([changed('b.mdx', list, list, { status: 'moved', from: 'a.mdx' })])).toBe('pass');
  });

  it('code from a file that was not a page is blocked', () => {
    const move = changed('b.mdx', '<script />', '<script />', { status: 'moved', from: 'a.txt' });
    expect(outcomeOf([move])).toBe('block pages');
  });
});
