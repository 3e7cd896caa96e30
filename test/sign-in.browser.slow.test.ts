/** Sign-in in Chromium: the session cookie, and OpenID Connect with a real issuer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Me } from '@docyard/api';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startIssuer, type FakeIssuer } from './fakes/issuer.ts';
import { startService, type Service } from './service.ts';
import { chromiumPath } from '../packages/render/test/support/chromium.ts';

const owner = {
  email: 'owner@example.com',
  name: 'Olga',
  password: 'a lighthouse keeper counts ships',
};

describe.skipIf(chromiumPath === undefined)('with an OpenID Connect issuer', () => {
  let browser: Browser;
  let issuer: FakeIssuer;
  let service: Service;

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
    });
    issuer = await startIssuer({ isVerified: (account) => account !== 'unverified' });
    service = await startService({
      sample: false,
      environment: {
        OIDC_ISSUER: issuer.url,
        OIDC_CLIENT_ID: issuer.clientId,
        OIDC_CLIENT_SECRET: issuer.clientSecret,
        OIDC_NAME: 'Harbour ID',
      },
    });
    await issuer.open(`${service.origin}/sign-in/oidc/return`);
    const token = readFileSync(join(service.dataDir, 'setup-token'), 'utf8').trim();
    const response = await fetch(`${service.origin}/v1/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...owner }),
    });
    expect(response.status).toBe(201);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    issuer?.stop();
  });

  /** Signs in at the issuer and returns to the service. */
  async function signIn(account: string, to = '/'): Promise<{ page: Page; place: string; me: Me | null }> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${service.origin}/sign-in/oidc?to=${encodeURIComponent(to)}`);
    await page.locator('input[name=login]').fill(account);
    await page.locator('input[name=password]').fill('anything');
    await page.locator('button[type=submit]').click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.waitForURL(`${service.origin}/dashboard/**`);
    const place = page.url().slice(service.origin.length);
    const me = await page.evaluate(async (): Promise<Me | null> => {
      const response = await fetch('/v1/me');
      return response.ok ? ((await response.json()) as Me) : null;
    });
    return { page, place, me };
  }

  const invite = (email: string, role: 'member' | 'viewer') =>
    service.client.call('inviteUser', { body: { email, role } });

  test.each(['127.0.0.1', 'localhost'])(
    'over plain http at %s the session is a secure cookie of this very host',
    async (host) => {
      const origin = `http://${host}:${new URL(service.origin).port}`;
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${origin}/dashboard/login`);
      const { email, password } = owner;
      const status = await page.evaluate(async (body) => {
        const headers = { 'content-type': 'application/json' };
        return (await fetch('/v1/session', { method: 'POST', headers, body })).status;
      }, JSON.stringify({ email, password }));
      expect(status).toBe(201);
      const cookies = (await context.cookies()).filter(({ name }) => !name.endsWith('-probe'));
      expect(cookies).toMatchObject([
        { name: '__Host-docyard', domain: host, path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
      ]);
      expect(await page.evaluate(async () => (await fetch('/v1/me')).status)).toBe(200);
      await context.close();
    },
  );

  test('the sign-in page learns of it', async () => {
    const response = await fetch(`${service.origin}/v1/setup`);
    expect(await response.json()).toEqual({
      needed: false,
      signIn: { oidc: { name: 'Harbour ID', startUrl: '/sign-in/oidc' } },
    });
  });

  test('an invited user signs in, is redirected, and is the same user next time', async () => {
    await invite('ada@example.com', 'member');
    const { place, me } = await signIn('ada', '/exports?status=failed');
    expect(place).toBe('/dashboard/exports?status=failed');
    expect(me?.person).toMatchObject({ email: 'ada@example.com', name: 'ADA', role: 'member' });
    const again = await signIn('ada');
    expect(again.me?.person?.id).toBe(me?.person?.id);
    const { data } = await service.client.call('listUsers');
    expect(data[0]).toMatchObject({ email: 'ada@example.com', status: 'active', signsInWith: 'oidc' });
  });

  test('an unknown user, an unverified email and a disabled user cannot sign in', async () => {
    expect(await signIn('eve')).toMatchObject({ place: '/dashboard/login?refused=not_invited', me: null });
    await invite('unverified@example.com', 'viewer');
    const unverified = await signIn('unverified');
    expect(unverified).toMatchObject({ place: '/dashboard/login?refused=email_unverified', me: null });
    const { person } = await invite('ben@example.com', 'viewer');
    expect((await signIn('ben')).me).not.toBeNull();
    await service.client.call('updateUser', { params: { userId: person.id }, body: { disabled: true } });
    expect(await signIn('ben')).toMatchObject({ place: '/dashboard/login?refused=disabled', me: null });
  });

  test('redirects to another site and unsolicited callbacks are refused', async () => {
    await invite('carl@example.com', 'viewer');
    const { page, place } = await signIn('carl', '//evil.example/');
    expect(place).toBe('/dashboard/');
    const returned = `${service.origin}/sign-in/oidc/return?code=stolen&state=stolen`;
    await page.goto(returned);
    expect(page.url()).toBe(`${service.origin}/dashboard/login?refused=sign_in_expired`);
    const halfway = await (await browser.newContext()).newPage();
    await halfway.goto(`${service.origin}/sign-in/oidc`);
    await halfway.goto(returned);
    expect(halfway.url()).toBe(`${service.origin}/dashboard/login?refused=sign_in_refused`);
  });
});
