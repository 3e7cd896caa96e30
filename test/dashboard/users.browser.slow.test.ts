/** Users in the dashboard: invited, given another role, disabled and removed; and changes of one's password. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { chromiumPath, openDashboard, owner, type Dashboard } from './harness.ts';

const name = 'Grace Pier';
const email = 'grace@example.com';

/** Generous for a busy machine. */
const patience = { timeout: 20_000 };

describe.skipIf(chromiumPath === undefined)('the users screen', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard?.close());

  test('an invited user joins with a link and has access until the owner removes it', async () => {
    const { page, complaints } = await dashboard.open('/users');
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a user' });
    await dialog.getByLabel('Email').fill(email);
    await dialog.getByRole('radio', { name: /^Admin/ }).click();
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await takeLink(page);
    await rowOf(page, email).getByText('invited').waitFor();

    const guest = await dashboard.open(`/invitation#${link.split('#')[1] ?? ''}`, { as: null });
    await guest.page.getByLabel('Your name').fill(name);
    await expect.poll(() => guest.page.url(), patience).not.toContain('#');
    await guest.page.getByLabel('Password', { exact: true }).fill('a lantern above the pier');
    await guest.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await guest.page.getByRole('link', { name: 'API keys' }).click();
    await guest.page.getByRole('button', { name: 'Create key' }).waitFor();

    await page.reload();
    await rowOf(page, name).getByText('active').waitFor();
    await act(page, name, 'Change role');
    await page
      .getByRole('dialog')
      .getByRole('radio', { name: /^Viewer/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click();
    await page.getByText(`${name} is a viewer now`).waitFor();
    await guest.page.reload();
    await guest.page.getByText('You have no access to API keys').waitFor();

    await act(page, name, 'Disable');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await rowOf(page, name).getByText('disabled').waitFor();
    await guest.page.getByRole('link', { name: 'Exports' }).click();
    await guest.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await act(page, name, 'Enable');
    await rowOf(page, name).getByText('active').waitFor();
    await act(page, name, 'Remove');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await rowOf(page, name).waitFor({ state: 'detached' });
    expect([...complaints, ...guest.complaints]).toEqual([]);
    await guest.page.context().close();
    await page.context().close();
  });

  test('a lost link is replaced by another', async () => {
    const { page } = await dashboard.open('/people?new=1&email=lost@example.com&role=viewer');
    await expect.poll(() => page.url(), patience).toContain('/dashboard/users?new=1&email=lost@example.com');
    await page.getByRole('button', { name: 'Create link' }).click();
    const first = await takeLink(page);
    await act(page, 'lost@example.com', 'New invitation link');
    await page.getByRole('button', { name: 'Create link' }).click();
    const second = await takeLink(page);
    expect(second).not.toBe(first);
    const late = await dashboard.open(`/invitation#${first.split('#')[1] ?? ''}`, { as: null });
    await late.page.getByLabel('Your name').fill('Lost');
    await late.page.getByLabel('Password', { exact: true }).fill('a lantern above the pier');
    await late.page.getByRole('button', { name: 'Accept and sign in' }).click();
    await late.page.getByRole('alert').waitFor();
    await late.page.context().close();
    await page.context().close();
  });

  test('an admin cannot change owners, and no user can change their own role', async () => {
    const { page } = await dashboard.open('/users', { as: await dashboard.join('admin', 'Nora Quay') });
    await rowOf(page, 'Nora Quay').getByText('(you)').waitFor();
    await rowOf(page, owner.name).waitFor();
    for (const name of ['Nora Quay', owner.name])
      expect(await page.getByRole('button', { name: `Actions for ${name}` }).count()).toBe(0);
    await page.getByRole('button', { name: 'Invite' }).click();
    const roles = page.getByRole('dialog').getByRole('radio');
    await expect.poll(() => roles.count(), patience).toBe(3);
    await page.context().close();
  });

  test('every user changes their own password; a viewer sees no other users', async () => {
    const { page, complaints } = await dashboard.open('/users?password=1', {
      as: await dashboard.join('viewer', 'Ivo Buoy'),
    });
    const dialog = page.getByRole('dialog', { name: 'Change your password' });
    await dialog.getByLabel('Password now', { exact: true }).fill('not the right one');
    await dialog.getByLabel('New password', { exact: true }).fill('fog horns at six in the morning');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Password now', { exact: true }).fill('a lantern above the pier');
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed').waitFor();
    await page.reload();
    await page.getByText('Members, admins and owners can see the other users.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});

function rowOf(page: Page, text: string) {
  return page.getByRole('row').filter({ hasText: text });
}

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Reads the link from the dialog that shows it once, and closes it. */
async function takeLink(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Invitation link' });
  const link = (await dialog.getByText('/dashboard/invitation#').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return link;
}
