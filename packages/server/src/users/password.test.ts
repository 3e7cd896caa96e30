/** Password rules and password hashes. */
import { describe, expect, test } from 'vitest';
import { hashPassword, isPassword, requireGoodPassword } from './password.ts';

const secrets = { keyPepper: Buffer.alloc(32, 1), pepperId: '01234567', otherPeppers: [] };

describe('a password', () => {
  test.each(['twelve chars', 'a lighthouse keeper', '灯台守は船を数えます、毎晩', '0918273645pq'])(
    'may be %s',
    (password) => {
      expect(() => requireGoodPassword(password, 'password', 'ada@example.com')).not.toThrow();
    },
  );

  test.each([
    ['elevenchars', 'at least 12'],
    // The length is checked after Unicode normalization.
    ['ﬁ'.repeat(5), 'at least 12'],
    ['abababababab', 'too few characters'],
    ['password1234', 'This password is too common'],
    ['Pass-Word-2026', 'This password is too common'],
    ['correct horse battery staple', 'This password is too common'],
    ['Ada.Byron@example.com', 'email address'],
  ])('may not be %s', (password, reason) => {
    expect(() => requireGoodPassword(password, 'next', 'ada.byron@example.com')).toThrow(reason);
  });
});

describe('a password hash', () => {
  test('matches the password in every Unicode normalization, and no other password', async () => {
    const kept = await hashPassword(secrets, 'Köpenhamn med ångbåt');
    expect(await isPassword(secrets, 'Köpenhamn med ångbåt'.normalize('NFD'), kept)).toBe(true);
    expect(await isPassword(secrets, 'Kopenhamn med ångbåt', kept)).toBe(false);
  });

  test('is different each time and useless without the secret of the installation', async () => {
    const [first, second] = await Promise.all([
      hashPassword(secrets, 'a lighthouse keeper'),
      hashPassword(secrets, 'a lighthouse keeper'),
    ]);
    expect(first).not.toBe(second);
    expect(
      await isPassword({ ...secrets, keyPepper: Buffer.alloc(32, 2) }, 'a lighthouse keeper', first),
    ).toBe(false);
  });

  test('contains its cost, so that hashes of another cost can be checked', async () => {
    expect(await hashPassword(secrets, 'a lighthouse keeper')).toMatch(
      /^scrypt:32768:8:1:[\w-]{22}:[\w-]{43}:01234567$/,
    );
    const cheap = 'scrypt:1024:8:1:c2FsdHNhbHRzYWx0c2FsdA:';
    expect(await isPassword(secrets, 'a lighthouse keeper', cheap + 'A'.repeat(43))).toBe(false);
  });

  test('matches no password when it is missing', async () => {
    expect(await isPassword(secrets, '', null)).toBe(false);
    expect(await isPassword(secrets, 'a lighthouse keeper', undefined)).toBe(false);
  });
});

test('concurrent password checks wait, and too many are refused', async () => {
  const asked = Array.from({ length: 60 }, () => isPassword(secrets, 'a lighthouse keeper', cheapHash));
  const ended = await Promise.allSettled(asked);
  const refused = ended.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(60 - 52);
  expect(refused[0]).toMatchObject({ reason: { code: 'overloaded', headers: { 'retry-after': '5' } } });
  expect(await isPassword(secrets, 'a lighthouse keeper', cheapHash)).toBe(false);
});

const cheapHash = `scrypt:1024:8:1:c2FsdHNhbHRzYWx0c2FsdA:${'A'.repeat(43)}`;
