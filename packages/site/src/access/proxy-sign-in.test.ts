import { expect, test } from 'vitest';
import { privatePage, startPrivateSite } from '../../test/support/private-site.ts';
import { ProxySignIn } from './proxy-sign-in.ts';

const headers = { userHeader: 'X-Forwarded-User', groupsHeader: 'X-Forwarded-Groups' };
const start = async (trustedProxies: string[]) =>
  (await startPrivateSite(new ProxySignIn({ ...headers, trustedProxies }), { trustedProxies })).visitor();

test('the headers of a trusted proxy name the reader', async () => {
  const reader = await start(['10.0.0.0/8', '127.0.0.1']);
  const signedIn = { 'x-forwarded-user': 'ada', 'x-forwarded-groups': 'partners, staff' };
  expect((await reader.get('/', signedIn)).text).toBe(privatePage);
  expect((await reader.get('/_docyard/access/sign-out', signedIn)).text).toContain('signed in as ada');
  for (const without of [{}, { 'x-forwarded-user': ' ' }])
    expect((await reader.get('/', without)).status).toBe(303);
});

test('the headers of another address are ignored', async () => {
  for (const proxies of [['10.0.0.0/8'], []]) {
    const reader = await start(proxies);
    const forged = { 'x-forwarded-user': 'ada', 'x-forwarded-for': '10.0.0.1' };
    const asked = await reader.get('/', forged);
    expect(asked.status).toBe(303);
    expect((await reader.get(asked.location ?? '', forged)).text).toContain('Open it at its usual address');
  }
});
