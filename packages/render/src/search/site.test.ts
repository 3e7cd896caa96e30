import { describe, expect, it } from 'vitest';
import { renderFixture } from '../../test/support/render-fixture.ts';
import { searchIn } from '../../test/support/memory-search.ts';

const site = await renderFixture('search');

describe('search of a rendered site', () => {
  it('hidden, unlisted and unsearchable pages are excluded, and boost counts', async () => {
    const { search } = searchIn(site.files);
    const { results } = await search.find('marmalade', { scope: 0, limit: 20 });
    expect(results.map(({ title }) => title)).toEqual(['Loud', 'Secret', 'Welcome', 'Webhooks']);
  });

  it('languages are separate unless all are requested', async () => {
    const { search } = searchIn(site.files);
    expect((await search.find('marmalade', { scope: 1, limit: 20 })).results.map(({ href }) => href)).toEqual(
      ['de/index.html'],
    );
    expect((await search.find('marmalade', { scope: -1, limit: 20 })).total).toBe(5);
  });

  it('results link to sections, accordions included', async () => {
    const { search } = searchIn(site.files);
    const [page] = (await search.find('verify signature', { scope: 0, limit: 3 })).results;
    expect([page?.href, page?.sections[0]?.id]).toEqual(['guides/webhooks.html', 'verify-a-signature']);
    const [late] = (await search.find('why is a delivery late', { scope: 0, limit: 3 })).results;
    expect(late?.sections[0]?.title).toBe('Why is a delivery late?');
  });

  it('pages are found by keywords', async () => {
    const { search } = searchIn(site.files);
    expect((await search.find('homecoming', { scope: 0, limit: 3 })).results[0]?.title).toBe('Welcome');
  });

  it('every page has a search button with its prompt and language', () => {
    expect(site.files.get('de/index.html')).toMatch(/<button[^>]* data-search[^>]* data-language="de"/);
    expect(site.files.get('index.html')).toContain('<span class="dy-search-prompt">Ask the finder…</span>');
  });

  it('the index is the same with one process or two', async () => {
    const again = await renderFixture('search', { concurrency: 2 });
    const ofIndex = (files: Map<string, string>): [string, string][] =>
      [...files]
        .filter(([path]) => path.startsWith('_docyard/search'))
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
    expect(ofIndex(again.files)).toEqual(ofIndex(site.files));
  });
});
