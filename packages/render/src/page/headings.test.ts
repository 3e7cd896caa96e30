import { describe, expect, it } from 'vitest';
import { UniqueIds, slugOf } from './headings.ts';

describe('heading ids', () => {
  it.each([
    ['Config.json options', 'config-json-options'],
    ['Read/write access', 'read/write-access'],
    ['Fees & billing', 'fees-&-billing'],
    ['What’s new', 'what’s-new'],
    ['v2.0: New!', 'v2-0-new'],
    ['foo_bar', 'foo_bar'],
    ['call(x)', 'call-x'],
    ['安装 指南', '安装-指南'],
    ['🚀 Launch', 'launch'],
    ['100%', '100%'],
  ])('the id of %s is %s', (text, id) => {
    expect(slugOf(text)).toBe(id);
  });

  it('heading ids are unique on a page, custom ones included', () => {
    const ids = new UniqueIds();
    expect(['a', 'a', 'a-2', 'a', '', ''].map((id) => ids.take(id))).toEqual([
      'a',
      'a-2',
      'a-2-2',
      'a-3',
      'section',
      'section-2',
    ]);
  });
});
