import { describe, expect, it } from 'vitest';
import { navigationRules } from './pages.ts';

const find = (reference: string): string | undefined => (reference.includes(' ') ? undefined : reference);

describe('search rules of the navigation', () => {
  it('listed pages are searchable', () => {
    const rules = navigationRules({ groups: [{ group: 'A', root: 'a', pages: ['b', 'GET /x'] }] }, find);
    expect([...rules]).toEqual([
      ['a', { found: true }],
      ['b', { found: true }],
    ]);
  });

  it('hidden or unsearchable pages are excluded, unless hidden and searchable', () => {
    const rules = navigationRules(
      {
        tabs: [
          { tab: 'Hidden', hidden: true, pages: ['hidden'] },
          { tab: 'Internal', searchable: false, groups: [{ group: 'G', pages: ['internal'] }] },
          { tab: 'Secret', hidden: true, searchable: true, pages: ['secret'] },
          { tab: 'Open', pages: ['open', { group: 'Closed', searchable: false, pages: ['closed'] }] },
        ],
      },
      find,
    );
    const found = [...rules].filter(([, rule]) => rule.found).map(([route]) => route);
    expect(found).toEqual(['secret', 'open']);
  });

  it('the nearest boost counts', () => {
    const rules = navigationRules(
      { groups: [{ group: 'A', boost: 2, pages: ['a', { group: 'B', boost: 5, pages: ['b'] }] }] },
      find,
    );
    expect([rules.get('a')?.boost, rules.get('b')?.boost]).toEqual([2, 5]);
  });

  it('a page is searchable when one of its entries allows it', () => {
    const rules = navigationRules(
      {
        groups: [
          { group: 'A', searchable: false, pages: ['a'] },
          { group: 'B', pages: ['a'] },
        ],
      },
      find,
    );
    expect(rules.get('a')).toEqual({ found: true });
  });
});
