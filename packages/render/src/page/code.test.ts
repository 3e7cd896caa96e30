import { beforeAll, describe, expect, it } from 'vitest';
import { type Rendered, renderFiles } from '../../test/support/render-fixture.ts';

const files = {
  'docs.json': '{ "name": "Code", "navigation": ["index", "bad", "plain", "static"] }',
  'index.mdx': `import { Old, Twice } from '/snippets/parts.tsx'
import Greeting from '/snippets/greeting.mdx'
import data from '/snippets/data.json'
import { Boxed } from '/snippets/boxed.jsx'

export const Loud = ({ children }) => <q>{typeof children === 'string' ? [...children.toUpperCase()].join('') : children}</q>
export const Counted = ({ children }) => <s>{children.length}</s>
export const Listed = ({ children }) => <s>{[...new Set(children)].length}</s>
export const words = ['b', 'a'].sort()
export const Box = ({ children, title }) => <div className="box">{title.replace(/a/g, 'o')}: {children}</div>

Sorted {words.join(' ')}, {new Date().getFullYear()}, {(1234.5).toLocaleString()}, {data.n.toFixed(1)}, {notDefined}, {"a", "b"}.

<Box title="banana">**Bold** <Old n={2} /></Box>

<Card title={[...'ab'].reverse().join('')} icon={<i>{new Date(0).getTime()}</i>} {...Object.fromEntries([['href', '/plain']])}>Body</Card>

<Greeting name="Ada">there</Greeting>

{[1, 2].map((n) => { let m = n; m += 1; return <Twice key={n} n={m} />; })}

{['x'].toSorted().map((name) => <Greeting name={name} />)}

<MintlifyComponents.Note>Noted.</MintlifyComponents.Note>

<Boxed />

<Loud>so it is</Loud> <Loud>**so**</Loud>

<Counted>{'so'} it is</Counted> <Listed>{'so'} it is</Listed>
`,
  'snippets/parts.tsx': `interface Props { n: number }
export const Old = ({ n }: Props) => { const made = new Map([[1, n]]); return <b>{made.get(1)}</b>; };
export const Twice = ({ n }: Props) => { let sum = 0; for (let i = 0; i < 2; i++) sum += n; return <i>{sum}</i>; };
`,
  'snippets/boxed.jsx': `const { useState } = React;
const { Card, Columns } = MintlifyComponents;
export const Boxed = () => <Columns cols={2}><Card title="In a box" /></Columns>;
`,
  'snippets/greeting.mdx': "Hello {[...name].reverse().join('')} {children}\n",
  'snippets/data.json': '{ "n": 3 }',
  'snippets/fails.jsx': `export const Fails = () => {
  const settings = JSON.parse('{}');
  return <p>{settings.title.length}</p>;
};
`,
  'bad.mdx': `import { Fails } from '/snippets/fails.jsx'

Before.

<Fails />

<Note>{(() => { for (;;); })()}</Note>

After {[1].toSorted()}.

{import('fs')}
`,
  'plain.mdx': 'Nothing to compute.\n',
  'static.mdx': 'A sum: {1 + 2}.\n',
};

describe('code that must be run', () => {
  let site: Rendered;
  beforeAll(async () => {
    site = await renderFiles(files, { committedAt: '2024-05-06T07:08:09Z' });
  });

  it('the results of expressions, properties and components are shown', () => {
    const html = site.content('index.html');
    expect(html).toContain('<p>Sorted a b, 2024, 1,234.5, 3.0, {notDefined}, {"a", "b"}.</p>');
    expect(html).toContain('<div class="box">bonono: <strong>Bold</strong> <b>2</b></div>');
    expect(html).toContain('<p class="dy-card-title" data-component-part="card-title">ba</p>');
    expect(html).toMatch(/<a class="dy-card card dy-card-link" href="plain.html">.*<i>0<\/i>/);
    expect(html).toContain('<p>Hello adA there</p>');
    expect(html).toContain('<i>4</i><i>6</i>');
    expect(html).toContain('<p>Hello x </p>');
    expect(html).toContain(
      '<div class="dy-callout-body" data-component-part="callout-content">Noted.</div></aside>',
    );
    expect(html).toMatch(
      /<div class="dy-cards dy-cards-2 columns card-group"><div class="dy-card card">.*In a box/,
    );
    expect(html).toContain('<q>SO IT IS</q>\n<q><strong>so</strong></q>');
    expect(html).toContain('<s>2</s>\n<s>2</s>');
    expect(html).not.toContain('docyard-island');
  });

  it('the Markdown of a page contains the results of its code', () => {
    const text = site.files.get('index.md') ?? '';
    expect(text).toContain('Sorted a b, 2024, 1,234.5, 3.0, {notDefined}, {"a", "b"}.');
    expect(text).toContain('<div>bonono: **Bold** <b>2</b></div>');
    expect(text).toContain('Hello adA there');
    expect(text).toContain('<q>SO IT IS</q> <q>**so**</q>');
  });

  it('failing code is reported by name and place, and the rest of the page is rendered', () => {
    expect(site.content('bad.html')).toMatch(/<p>Before\.<\/p>.*<p>After 1\.<\/p>/s);
    const reported = site.diagnostics.filter(({ code }) => code.startsWith('code_'));
    expect(reported.map(({ code, file, line }) => [code, file, line])).toEqual([
      ['code_failed', 'snippets/fails.jsx', 3],
      ['code_timeout', 'bad.mdx', 7],
    ]);
    const unread = site.diagnostics.find(({ line, file }) => file === 'bad.mdx' && line === 11);
    expect(unread?.message).toBe("{import('fs')} was left out: import() is not available in pages");
    expect(reported[0]?.message).toBe(
      "<Fails> shows nothing: TypeError: cannot read property 'length' of undefined",
    );
  });
});

it('code is not run without a sandbox, and static parts are still rendered', async () => {
  const { content, diagnostics } = await renderFiles(files, {
    customCode: { refused: 'bubblewrap is missing' },
  });
  expect(content('static.html')).toContain('A sum: 3.');
  expect(content('bad.html')).toMatch(/<p>Before\.<\/p>.*<p>After \.<\/p>/s);
  const reported = diagnostics.filter(({ file, code }) => file === 'bad.mdx' && code.startsWith('code_'));
  expect(new Set(reported.map(({ code }) => code))).toEqual(new Set(['code_refused']));
  expect(reported[0]?.message).toContain('bubblewrap is missing');
});
