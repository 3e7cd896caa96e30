import { describe, expect, test } from 'vitest';
import { hash } from 'node:crypto';
import { audienceOf, openAudiences, sealAudiences } from './audiences.ts';
import { contentKeyFrom, contentKeyText, newContentKey, parseContentKey } from './content-key.ts';
import type { Manifest } from './manifest.ts';
import { seal, sealedIndexPath, sealedPathOf, unseal, unsealFile } from './sealed-files.ts';

const key = contentKeyFrom(Buffer.alloc(32, 'harbor'));
const content = Buffer.from('The tide turns at noon. '.repeat(40));
const sha256 = hash('sha256', content);
const path = sealedPathOf(key, sha256);
const sealed = seal(key, path, content);
const maxBytes = 10_000;
const unreadable = expect.objectContaining({ refusal: 'sealed_unreadable' });

describe('a content key', () => {
  test('is read as it was written', () => {
    const made = newContentKey();
    expect(parseContentKey(contentKeyText(made))).toEqual(made);
    expect(parseContentKey(contentKeyText(key).trim()).keyId).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each(['', 'docyard-content-key:', 'docyard-content-key:AAAA', `${contentKeyText(key).trim()}=`])(
    'is refused if it is malformed: %j',
    (text) => {
      expect(() => parseContentKey(text)).toThrow('This is not a content key.');
    },
  );
});

describe('a sealed file', () => {
  test('is deterministic, smaller than repetitive content, and reveals neither path nor content', () => {
    expect(seal(key, path, content)).toEqual(sealed);
    expect(sealed.length).toBeLessThan(content.length / 2);
    expect(sealed.includes('tide')).toBe(false);
    expect(path).not.toContain(sha256.slice(0, 8));
  });

  test('is opened with its key', () => {
    expect(unsealFile(key, { sha256, sizeBytes: content.length }, sealed)).toEqual(content);
  });

  test('is refused with another key, at another path, and above its size', () => {
    expect(() => unseal(newContentKey(), path, { bytes: sealed, maxBytes })).toThrow(unreadable);
    expect(() => unseal(key, sealedIndexPath, { bytes: sealed, maxBytes })).toThrow(unreadable);
    expect(() => unsealFile(key, { sha256, sizeBytes: content.length - 1 }, sealed)).toThrow(unreadable);
  });

  test('is refused when any byte was changed or cut off', () => {
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unseal(key, path, { bytes: changed, maxBytes })).toThrow(unreadable);
      expect(() => unseal(key, path, { bytes: sealed.subarray(0, at), maxBytes })).toThrow(unreadable);
    }
  });
});

const manifest: Manifest = {
  format: 1,
  engine: 'docyard/0.1.0',
  version: null,
  commit: null,
  committedAt: null,
  pages: 1,
  files: [],
};
const files = [{ path: 'index.html', sizeBytes: 3, sha256 }];
const audience = (...groups: string[]) => ({ isSignedIn: true, groups, files });
const anonymous = { isSignedIn: false, groups: [], files };
const pair = { excludedGroups: [], audiences: [audience('crew'), audience('pilots'), anonymous] };

describe('the audiences of a bundle', () => {
  test('are read as they were sealed', () => {
    expect(openAudiences(key, sealAudiences(key, pair), manifest)).toEqual(pair);
  });

  test('are refused with file names that lead out of the folder', () => {
    const hostile = { ...pair, audiences: [{ ...anonymous, files: [{ ...files[0]!, path: '../passwd' }] }] };
    expect(() => openAudiences(key, sealAudiences(key, hostile), manifest)).toThrow('unsafe_path');
  });

  test('belong to readers with the same groups', () => {
    expect(audienceOf(pair, undefined)).toBe(anonymous);
    expect(audienceOf(pair, { groups: [] })).toBe('manifest');
    expect(audienceOf(pair, { groups: ['cooks'] })).toBe('manifest');
    expect(audienceOf(pair, { groups: ['pilots', 'cooks'] })).toBe(pair.audiences[1]);
  });

  test('never show a reader what one of their groups must not see', () => {
    const excluding = {
      excludedGroups: ['pilots'],
      audiences: [audience('crew'), audience('crew', 'pilots')],
    };
    expect(audienceOf(excluding, { groups: ['crew'] })).toBe(excluding.audiences[0]);
    expect(audienceOf(excluding, { groups: ['crew', 'pilots'] })).toBe(excluding.audiences[1]);
    expect(audienceOf(excluding, { groups: ['pilots'] })).toBeUndefined();
  });

  test('are absent for readers of a site that everyone must sign in to', () => {
    expect(audienceOf({ ...pair, audiences: [audience('crew')] }, undefined)).toBeUndefined();
  });
});
