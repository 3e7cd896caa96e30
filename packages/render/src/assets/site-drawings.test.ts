import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readDrawing } from './site-drawings.ts';

const folder = mkdtempSync(join(tmpdir(), 'docyard-drawings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string | Uint8Array) {
  writeFileSync(join(folder, 'a.svg'), text);
  return readDrawing(join(folder, 'a.svg'), 'images/a.svg');
}

const svg = (inner: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"${attributes}>${inner}</svg>`;

describe('a drawing of the repository', () => {
  it.each([
    ['shapes', svg('<path d="M0 0"/>')],
    ['a comment about data: and scripts', svg('<!-- <script> --><text aria-label="data: x">on load</text>')],
    [
      'text in HTML, as diagram editors write it',
      svg(
        '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml" style="color: red">Box</div></foreignObject>',
      ),
    ],
    ['an embedded font', svg('<style>@font-face { src: url(data:font/woff2;base64,AA==) }</style>')],
    [
      'entities of a drawing program',
      `<!DOCTYPE svg [\n<!ENTITY ns_svg "http://www.w3.org/2000/svg">\n]>\n<svg xmlns="&ns_svg;"/>`,
    ],
    ['a link', svg('<a href="https://example.com/"><path d="M0"/></a>')],
  ])('a drawing with %s is unchanged', (_what, text) => {
    expect(read(text)).toEqual({ kind: 'unchanged' });
  });

  it.each([
    ['a script', svg('<script>alert(1)</script>')],
    ['a script with a prefix', svg('<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>')],
    ['a handler', svg('', ' onload="alert(1)"')],
    ['an address that runs', svg('<a xlink:href="java&#x9;script:alert(1)"><path d="M0"/></a>')],
    [
      'an address that an entity hides',
      `<!DOCTYPE svg [<!ENTITY j "javascript">]>${svg('<a href="&j;:alert(1)"/>')}`,
    ],
    ['an animated address', svg('<a><animate attributeName="href" to="https://x.test"/></a>')],
    [
      'an embedded page',
      svg(
        '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="https://x.test"/></foreignObject>',
      ),
    ],
    ['a page in an attribute', svg('<use href="data:text/html,x"/>')],
    ['a stylesheet that is a program', `<?xml-stylesheet type="text/xsl" href="a.xsl"?>${svg('')}`],
    ['an encoding that hides tags', `<?xml version="1.0" encoding="ISO-2022-JP"?>${svg('')}`],
  ])('a drawing loses %s, which is reported', (_what, text) => {
    const drawing = read(text);
    expect(drawing).toMatchObject({ kind: 'cleaned', finding: { code: 'svg_active', file: 'images/a.svg' } });
    if (drawing.kind === 'cleaned')
      expect(drawing.content).not.toMatch(/script|onload|iframe|xsl|to=|data:|encoding/i);
  });

  it.each([
    ['is not well-formed', '<svg><script>alert(1)</script><g></svg>'],
    ['is in another encoding', Buffer.from(`\ufeff${svg('<script/>')}`, 'utf16le')],
    ['declares entities of entities', '<!DOCTYPE svg [<!ENTITY a "&b;">]><svg>&a;</svg>'],
    ['is too large', `<svg>${' '.repeat(10_000_001)}</svg>`],
  ])('a drawing that %s is omitted and reported', (_what, text) => {
    expect(read(text)).toMatchObject({ kind: 'refused', finding: { code: 'svg_unreadable' } });
  });
});
