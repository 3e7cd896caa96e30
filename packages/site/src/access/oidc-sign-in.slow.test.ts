/** Sign-in at a real OpenID provider, `oidc-provider` from npm, through its own pages. */
import { expect, test } from 'vitest';
import { startIssuer } from '../../../../test/fakes/issuer.ts';
import { cleanUp } from '../../../../test/cleanups.ts';
import { privatePage, startPrivateSite, Visitor } from '../../test/support/private-site.ts';
import { OidcSignIn, type OidcSettings } from './oidc-sign-in.ts';

const callback = '/_docyard/access/callback';

async function start(changes: Partial<OidcSettings> = {}) {
  const issuer = await startIssuer({ groups: (account) => (account === 'ada' ? ['partners'] : []) });
  cleanUp(() => issuer.stop());
  const problems: string[] = [];
  const signIn = new OidcSignIn(
    {
      issuer: issuer.url,
      clientId: issuer.clientId,
      clientSecret: issuer.clientSecret,
      scopes: 'openid profile email',
      groupsClaim: 'groups',
      allowedGroups: [],
      offline: false,
      ...changes,
    },
    (problem) => problems.push(problem),
  );
  const site = await startPrivateSite(signIn);
  return { issuer, problems, ...site };
}

/** Signs in at the pages of the provider. Returns the address that it leads back to. */
async function signInAt(provider: string, address: string, account: string): Promise<string> {
  const browser = new Visitor(provider);
  let answer = await browser.get(address);
  for (const prompt of ['login', 'consent']) {
    const interaction = answer.location ?? '';
    await browser.get(interaction);
    const submitted = await browser.post(interaction, { prompt, login: account, password: 'any' });
    answer = await browser.get(submitted.location ?? '');
  }
  return answer.location ?? '';
}

test('an account of the provider reads the site with its groups until it signs out', async () => {
  const { issuer, origin, visitor, problems } = await start({ allowedGroups: ['partners'] });
  await issuer.open(origin + callback);
  const reader = visitor();
  const asked = await reader.get('/guide');
  const away = await reader.get(asked.location ?? '');
  expect(away.location).toContain(`${issuer.url}/auth?`);
  const returned = await signInAt(issuer.url, away.location ?? '', 'ada');
  const stranger = visitor();
  expect((await stranger.get(returned)).status).toBe(400);
  const back = await reader.get(returned);
  expect([back.status, back.location, problems]).toEqual([303, '/guide', []]);
  expect((await reader.get('/')).text).toBe(privatePage);
  expect((await reader.get('/_docyard/access/sign-out')).text).toContain('You are signed in as ADA.');
  const out = await reader.post('/_docyard/access/sign-out', {});
  expect(out.location).toContain(`${issuer.url}/session/end?`);
  expect((await reader.get('/')).status).toBe(303);
  // A code is valid once, and its cookie is gone.
  expect((await reader.get(returned)).status).toBe(400);
});

test('an account outside of the allowed groups sees the reason', async () => {
  const { issuer, origin, visitor } = await start({ allowedGroups: ['partners'] });
  await issuer.open(origin + callback);
  const reader = visitor();
  const away = await reader.get((await reader.get('/')).location ?? '');
  const returned = await reader.get(await signInAt(issuer.url, away.location ?? '', 'bob'));
  expect([returned.status, returned.text.includes('not allowed to read this site')]).toEqual([403, true]);
  expect((await reader.get('/')).status).toBe(303);
});

test('a changed state and a denied request are refused', async () => {
  const { issuer, origin, visitor, problems } = await start();
  await issuer.open(origin + callback);
  for (const query of ['?code=x&state=forged', '?error=access_denied&state=forged']) {
    const reader = visitor();
    await reader.get((await reader.get('/')).location ?? '');
    expect((await reader.get(callback + query)).status).toBe(403);
  }
  expect(problems).toHaveLength(2);
});

test('a provider that does not respond leads to a page that says so, and later works', async () => {
  const { issuer, origin, visitor } = await start();
  const reader = visitor();
  const asked = await reader.get('/');
  const refused = await reader.get(asked.location ?? '');
  expect([refused.status, refused.text.includes('cannot be reached')]).toEqual([503, true]);
  await issuer.open(origin + callback);
  expect((await reader.get(asked.location ?? '')).location).toContain(issuer.url);
});
