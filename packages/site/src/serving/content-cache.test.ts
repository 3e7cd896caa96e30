import { beforeEach, describe, expect, test } from 'vitest';
import { ContentCache } from './content-cache.ts';
import type { Representation } from './static-file.ts';
import { makeSite } from '../../test/support/served-releases.ts';

const content = (name: string) => name.repeat(1000);

describe('content in memory', () => {
  let forms: Representation[];
  let cache: ContentCache;

  beforeEach(async () => {
    const names = ['a', 'b', 'c', 'd'];
    const site = await makeSite(Object.fromEntries(names.map((name) => [`${name}.bin`, content(name)])));
    forms = names.flatMap((name) => {
      const found = site.find(`/${name}.bin`);
      return found !== undefined && 'file' in found ? found.file.plain : [];
    });
    cache = new ContentCache(3 * 1000);
  });

  const names = () => forms.filter((form) => cache.get(form) !== undefined).length;

  test('is read once for concurrent callers', async () => {
    const [first] = forms as [Representation];
    const [one, other] = await Promise.all([cache.read(first), cache.read(first)]);
    expect(one).toBe(other);
    expect(one).toBe(content('a'));
    expect(cache.get(first)).toBe(one);
  });

  test('is evicted for newer content unless it was used again', async () => {
    const [a, b, c, d] = forms as [Representation, Representation, Representation, Representation];
    for (const form of [a, b, c]) await cache.read(form);
    expect(cache.bytes).toBeLessThanOrEqual(3 * 1000);
    cache.get(a);
    await cache.read(d);
    expect(cache.get(a)).toBe(content('a'));
    expect(cache.get(b)).toBeUndefined();
    expect(cache.get(d)).toBe(content('d'));
    expect(names()).toBe(3);
    expect(cache.bytes).toBeLessThanOrEqual(3 * 1000);
  });

  test('does not include failed reads', async () => {
    const broken = { ...(forms[0] as Representation), sizeBytes: 5000 };
    await expect(cache.read(broken)).rejects.toThrow('was truncated');
    expect(cache.get(broken)).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });
});
