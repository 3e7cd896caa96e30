/** Setup, first steps, sign-in and sign-out. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openDashboard, owner, setupToken, type Dashboard } from './harness.ts';

/** Generous for a busy machine. */
const patience = { timeout: 20_000 };

describe.skipIf(chromiumPath === undefined)('the way into the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard({ setUp: false, sample: true });
  });
  afterAll(() => dashboard?.close());

  test('before the first user exists, every address leads to the setup, which needs the token', async () => {
    const { page, complaints } = await dashboard.open('/exports');
    await page.getByRole('heading', { name: 'Set up Docyard' }).waitFor();
    await page.getByLabel('Setup token').fill('guessed');
    await fillIn(page, { 'Your name': owner.name, Email: owner.email, Password: owner.password });
    await page.getByRole('button', { name: 'Set up and sign in' }).click();
    await page.getByRole('alert').getByText(/link/).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the link of the terminal makes an owner, who exports the sample and opens it', async () => {
    const token = await setupToken(dashboard.service);
    const { page, complaints } = await dashboard.open(`/setup#${token}`);
    await page.getByLabel('Your name').waitFor();
    await expect.poll(() => page.url(), patience).not.toContain('#');
    expect(await page.getByLabel('Setup token').count()).toBe(0);

    await fillIn(page, { 'Your name': owner.name, Email: owner.email, Password: 'short' });
    await page.getByText('7 more characters.').waitFor();
    await page.getByRole('button', { name: 'Set up and sign in' }).click();
    await page.getByText('A password has at least 12 characters.').waitFor();
    await password(page).fill(owner.password);
    await page.getByText('Good and long.').waitFor();
    await page.getByRole('button', { name: 'Set up and sign in' }).click();

    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText('docyard keys create').waitFor();
    await page.getByRole('button', { name: 'Export it now' }).click();
    await page.getByRole('link', { name: 'Look at the site' }).click();
    await page.waitForURL(/\/exports\/se_\w+\?tab=preview$/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('afterwards there is no setup, and signing in leads to where one wanted to go', async () => {
    const { page, complaints } = await dashboard.open('/setup');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${dashboard.service.origin}/dashboard/keys?show=ended`);
    await page.waitForURL(/\/login\?to=/);
    await fillIn(page, { Email: owner.email, Password: 'not this one, surely' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await password(page).fill(owner.password);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/keys\?show=ended$/);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();

    await page.getByRole('button', { name: owner.name }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${dashboard.service.origin}/dashboard/`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a link cannot lead away from the dashboard', async () => {
    const { page } = await dashboard.open('/login?to=//other.example');
    await fillIn(page, { Email: owner.email, Password: owner.password });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'My organization' }).waitFor();
    expect(page.url()).toBe(`${dashboard.service.origin}/dashboard/`);
    await page.context().close();
  });

  test('a session that ends in another tab leads to the sign-in, and back to the same screen', async () => {
    const { page } = await dashboard.open('/login?to=/users');
    await fillIn(page, { Email: owner.email, Password: owner.password });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Users', exact: true }).waitFor();
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.waitForURL(/\/login\?to=%2Fkeys&ended=1$/);
    await page.getByText('Your session has ended.').waitFor();
    await page.context().close();
  });

  test('a screen that only listens notices it too, and everything is as it was after the next sign-in', async () => {
    const { page: listening } = await dashboard.open('/login?to=/exports?status=completed');
    await fillIn(listening, { Email: owner.email, Password: owner.password });
    await listening.getByRole('button', { name: 'Sign in' }).click();
    await listening.getByRole('heading', { name: 'Exports' }).waitFor();
    const other = await listening.context().newPage();
    await other.goto(`${dashboard.service.origin}/dashboard/users`);
    await other.getByRole('button', { name: owner.name }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.getByText('Your session has ended.').count()).toBe(0);

    await listening.getByText('Your session has ended.').waitFor();
    await fillIn(listening, { Email: owner.email, Password: owner.password });
    await listening.getByRole('button', { name: 'Sign in' }).click();
    await listening.waitForURL(/\/dashboard\/exports\?status=completed$/);
    await listening.getByRole('heading', { name: 'Exports' }).waitFor();
    await listening.context().close();
  });

  test('after too many attempts the waiting time is shown', async () => {
    const { page } = await dashboard.open('/login');
    await fillIn(page, { Email: 'unknown@example.com', Password: 'guess after guess' });
    const refusals: number[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('/v1/session')) refusals.push(response.status());
    });
    while (refusals.at(-1) !== 429) {
      const known = refusals.length;
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect.poll(() => refusals.length, patience).toBeGreaterThan(known);
    }
    await page.getByText(/Too many attempts\. Try again in \d+ min/).waitFor();
    await page.context().close();
  });

  test('an invitation without its token says so', async () => {
    const { page } = await dashboard.open('/invitation');
    await page.getByText('the part after # is missing').waitFor();
    await page.context().close();
  });
});

async function fillIn(page: Page, values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
}

/** The button that reveals the password has a similar label. */
function password(page: Page) {
  return page.getByLabel('Password', { exact: true });
}
