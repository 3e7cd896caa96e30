import { describe, expect, test } from 'vitest';
import { privatePage, sessionKey, startPrivateSite } from '../../test/support/private-site.ts';
import { parsePasswordFile, passwordLine, PasswordSignIn } from './password-sign-in.ts';
import { CookieSigner } from './signed-cookies.ts';

const password = 'seven small boats at noon';
const hashes = parsePasswordFile(await passwordLine(password, ['partners']), 'passwords');
const start = (options: Parameters<typeof startPrivateSite>[1] = {}) =>
  startPrivateSite(new PasswordSignIn(hashes), options);

describe('a site with a password', () => {
  test('sends a reader to the sign-in and then to the wanted page, without storing it in shared caches', async () => {
    const { visitor } = await start();
    const reader = visitor();
    const asked = await reader.get('/guide?x=1');
    expect([asked.status, asked.location]).toEqual([303, '/_docyard/access/sign-in?to=%2Fguide%3Fx%3D1']);
    const page = await reader.get(asked.location ?? '');
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(page.text).toContain('Enter the password of this site.');
    const signedIn = await reader.post(asked.location ?? '', { password });
    expect([signedIn.status, signedIn.location]).toEqual([303, '/guide?x=1']);
    expect(signedIn.headers.getSetCookie()[0]).toMatch(
      /^docyard_session=[\w-]+\.[\w-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    const guide = await reader.get('/guide');
    expect([guide.status, guide.text]).toEqual([200, 'guide']);
    expect([guide.headers.get('cache-control'), guide.headers.get('vary')]).toEqual([
      'private, no-cache',
      'Cookie',
    ]);
  });

  test('answers every path in the same way before the sign-in', async () => {
    const reader = (await start()).visitor();
    for (const path of [
      '/',
      '/guide',
      '/none',
      '/guide.html',
      '/_docyard/search/index.json',
      '/a//b',
      '/%00',
    ])
      expect((await reader.get(path)).location).toMatch(/^\/_docyard\/access\/sign-in\?to=/);
    const script = await reader.get('/guide', { accept: '*/*' });
    expect([script.status, script.text]).toEqual([
      401,
      expect.stringContaining('Sign in at http://127.0.0.1'),
    ]);
  });

  test('refuses a wrong password, and after ten of them every password for a while', async () => {
    const reader = (await start()).visitor();
    for (let tries = 1; tries <= 10; tries += 1) {
      const wrong = await reader.post('/_docyard/access/sign-in', { password: `guess ${tries}` });
      expect([wrong.status, wrong.text.includes('This password is wrong.')]).toEqual([403, true]);
    }
    const locked = await reader.post('/_docyard/access/sign-in', { password });
    expect([locked.status, Number(locked.headers.get('retry-after')) > 800]).toEqual([429, true]);
    expect(locked.text).toContain('Too many attempts. Try again in 15 minutes.');
    expect(reader.cookies.size).toBe(0);
  });

  test('signs out with a form of its own site only', async () => {
    const { visitor } = await start();
    const reader = visitor();
    await reader.post('/_docyard/access/sign-in', { password });
    expect((await reader.get('/_docyard/access/sign-out')).text).toContain('<button>Sign out</button>');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect((await reader.post('/_docyard/access/sign-out', {}, headers)).status).toBe(403);
    expect((await reader.get('/')).text).toBe(privatePage);
    expect((await reader.post('/_docyard/access/sign-out', {})).location).toBe('/_docyard/access/sign-out');
    expect((await reader.get('/_docyard/access/sign-out')).text).toContain('You are signed out');
    expect((await reader.get('/')).status).toBe(303);
  });

  test.each([
    '//evil.example/',
    String.raw`/\evil.example`,
    'https://evil.example/',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/_docyard/access/sign-out',
    '',
  ])('never leads to %j after the sign-in', async (to) => {
    const reader = (await start()).visitor();
    const address = `/_docyard/access/sign-in?to=${encodeURIComponent(to)}`;
    expect((await reader.post(address, { password })).location).toBe('/');
  });

  test('keeps its cookies below its path', async () => {
    const reader = (await start({ basePath: '/docs' })).visitor();
    const asked = await reader.get('/docs/guide');
    expect(asked.location).toBe('/docs/_docyard/access/sign-in?to=%2Fdocs%2Fguide');
    const signedIn = await reader.post(asked.location ?? '', { password });
    expect(signedIn.headers.getSetCookie()[0]).toContain('; Path=/docs/;');
    expect((await reader.get(signedIn.location ?? '')).text).toBe('guide');
    const outside = await reader.post('/docs/_docyard/access/sign-in?to=/other', { password });
    expect(outside.location).toBe('/docs/');
  });

  test('marks cookies as secure when its address is https', async () => {
    const reader = (await start({ url: 'https://docs.example.com' })).visitor();
    const { headers } = await reader.post('/_docyard/access/sign-in', { password });
    expect(headers.getSetCookie()[0]).toMatch(/; Secure$/);
  });

  test('believes forwarded headers of a trusted proxy only', async () => {
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.7' };
    const trusting = (await start({ trustedProxies: ['127.0.0.1'] })).visitor();
    const { headers } = await trusting.post('/_docyard/access/sign-in', { password }, forwarded);
    expect(headers.getSetCookie()[0]).toMatch(/; Secure$/);
    const other = (await start()).visitor();
    const { headers: plain } = await other.post('/_docyard/access/sign-in', { password }, forwarded);
    expect(plain.getSetCookie()[0]).not.toContain('Secure');
  });
});

describe('a session', () => {
  const sign = (key: Buffer, site: string, seconds: number) =>
    new CookieSigner(key, site).sign('session', { name: 'Ada', groups: [] }, seconds);

  test.each([
    ['with another key', sign(Buffer.from('another key for tests with 32 bytes'), 'docs', 60)],
    ['of another site of the process', sign(sessionKey, 'handbook', 60)],
    ['that has ended', sign(sessionKey, 'docs', -1)],
    [
      'with another purpose',
      new CookieSigner(sessionKey, 'docs').sign('pending', { name: 'Ada', groups: [] }, 60),
    ],
    ['without its signature', sign(sessionKey, 'docs', 60).split('.')[0] ?? ''],
    ['with a changed value', sign(sessionKey, 'docs', 60).replace(/^./, 'f')],
    ['that is not a cookie of this program', 'eyJhbGciOiJub25lIn0.e30.'],
  ])('%s does not count', async (_, cookie) => {
    const reader = (await start()).visitor();
    reader.cookies.set('docyard_session', cookie);
    expect((await reader.get('/')).status).toBe(303);
  });

  test('counts although another cookie of the same name comes first', async () => {
    const reader = (await start()).visitor();
    const cookie = `docyard_session=invalid; docyard_session=${sign(sessionKey, 'docs', 60)}`;
    expect((await reader.get('/', { cookie })).text).toBe(privatePage);
  });
});

describe('a file of passwords', () => {
  test('gives the groups behind a hash', () => {
    expect(hashes.map(({ groups }) => groups)).toEqual([['partners']]);
  });

  test.each(['', 'secret', 'scrypt:1:8:1:c2FsdA:aGFzaA', '# a comment'])('is refused with %j', (text) => {
    expect(() => parsePasswordFile(text, 'passwords')).toThrow(/docyard-site hash-password/);
  });
});
