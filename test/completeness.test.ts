import { describe, expect, it } from 'vitest';
import { contentOfMarkdown } from '../scripts/completeness/source-content.ts';
import { lossesOf } from '../scripts/completeness/losses.ts';
import { pageContent } from '../scripts/completeness/page-content.ts';
import { renderFiles } from '../packages/render/test/support/render-fixture.ts';

const source = `---
title: Harbour
---

import Part from '/part.mdx'

First paragraph with a [link to the quay](/quay) and \`some code\`.

## A heading

Second paragraph about ropes.

| Name | Depth |
|---|---|
| North | 12 |

![A ship](/ship.png)

\`\`\`js
const anchor = 1; // [!code highlight]
\`\`\`

<Card title="Lighthouse" href="/light">It shines at night.</Card>

<Visibility for="agents">Only agents read this.</Visibility>

{/* A comment that readers do not see. */}
`;

const rendered = `<main><h1>Harbour</h1>
<p>First paragraph with a <a href="quay.html">link to the quay</a> and <code>some code</code>.</p>
<h2 id="a-heading">A heading<a href="#a-heading">#</a></h2>
<p>Second paragraph about ropes.</p>
<table><tr><th>Name</th><th>Depth</th></tr><tr><td>North</td><td>12</td></tr></table>
<p><img src="ship.png" alt="A ship"></p>
<figure><pre><code>const anchor = 1;</code></pre></figure>
<a href="light.html"><h3>Lighthouse</h3><p>It shines at night.</p></a></main>`;

function lost(html: string): string[] {
  return lossesOf(contentOfMarkdown(source).content, pageContent(html)).map(({ kind }) => kind);
}

describe('a component of the source', () => {
  it.each([
    ['<Param path="depth">In metres.</Param>', 'depth'],
    ['<FileTree.Folder name="ropes" />', 'ropes'],
    ['<Important title="Tides">High at noon.</Important>', 'tides'],
  ])('%s has the shown attributes of the catalogue', (text, word) => {
    expect(contentOfMarkdown(text).content.words).toContain(word);
  });

  it('a component of the author decides what its attributes show', () => {
    expect(contentOfMarkdown('<Buoy title="Tides">High at noon.</Buoy>').content.words).not.toContain(
      'tides',
    );
  });
});

describe('a page', () => {
  it('a page that shows all of its source loses nothing', () => {
    expect(lost(rendered)).toEqual([]);
  });

  it.each([
    ['paragraph', /<p>Second.*<\/p>\n/, ['words']],
    ['heading', /<h2.*<\/h2>\n/, ['words', 'headings']],
    ['table', /<table.*<\/table>\n/, ['words', 'tables']],
    ['picture', /<p><img.*<\/p>\n/, ['images']],
    ['code block', /<figure.*<\/figure>\n/, ['words', 'codeBlocks']],
    ['component', /<a href="light.*<\/a>/, ['words', 'links', 'components']],
  ])('a page without a %s of its source is found', (_name, part, kinds) => {
    expect(rendered).toMatch(part);
    expect(lost(rendered.replace(part, ''))).toEqual(kinds);
  });

  it('a link that became plain text is found', () => {
    expect(lost(rendered.replace('<a href="quay.html">link to the quay</a>', 'link to the quay'))).toEqual([
      'links',
    ]);
  });

  it('a page that shows nothing loses everything', () => {
    expect(lost('<main></main>')).toEqual([
      'words',
      'headings',
      'images',
      'codeBlocks',
      'tables',
      'links',
      'components',
    ]);
  });

  it('what is hidden on purpose is explained by a rule', () => {
    expect([...contentOfMarkdown(source).explained.keys()]).toEqual([
      'imports and exports are code',
      'content for agents is in the Markdown of the page',
      'expressions are computed',
    ]);
  });

  it('a page that the renderer made loses nothing', async () => {
    const site = await renderFiles({
      'docs.json': JSON.stringify({ name: 'Site', navigation: { pages: ['index', 'quay', 'light'] } }),
      'index.mdx': source,
      'part.mdx': 'Part',
      'quay.mdx': 'Quay',
      'light.mdx': 'Light',
      'ship.png': '',
    });
    expect(lost(site.files.get('index.html') ?? '')).toEqual([]);
  });
});
