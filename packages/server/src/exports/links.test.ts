import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkLink, signLink, type Link } from './links.ts';

const secrets = { linkKeys: [{ id: 'k1', key: randomBytes(32) }] };
const now = 1_780_000_000;
const link: Link = {
  jobId: 'se_0123456789abcdef',
  file: 'bundle.tar.gz',
  generation: 2,
  host: 'docs.example.com:4400',
  notBefore: now,
  expires: now + 3600,
};
const target = signLink(secrets, link);
const check = (changed: Partial<{ target: string; host: string; nowSeconds: number }>, keys = secrets) =>
  checkLink(keys, { target, host: link.host, nowSeconds: now, ...changed });
const opened = { verdict: 'valid', jobId: link.jobId, file: 'bundle.tar.gz', generation: 2 };

test('a signed link opens the file it was signed for', () => {
  expect(target).toMatch(
    /^\/b\/se_0123456789abcdef\/bundle\.tar\.gz\?v=1&k=k1&n=1780000000&e=1780003600&g=2&s=[A-Za-z0-9_-]{43}$/,
  );
  expect(check({})).toEqual(opened);
});

test('a link to a delta opens that delta, and neither the bundle nor another delta', () => {
  const file = 'delta-se_fedcba9876543210.tar.gz';
  const toDelta = signLink(secrets, { ...link, file });
  expect(check({ target: toDelta })).toEqual({ ...opened, file });
  for (const other of ['bundle.tar.gz', 'delta-se_fedcba9876543211.tar.gz'])
    expect(check({ target: toDelta.replace(file, other) })).toEqual({ verdict: 'invalid' });
  expect(check({ target: target.replace('bundle.tar.gz', file) })).toEqual({ verdict: 'invalid' });
});

describe('a changed link', () => {
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

  test('a link with a replaced, removed or added character is rejected', () => {
    const accepted: string[] = [];
    const attempt = (changed: string) => {
      const { verdict } = check({ target: changed });
      if (changed !== target && verdict !== 'invalid' && verdict !== 'malformed') accepted.push(changed);
    };
    for (let place = 0; place <= target.length; place += 1) {
      attempt(target.slice(0, place) + target.slice(place + 1));
      for (const character of [...printable, '\n', '\0', 'ü']) {
        attempt(target.slice(0, place) + character + target.slice(place + 1));
        attempt(target.slice(0, place) + character + target.slice(place));
      }
    }
    expect(accepted).toEqual([]);
  });

  test('random changes are rejected', () => {
    const change = fc.record({
      place: fc.nat(target.length),
      removed: fc.nat(6),
      added: fc.string({ unit: fc.constantFrom(...printable), maxLength: 6 }),
    });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const changed = changes.reduce(
          (text, { place, removed, added }) => text.slice(0, place) + added + text.slice(place + removed),
          target,
        );
        const { verdict } = check({ target: changed });
        return changed === target || verdict === 'invalid' || verdict === 'malformed';
      }),
      { numRuns: 5000 },
    );
  });

  test('random signatures are rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const forged = target.replace(/s=.*$/, `s=${Buffer.from(bytes).toString('base64url')}`);
        return check({ target: forged }).verdict === 'invalid';
      }),
      { numRuns: 2000 },
    );
  });

  test('the spare bits of the last character are checked', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const passing = alphabet
      .split('')
      .filter((last) => check({ target: target.slice(0, -1) + last }).verdict === 'valid');
    expect(passing).toEqual([target.at(-1)]);
  });

  test.each([
    ['', 'malformed'],
    ['/', 'malformed'],
    ['/b/', 'malformed'],
    [target.replace('/b/', '/b//'), 'malformed'],
    [target.replace('/b/', '/b/../b/'), 'malformed'],
    [target.replace('bundle.tar.gz', 'bundle%2Etar.gz'), 'malformed'],
    [target.replace('bundle.tar.gz', 'manifest.json'), 'malformed'],
    [`${target}&x=1`, 'malformed'],
    [`${target}#x`, 'malformed'],
    [`https://docs.example.com${target}`, 'malformed'],
    [target.replace('v=1&k=k1', 'k=k1&v=1'), 'malformed'],
    [target.replace('&g=2', '&g=2&g=2'), 'malformed'],
    [target.replace('&g=2', ''), 'malformed'],
    [target.replace('v=1', 'v=2'), 'malformed'],
    [target.replace(/s=.*$/, 's='), 'malformed'],
    [target.replace('e=1780003600', 'e=9999999999'), 'invalid'],
    [target.replace('g=2', 'g=02'), 'malformed'],
    [target.replace('g=2', 'g=0'), 'malformed'],
    [target.replace('g=2', 'g=3'), 'invalid'],
    [target.replace('0123456789abcdef', 'fedcba9876543210'), 'invalid'],
  ])('%s is %s', (changed, verdict) => {
    expect(check({ target: changed }).verdict).toBe(verdict);
  });
});

describe('time', () => {
  test('a link is valid until its last second', () => {
    expect(check({ nowSeconds: now + 3599 })).toEqual(opened);
    expect(check({ nowSeconds: now + 3600 })).toEqual({ ...opened, verdict: 'expired' });
    expect(check({ nowSeconds: now + 1e9 })).toMatchObject({ verdict: 'expired' });
  });

  test('a clock may be behind by at most one minute', () => {
    expect(check({ nowSeconds: now - 60 })).toEqual(opened);
    expect(check({ nowSeconds: now - 61 })).toEqual({ verdict: 'invalid' });
  });

  test('a forged link is invalid rather than expired and reveals no job', () => {
    const forged = target.slice(0, -1) + (target.endsWith('A') ? 'E' : 'A');
    expect(check({ target: forged, nowSeconds: now + 1e9 })).toEqual({ verdict: 'invalid' });
  });
});

test.each([
  'docs.example.com',
  'docs.example.com:4401',
  'evil.example.com:4400',
  '',
  'xdocs.example.com:4400',
])('a link does not open at the host %j', (host) => {
  expect(check({ host })).toEqual({ verdict: 'invalid' });
});

describe('keys', () => {
  const second = { id: 'k2', key: randomBytes(32) };

  test('the first key signs and all keys verify', () => {
    const rotated = { linkKeys: [second, ...secrets.linkKeys] };
    expect(check({}, rotated)).toEqual(opened);
    const fresh = signLink(rotated, link);
    expect(fresh).toContain('k=k2&');
    expect(check({ target: fresh }, rotated)).toEqual(opened);
    expect(check({ target: fresh })).toEqual({ verdict: 'invalid' });
  });

  test('a removed or replaced key verifies nothing', () => {
    expect(check({}, { linkKeys: [second] })).toEqual({ verdict: 'invalid' });
    expect(check({}, { linkKeys: [] })).toEqual({ verdict: 'invalid' });
    expect(check({}, { linkKeys: [{ ...second, id: 'k1' }] })).toEqual({ verdict: 'invalid' });
  });

  test('the placeholder for an unknown key verifies nothing', () => {
    const zeros = { linkKeys: [{ id: 'k9', key: Buffer.alloc(32) }] };
    expect(check({ target: signLink(zeros, link) })).toEqual({ verdict: 'invalid' });
  });

  test('without a key nothing can be signed', () => {
    expect(() => signLink({ linkKeys: [] }, link)).toThrow('no key');
  });
});
