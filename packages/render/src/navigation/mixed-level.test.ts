import { describe, expect, it } from 'vitest';
import { settleLevel } from './mixed-level.ts';
import type { JsonObject } from '../model/json.ts';

const settle = (node: JsonObject, entriesLeft = 1000) => settleLevel(node, { entriesLeft });

describe('a level of the navigation that names several kinds of divisions', () => {
  it('is unchanged when it has one kind, or others that contain only links', () => {
    const tabs = [{ tab: 'Guides', pages: ['index'] }];
    const anchors = [{ anchor: 'Blog', href: 'https://example.com' }];
    expect(settle({ tabs, anchors, global: {} })).toEqual({ node: { tabs, anchors, global: {} } });
  });

  it('moves tabs into the versions without navigation', () => {
    const tabs = [{ tab: 'Guides', pages: ['index'] }];
    const { node, decision } = settle({
      versions: [{ version: 'v2' }, { version: 'v1', pages: ['old'] }],
      tabs,
    });
    expect(node).toEqual({
      versions: [
        { version: 'v2', tabs },
        { version: 'v1', pages: ['old'] },
      ],
    });
    expect(decision).toMatchObject({ winner: 'versions', others: ['tabs'], filled: ['v2'] });
  });

  it('ignores tabs whose pages every version lists', () => {
    const versions = [
      { version: 'v2', tabs: [{ tab: 'Guides', pages: ['index', 'new'] }] },
      { version: 'v1', tabs: [{ tab: 'Guides', pages: ['/index.mdx'] }] },
    ];
    const { node, decision } = settle({ versions, tabs: [{ tab: 'Guides', pages: ['index', 'new'] }] });
    expect(node).toEqual({ versions });
    expect(decision).toMatchObject({ ignored: 2, added: 0 });
  });

  it('adds pages that no version lists to every version, under the same names', () => {
    const { node } = settle({
      versions: [{ version: 'v2', tabs: [{ tab: 'Guides', pages: ['index'] }] }],
      tabs: [{ tab: 'Guides', pages: ['index', 'support'] }],
      pages: ['imprint'],
    });
    expect(node).toEqual({
      versions: [
        { version: 'v2', tabs: [{ tab: 'Guides', pages: ['index', 'support'] }], pages: ['imprint'] },
      ],
    });
  });

  it('lets products divide languages, and languages versions', () => {
    const { node } = settle({
      versions: [{ version: 'v1', pages: ['index'] }],
      languages: [{ language: 'en' }, { language: 'fr' }],
      products: [{ product: 'One' }],
    });
    expect(Object.keys(node)).toEqual(['products']);
    expect(node['products']).toMatchObject([{ product: 'One', languages: [{ language: 'en' }, {}] }]);
  });

  it('is unchanged when repeating the other entries would exceed the budget', () => {
    const node = { versions: [{ version: 'v2' }, { version: 'v1' }], pages: ['a', 'b'] };
    expect(settle(node, 3)).toEqual({ node });
  });
});
