/** API keys in the dashboard: created, used, rolled and revoked, and what other roles see. */
import type { Project } from '@docyard/api';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  addSite,
  chromiumPath,
  openDashboard,
  type Dashboard,
  type OpenPage,
  type Session,
} from './harness.ts';

/** Generous for a busy machine. */
const patience = { timeout: 20_000 };

describe.skipIf(chromiumPath === undefined)('API keys in the dashboard', () => {
  let dashboard: Dashboard;
  let own: Project;

  beforeAll(async () => {
    dashboard = await openDashboard();
    own = await addSite(dashboard.service);
  });
  afterAll(() => dashboard?.close());

  /** Signed in as the owner by default. */
  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, as?: Session) {
    const opened = await (as === undefined ? dashboard.visit(path) : dashboard.open(path, { as }));
    await use(opened);
    expect(opened.complaints).toEqual([]);
    if (as !== undefined) await opened.page.context().close();
  }

  /** The status of a request with this key. */
  async function answerTo(key: string, path = '/v1/projects'): Promise<number> {
    const { status } = await fetch(`${dashboard.service.origin}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return status;
  }

  test('the ids of projects are there to be copied', () =>
    withPage('/keys', async ({ page }) => {
      await page.getByRole('button', { name: 'Copy id of Harbour handbook' }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patience).toMatch(/^pr_/);
    }));

  test('one is made, shown once, works, is rolled, and fails as soon as it is revoked', () =>
    withPage('/keys', async ({ page }) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.waitForURL(/\/keys\?new=1$/);
      const dialog = page.getByRole('dialog', { name: 'Create an API key' });
      await dialog.getByLabel('Name').fill('pipeline');
      await dialog.getByRole('radio', { name: /^Custom/ }).click();
      await dialog.getByRole('group', { name: 'Projects' }).getByText('Read').click();
      await dialog.getByLabel('Works for').selectOption('7 days');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const key = await takeSecret(page);
      expect(await answerTo(key)).toBe(200);
      const row = page.getByRole('row').filter({ hasText: 'pipeline' });
      await row.getByText('expires in 6 days').or(row.getByText('expires in 7 days')).waitFor();
      expect(await page.content()).not.toContain(key);

      await row.getByRole('button', { name: 'Actions for pipeline' }).click();
      await page.getByRole('menuitem', { name: 'Roll' }).click();
      await page.getByLabel('The old key stays valid').selectOption('For an hour');
      await page.getByRole('button', { name: 'Roll key' }).click();
      const next = await takeSecret(page);
      expect(next).not.toBe(key);
      expect(await answerTo(key)).toBe(200);
      await expect.poll(() => row.count(), patience).toBe(2);

      await row.first().getByRole('button', { name: 'Actions for pipeline' }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
      await row.first().getByText('revoked').waitFor();
      expect(await answerTo(next)).toBe(401);
      expect(await answerTo(key)).toBe(200);
      const focused = () => page.evaluate(() => document.activeElement?.tagName);
      await expect.poll(focused, patience).not.toBe('BODY');

      await page.getByRole('button', { name: 'Ended' }).click();
      await page.waitForURL(/\/keys\?show=ended$/);
      await expect.poll(() => row.count(), patience).toBe(1);
    }));

  test('a link fills in the form, and what the server refuses is said at the field', () =>
    withPage('/keys?new=1&name=ci&scopes=exports:write&expires=30', async ({ page }) => {
      const dialog = page.getByRole('dialog', { name: 'Create an API key' });
      await expect.poll(() => dialog.getByLabel('Name').inputValue(), patience).toBe('ci');
      await expect.poll(() => dialog.getByLabel('Works for').inputValue(), patience).toBe('30');
      await dialog.getByRole('button', { name: 'The same as an API call' }).click();
      await dialog.getByText('"scopes":["exports:write"]').waitFor();
      await dialog.getByLabel('Addresses').fill('203.0.113.7\nthe harbour');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      // Two of the entries are invalid; the field reports it once.
      await dialog.getByText('This is not an IP address or CIDR range.').waitFor();
      expect(await dialog.getByRole('alert').count()).toBe(0);
      await dialog.getByLabel('Addresses').fill('203.0.113.7');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      const key = await takeSecret(page);
      await page.waitForURL(/\/keys$/);
      await page.getByText('Only from 203.0.113.7').waitFor();
      expect(await answerTo(key)).toBe(403);
    }));

  test('one for a project is made from its page, and reaches nothing else', async () => {
    const { client, origin } = dashboard.service;
    const other = await client.call('createProject', {
      body: {
        name: 'Tide tables',
        domain: 'tides.example.com',
        source: { repository: 'https://git.example.com/tides.git' },
      },
    });
    await withPage(`/projects/${own.id}`, async ({ page }) => {
      await page.getByRole('link', { name: 'Create a key for this project' }).click();
      await page.waitForURL(new RegExp(`/keys\\?new=1&project=${own.id}$`));
      const dialog = page.getByRole('dialog', { name: 'Create an API key' });
      await dialog.getByText('The key has access to this project only').waitFor();
      await dialog.getByLabel('Name').fill('of the handbook');
      await dialog.getByRole('radio', { name: /^Custom/ }).click();
      await dialog.getByRole('group', { name: 'Exports' }).waitFor();
      expect(await dialog.getByRole('group', { name: 'Webhooks' }).count()).toBe(0);
      await dialog.getByRole('radio', { name: /^Read Everything of the project/ }).click();
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByText(`curl ${origin}/v1/projects/${own.id} `).waitFor();
      const key = await takeSecret(page);
      const row = page.getByRole('row').filter({ hasText: 'of the handbook' });
      await row.getByRole('link', { name: own.name }).waitFor();
      expect(await answerTo(key, `/v1/projects/${own.id}`)).toBe(200);
      expect(await answerTo(key, `/v1/projects/${other.id}`)).toBe(404);
      expect(await answerTo(key, '/v1/webhooks')).toBe(403);
    });
  });

  test('a stray key does not close the dialog with the secret', () =>
    withPage('/keys?new=1&name=stray&scopes=read', async ({ page }) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      const shown = page.getByRole('dialog', { name: 'Your new key' });
      await shown.waitFor();
      await page.keyboard.press('Escape');
      await page.mouse.click(5, 5);
      await shown.getByText('curl').waitFor();
      await takeSecret(page);
      await shown.waitFor({ state: 'detached' });
    }));

  test('a member sees keys but no way to change them, a viewer not even keys', async () => {
    await withPage(
      '/keys?new=1',
      async ({ page }) => {
        await page.getByText('Owners and admins can create, roll and revoke keys.').waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
        expect(await page.getByRole('button', { name: /Create key|Actions for/ }).count()).toBe(0);
      },
      await dashboard.join('member'),
    );
    await withPage(
      '/keys',
      async ({ page }) => {
        await page.getByText('You have no access to API keys').waitFor();
        expect(await page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
      },
      await dashboard.join('viewer'),
    );
  });
});

/** Reads the secret from the dialog that shows it once, and closes it. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your new key' });
  await dialog.getByRole('button', { name: 'Copy key' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()), patience).toMatch(/^docyard_/);
  const key = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return key;
}
