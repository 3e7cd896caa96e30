import { describe, expect, it } from 'vitest';
import { dateIn, feedItems } from './updates.ts';

const entry = {
  heading: '<h2 id="june-17-2026" class="dy-update-label">June 17, 2026</h2>',
  body: '<p>Faster &amp; smaller.</p><pre><code>npm i</code></pre>',
  label: 'June 17, 2026',
  description: 'v4.5',
  tags: ['SDK'],
};

describe('feed items', () => {
  it('an entry without headings is one feed item without its code', () => {
    expect(feedItems(entry)).toEqual([
      {
        title: 'June 17, 2026',
        description: 'Faster & smaller.',
        anchor: 'june-17-2026',
        tags: ['SDK'],
        date: '2026-06-17',
      },
    ]);
  });

  it('each heading inside an entry is a feed item', () => {
    const body =
      '<h3 id="search">Search<a class="dy-anchor" href="#search">#</a></h3><p>Finds more.</p>' +
      '<h3 id="fixes">Fixes</h3><p>Fewer faults.</p>';
    expect(
      feedItems({ ...entry, body }).map(({ title, description, anchor }) => [title, description, anchor]),
    ).toEqual([
      ['Search', 'Finds more.', 'search'],
      ['Fixes', 'Fewer faults.', 'fixes'],
    ]);
  });

  it('an entry with its own feed text is one feed item', () => {
    const body = '<h3 id="search">Search</h3><p>Finds more.</p>';
    expect(feedItems({ ...entry, body, feed: { title: 'Better search' } })).toMatchObject([
      { title: 'Better search', description: 'Search Finds more.', anchor: 'june-17-2026' },
    ]);
  });
});

describe('dates of entries', () => {
  it.each([
    ['2026-06-17', '2026-06-17'],
    ['June 17, 2026', '2026-06-17'],
    ['Jun 3rd 2026', '2026-06-03'],
    ['17 June 2026', '2026-06-17'],
    ['March 2024', undefined],
    ['v1.2.3', undefined],
    ['2026-02-31', undefined],
    ['15 mai 2026', undefined],
  ])('the date in %s is %s', (text, date) => {
    expect(dateIn(text)).toBe(date);
  });
});
