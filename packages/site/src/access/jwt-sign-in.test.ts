import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { privatePage, startPrivateSite } from '../../test/support/private-site.ts';
import { JwtSignIn, type JwtSettings, parseTokenKey } from './jwt-sign-in.ts';

const secret = 'a shared secret for tests, long enough for HS256';
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const usual = { sub: 'ada', name: 'Ada', groups: ['partners'], aud: 'docs', iss: 'https://app.example.com' };

const signed = (key: KeyObject | Uint8Array, alg: string, claims: JWTPayload = usual, lifetime = '5m') =>
  new SignJWT(claims).setProtectedHeader({ alg }).setIssuedAt().setExpirationTime(lifetime).sign(key);
const bySecret = (claims: JWTPayload = usual, lifetime = '5m') =>
  signed(Buffer.from(secret), 'HS256', claims, lifetime);

const settings = (changes: Partial<JwtSettings> = {}): JwtSettings => ({
  key: parseTokenKey(secret, 'key'),
  issuer: 'https://app.example.com',
  audience: 'docs',
  groupsClaim: 'groups',
  cookie: null,
  signInUrl: null,
  ...changes,
});
const start = async (changes: Partial<JwtSettings> = {}) =>
  (await startPrivateSite(new JwtSignIn(settings(changes)))).visitor();
const linkWith = (token: string) => `/_docyard/access/callback?to=/guide&token=${token}`;

describe('a link with a token', () => {
  test('signs the reader in and opens the page without the token in its address', async () => {
    const reader = await start();
    const opened = await reader.get(linkWith(await bySecret()));
    expect([opened.status, opened.location]).toEqual([303, '/guide']);
    expect((await reader.get('/guide')).text).toBe('guide');
    expect((await reader.get('/_docyard/access/sign-out')).text).toContain('You are signed in as Ada.');
  });

  const refused: [string, () => Promise<string> | string][] = [
    ['without a signature', () => new UnsecuredJWT(usual).setExpirationTime('5m').encode()],
    ['with another key', () => signed(Buffer.from(secret.toUpperCase()), 'HS256')],
    ['that has ended', () => bySecret(usual, '-5m')],
    ['that is not valid yet', () => bySecret({ ...usual, nbf: Math.floor(Date.now() / 1000) + 600 })],
    [
      'without an end',
      () => new SignJWT(usual).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret)),
    ],
    ['for another audience', () => bySecret({ ...usual, aud: 'handbook' })],
    ['without an audience', () => bySecret({ sub: 'ada', iss: usual.iss })],
    ['of another issuer', () => bySecret({ ...usual, iss: 'https://evil.example' })],
    [
      'with a changed claim',
      async () => (await bySecret()).replace(/\.(.)/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`),
    ],
    ['that is empty', () => ''],
  ];
  test.each(refused)('%s is refused', async (_, make) => {
    const reader = await start();
    const opened = await reader.get(linkWith(await make()));
    expect([opened.status, opened.text.includes('This link is not valid or has ended.')]).toEqual([
      403,
      true,
    ]);
    expect(reader.cookies.size).toBe(0);
  });
});

describe('the kind of key', () => {
  test.each([
    ['EC', ec, 'ES256'],
    ['RSA', rsa, 'PS256'],
  ] as const)('%s in PEM accepts its own algorithms only', async (_, { publicKey, privateKey }, alg) => {
    const text = pem(publicKey);
    const key = parseTokenKey(text, 'key');
    expect((await (await start({ key })).get(linkWith(await signed(privateKey, alg)))).status).toBe(303);
    // A public key is no secret, so it must not verify a token that was signed with it as a secret.
    const confused = await signed(Buffer.from(text), 'HS256');
    expect((await (await start({ key })).get(linkWith(confused))).status).toBe(403);
  });

  test('a key set accepts the key that a token names', async () => {
    const jwk = { ...ec.publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256' };
    const key = parseTokenKey(JSON.stringify({ keys: [jwk] }), 'key');
    const token = (kid: string) =>
      new SignJWT(usual)
        .setProtectedHeader({ alg: 'ES256', kid })
        .setExpirationTime('5m')
        .sign(ec.privateKey);
    expect((await (await start({ key })).get(linkWith(await token('first')))).status).toBe(303);
    expect((await (await start({ key })).get(linkWith(await token('other')))).status).toBe(403);
  });

  test.each([
    ['a short secret', 'secret', /openssl rand/],
    ['a private key', ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /private key/],
    ['a set with a secret', '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}', /secret key/],
    ['a broken set', '{"keys":1}', /JSON Web Keys/],
    ['broken PEM', '-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----', /not a public key/],
  ])('%s is refused', (_, text, message) => {
    expect(() => parseTokenKey(text, 'key')).toThrow(message);
  });
});

describe('a cookie of the application', () => {
  test('is enough while it is valid, and groups may be inside of an object', async () => {
    const reader = await start({ cookie: 'app_token' });
    reader.cookies.set('app_token', await bySecret());
    expect((await reader.get('/')).text).toBe(privatePage);
    reader.cookies.set('app_token', await bySecret(usual, '-5m'));
    expect((await reader.get('/')).status).toBe(303);
  });

  test('counts only when a cookie is configured', async () => {
    const reader = await start();
    reader.cookies.set('app_token', await bySecret());
    expect((await reader.get('/')).status).toBe(303);
  });
});

test('readers are sent to the page of the application with the whole address of the wanted page', async () => {
  const reader = await start({ signInUrl: 'https://app.example.com/sign-in?from=docs' });
  const asked = await reader.get('/guide?x=1');
  const { status, location } = await reader.get(asked.location ?? '');
  const address = new URL(location ?? '');
  expect([status, address.origin, address.searchParams.get('from')]).toEqual([
    303,
    'https://app.example.com',
    'docs',
  ]);
  expect(address.searchParams.get('to')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/guide\?x=1$/);
});
