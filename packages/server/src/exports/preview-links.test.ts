/** The signed part of a preview's path: it opens one bundle for a while, and no changed one does. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { signLink } from './links.ts';
import { checkPreview, signPreview } from './preview-links.ts';

const secrets = { linkKeys: [{ id: 'k1', key: randomBytes(32) }] };
const link = { jobId: 'se_0123456789abcdef', generation: 2, expires: 1_800_000_000 };
const path = signPreview(secrets, link);
const check = (target: string, nowSeconds = link.expires - 1) =>
  checkPreview(secrets, { target, nowSeconds });

test.each(['', 'index.html', 'guides/start', '?q=1', '%2e%2e/x'])(
  'opens the site with %j after it',
  (rest) => {
    expect(check(path + rest)).toEqual({ verdict: 'valid', root: path.slice(0, -1), ...link });
  },
);

test('opens without the slash too, so that a reader can be sent to it', () => {
  expect(check(path.slice(0, -1))).toMatchObject({ verdict: 'valid' });
});

test('is over when it has expired', () => {
  expect(check(path, link.expires)).toEqual({ verdict: 'expired' });
});

describe('a path that was changed', () => {
  test.each([
    ['the job', path.replace('abcdef', 'abcdee')],
    ['the attempt', path.replace('.2.', '.3.')],
    ['the time', path.replace('1800000000', '1900000000')],
    ['the signature', path.replace(/.(?=\/$)/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['the key', path.replace('.k1.', '.k2.')],
  ])('in %s opens nothing', (_what, changed) => {
    expect(changed).not.toBe(path);
    expect(check(changed)).toEqual({ verdict: 'invalid' });
  });

  test.each(['/preview/', '/preview/se_0123456789abcdef/', `${path.slice(0, -1)}x/`, `/x${path}`])(
    'to %s is none',
    (changed) => {
      expect(check(changed)).toEqual({ verdict: 'malformed' });
    },
  );
});

test('the signature of a download is none of a preview', () => {
  const download = signLink(secrets, {
    ...link,
    file: 'bundle.tar.gz',
    host: 'docs.example.com',
    notBefore: link.expires - 60,
  });
  const signature = /s=(.*)$/.exec(download)?.[1] ?? '';
  expect(check(path.replace(/[\w-]{43}(?=\/$)/, signature))).toEqual({ verdict: 'invalid' });
});
