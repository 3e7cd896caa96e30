import { describe, expect, it } from 'vitest';
import { safeSvg } from './safe-svg.ts';

const svg = (inner: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg"${attributes}>${inner}</svg>`;
const opening = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

describe('an untrusted drawing', () => {
  it('a harmless drawing is unchanged', () => {
    const badge =
      '<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><!-- made by hand -->' +
      svg(
        '<title>build: ok</title><linearGradient id="s"><stop offset="0" stop-color="#bbb"/></linearGradient>' +
          '<style>.a { fill: url(#s) }</style><g clip-path="url(#r)"><rect width="10" height=\'20\' class="a"/></g>' +
          '<text x="1">a &lt; b &#x26; c</text><image href="data:image/png;base64,AA=="/><use xlink:href="#r"/>',
        ' width="90" viewBox="0 0 90 20"',
      );
    expect(safeSvg(badge)).toBe(
      `${opening} width="90" viewBox="0 0 90 20"><title>build: ok</title>` +
        '<linearGradient id="s"><stop offset="0" stop-color="#bbb"></stop></linearGradient>' +
        '<style>.a { fill: url(#s) }</style><g clip-path="url(#r)"><rect width="10" height="20" class="a"></rect></g>' +
        '<text x="1">a &lt; b &amp; c</text><image href="data:image/png;base64,AA=="></image><use xlink:href="#r"></use></svg>',
    );
  });

  it.each([
    ['a script', '<script>alert(1)</script>'],
    [
      'HTML inside',
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x"/></body></foreignObject>',
    ],
    ['a script under another name', '<x:script xmlns:x="http://www.w3.org/2000/svg">alert(1)</x:script>'],
    ['a style that loads', '<style>@import "https://x.test/a.css";</style>'],
    ['a style that hides what it loads', '<style>a { fill: u\\72l(https://x.test) }</style>'],
    ['an animated address', '<animate attributeName="href" to="javascript:alert(1)"/>'],
    ['a handler set by an animation', '<set attributeName="onclick" to="alert(1)"/>'],
    ['a picture in a list', '<feImage href="https://x.test/a.png"/>'],
  ])('a drawing loses %s', (_what, inner) => {
    expect(safeSvg(svg(inner))).toBe(`${opening}></svg>`);
  });

  it.each([
    ['a handler', 'onload="alert(1)"'],
    ['a handler in capitals', 'ONLOAD="alert(1)"'],
    ['a script as address', 'href="javascript:alert(1)"'],
    ['an address on another host', 'xlink:href="https://x.test/a.svg#b"'],
    ['an address written with references', 'href="&#106;avascript:alert(1)"'],
    ['HTML as address', 'href="data:text/html;base64,AA=="'],
    ['a drawing as address', 'href="data:image/svg+xml;base64,AA=="'],
    ['a style that loads', 'style="fill: url(https://x.test)"'],
    ['a base for addresses', 'xml:base="https://x.test"'],
  ])('an element of a drawing loses %s', (_what, attribute) => {
    expect(safeSvg(svg(`<path ${attribute} d="M0 0"/>`))).toBe(`${opening}><path d="M0 0"></path></svg>`);
  });

  it('a link in a drawing leads nowhere', () => {
    expect(safeSvg(svg('<a href="https://x.test"><path d="M0"/></a>'))).toBe(
      `${opening}><g><path d="M0"></path></g></svg>`,
    );
  });

  it.each([
    ['is no drawing', '<html></html>'],
    ['is cut off', '<svg><g>'],
    ['closes what is not open', '<svg></g></svg>'],
    ['declares entities', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'],
    ['uses an entity of HTML', '<svg><text>&nbsp;</text></svg>'],
    ['continues after its end', '<svg></svg><script>alert(1)</script>'],
    ['has an attribute twice', '<svg a="1" a="2"/>'],
    ['has an attribute without quotes', '<svg width=1/>'],
    ['is nested without end', '<svg>' + '<g>'.repeat(1000)],
    ['has an element in a style', '<svg><style><script/></style></svg>'],
    ['holds a character that XML forbids', '<svg>&#0;</svg>'],
    ['is empty', ''],
  ])('a drawing that %s is rejected', (_what, text) => {
    expect(safeSvg(text)).toBeUndefined();
  });

  it('a drawing is parsed in linear time', () => {
    for (const text of [
      `<svg ${'a '.repeat(2_000_000)}`,
      `<svg>${'&'.repeat(2_000_000)}`,
      `<svg>${'<!--'.repeat(500_000)}`,
      `<svg a="${'url('.repeat(500_000)}"/>`,
      `<svg${' '.repeat(2_000_000)}`,
    ])
      expect(safeSvg(text)?.length ?? 0).toBeLessThan(200);
  });
});
