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

describe('a path for an audience', () => {
  const ofAudience = { ...link, audience: 3 };
  const audiencePath = signPreview(secrets, ofAudience);

  test('opens the site of that audience', () => {
    const root = audiencePath.slice(0, -1);
    expect(check(`${audiencePath}guides/start`)).toEqual({ verdict: 'valid', root, ...ofAudience });
  });

  test.each([
    ['another audience', audiencePath.replace('.a3.', '.a4.')],
    ['no audience', audiencePath.replace('.a3.', '.')],
    ['an audience added', path.replace('.k1.', '.a3.k1.')],
    ['an audience added before the time', path.replace('.1800000000.', '.1800000000.a1800000000.')],
    ['another spelling', audiencePath.replace('.a3.', '.a03.')],
  ])('with %s is rejected', (_what, changed) => {
    expect([path, audiencePath]).not.toContain(changed);
    expect(['invalid', 'malformed']).toContain(check(changed).verdict);
  });
});

test('a preview path without the trailing slash is valid, so that it can be redirected', () => {
  expect(check(path.slice(0, -1))).toMatchObject({ verdict: 'valid' });
});

test('an expired preview path is rejected', () => {
  expect(check(path, link.expires)).toEqual({ verdict: 'expired' });
});

describe('a changed path', () => {
  test.each([
    ['the job', path.replace('abcdef', 'abcdee')],
    ['the attempt', path.replace('.2.', '.3.')],
    ['the time', path.replace('1800000000', '1900000000')],
    ['the signature', path.replace(/.(?=\/$)/, (last) => (last === 'A' ? 'B' : 'A'))],
    ['the key', path.replace('.k1.', '.k2.')],
  ])('with another value of %s is rejected', (_what, changed) => {
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

test('a download signature does not open a preview', () => {
  const download = signLink(secrets, {
    ...link,
    file: 'bundle.tar.gz',
    host: 'docs.example.com',
    notBefore: link.expires - 60,
  });
  const signature = /s=(.*)$/.exec(download)?.[1] ?? '';
  expect(check(path.replace(/[\w-]{43}(?=\/$)/, signature))).toEqual({ verdict: 'invalid' });
});
