import { describe, expect, it } from 'vitest';
import { renderFixture } from '../../test/support/render-fixture.ts';
import { matchingId } from './anchor-links.ts';

describe('the matching id of a fragment', () => {
  it.each([
    ['Getting_Started', 'getting-started'],
    ['v120', 'v1-2-0'],
    ['ÜBER uns', 'über-uns'],
  ])('the fragment %j matches %j', (fragment, id) => {
    expect(matchingId(fragment, ['other', id, 'last'])).toBe(id);
  });

  it.each([
    ['ab', ['a-b', 'a_b']],
    ['---', ['-', '--']],
    ['x', []],
  ])('the fragment %j matches none of %j', (fragment, ids) => {
    expect(matchingId(fragment, ids)).toBeUndefined();
  });
});

describe('a page with such links', () => {
  it('a link is rewritten to the only matching id, and only the others are reported', async () => {
    const site = await renderFixture('anomalies/anchors');
    const hrefOf = (page: string, text: string): string | undefined =>
      new RegExp(`<a [^>]*href="([^"]*)"[^>]*>${text}</a>`).exec(site.content(page))?.[1];
    expect(
      ['case', 'underscores', 'punctuation', 'dots', 'query', 'exact'].map((text) =>
        hrefOf('index.html', text),
      ),
    ).toEqual([
      'guide.html#getting-started',
      'guide.html#getting-started',
      'guide.html#what%E2%80%99s-new',
      'guide.html#v1-2-0',
      'guide.html?x=1#getting-started',
      'guide.html#getting-started',
    ]);
    expect(['here', 'component', 'accordion'].map((text) => hrefOf('index.html', text))).toEqual([
      '#own-heading',
      '#fees-beta',
      '#more-details',
    ]);
    expect(['back', 'first'].map((text) => hrefOf('guide.html', text))).toEqual([
      'index.html#own-heading',
      'index.html#own-heading',
    ]);
    const printed = site.files.get('print.html') ?? '';
    expect(printed).toContain('href="#guide:getting-started">case</a>');
    expect(printed).toContain('href="#index:own-heading">here</a>');
    const reported = site.diagnostics.filter(({ code }) => code === 'broken_anchor');
    expect(reported.map(({ target }) => target)).toEqual(['guide.html#a_b', 'guide.html#nowhere']);
  });
});

describe('links around pages', () => {
  it('frame links are rewritten to the only matching id, and only the others are reported', async () => {
    const site = await renderFixture('frame-anchors');
    for (const [page, prefix] of [
      ['index.html', ''],
      ['start/first.html', '../'],
      ['guide.html', ''],
    ] as const) {
      const html = site.files.get(page) ?? '';
      const hrefsOf = (text: string): string[] =>
        html
          .split('<a ')
          .filter((link) => link.slice(link.indexOf('>') + 1, link.indexOf('</a>')).includes(text))
          .map((link) => /href="([^"]*)"/.exec(link)?.[1] ?? '');
      const expected = {
        'the notes': 'guide.html#what%E2%80%99s-new',
        'dy-logo': 'guide.html#getting-started',
        Header: 'guide.html#getting-started',
        Ambiguous: 'guide.html#a_b',
        Start: 'guide.html?x=1#getting-started',
        Footer: 'guide.html#what%E2%80%99s-new',
        Global: 'guide.html#getting-started',
        Section: 'guide.html#v1-2-0',
        Entry: 'guide.html#v1-2-0',
        'Page with an address': 'guide.html#what%E2%80%99s-new',
      };
      for (const [text, href] of Object.entries(expected))
        expect([page, text, [...new Set(hrefsOf(text))]]).toEqual([page, text, [`${prefix}${href}`]]);
    }
    const reported = site.diagnostics.filter(({ code }) => code === 'broken_anchor');
    expect(reported.map(({ file, target }) => [file, target])).toEqual([['docs.json', 'guide.html#a_b']]);
  });
});
