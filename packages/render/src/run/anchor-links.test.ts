/** Links whose fragment differs from an id only in case or punctuation. */
import { describe, expect, it } from 'vitest';
import { matchingId } from '../check/anchor-match.ts';
import { renderFixture } from '../render-fixture.ts';

describe('an id that a fragment means', () => {
  it.each([
    ['Getting_Started', 'getting-started'],
    ['v120', 'v1-2-0'],
    ['ÜBER uns', 'über-uns'],
  ])('the fragment %j means %j', (fragment, id) => {
    expect(matchingId(fragment, ['other', id, 'last'])).toBe(id);
  });

  it.each([
    ['ab', ['a-b', 'a_b']],
    ['---', ['-', '--']],
    ['x', []],
  ])('the fragment %j means none of %j', (fragment, ids) => {
    expect(matchingId(fragment, ids)).toBeUndefined();
  });
});

describe('a page with such links', () => {
  it('a link is rewritten to the only id it can mean, and only the others are reported', async () => {
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
