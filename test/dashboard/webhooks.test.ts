/**
 * Webhooks in the dashboard, with a receiver that checks signatures; and what the audit log and the system screen say.
 */
import type { Page } from 'playwright-core';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../packages/server/test/support/webhook-receiver.ts';
import { addSite, chromiumPath, openDashboard, owner, type Dashboard, type OpenPage } from './stage.ts';

describe.skipIf(chromiumPath === undefined)('telling others, and looking after the installation', () => {
  let dashboard: Dashboard;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    dashboard = await openDashboard({ environment: { EGRESS_ALLOW: `webhook:${receiver.host}` } });
  });
  afterAll(() => dashboard?.close());

  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, options = {}) {
    const opened = await dashboard.open(path, options);
    await use(opened);
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  }

  test('one is added, tried, read to the byte, sent again, switched off and deleted', () =>
    withPage('/webhooks', async ({ page }) => {
      await page.getByText('docyard webhooks create').waitFor();
      await page.getByRole('button', { name: 'Add a webhook' }).click();
      await page.waitForURL(/\/webhooks\?new=1$/);
      const form = page.getByRole('dialog', { name: 'Add a webhook' });
      await form.getByLabel('Address').fill('https://10.0.0.7/');
      await form.getByRole('button', { name: 'Add webhook' }).click();
      await form.getByText('EGRESS_ALLOW').waitFor();
      await form.getByLabel('Address').fill(`${receiver.origin}/hook`);
      await form.getByRole('button', { name: 'Add webhook' }).click();
      const secret = await takeSecret(page);
      await page.waitForURL(/\/webhooks\/wh_\w+$/);

      await page.getByRole('button', { name: 'Send a test event' }).click();
      const row = page.getByRole('row').filter({ hasText: 'webhook.test' });
      await row.getByText('Delivered').waitFor();
      const [first] = receiver.received;
      expect(
        new Verifier(secret).verify(first?.body ?? '', first?.headers as Record<string, string>),
      ).toMatchObject({ type: 'webhook.test' });

      await row.getByRole('link', { name: 'webhook.test' }).click();
      await page.waitForURL(/\?delivery=whd_\w+$/);
      const delivery = page.getByRole('dialog', { name: 'webhook.test' });
      await delivery.getByText('"type": "webhook.test"').waitFor();
      await delivery.getByRole('button', { name: 'Send again' }).click();
      await delivery.getByRole('heading', { name: '2 attempts' }).waitFor();
      expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      await delivery.getByRole('button', { name: 'Close' }).last().click();

      await chooseAction(page, 'Replace the secret');
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      expect(await takeSecret(page)).not.toBe(secret);

      await chooseAction(page, 'Switch off');
      await page.getByText('It is switched off.').waitFor();
      await page.getByRole('button', { name: 'Switch on' }).waitFor();
      await chooseAction(page, 'Delete');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click();
      await page.waitForURL(/\/webhooks$/);
      await page.getByText('Nobody is told yet').waitFor();
    }));

  test('a receiver that fails is told of, with what it answered', async () => {
    receiver.answer = (response) => response.writeHead(503).end('back at noon');
    const { client } = dashboard.service;
    const { id: webhookId } = await client.call('createWebhook', {
      body: { url: `${receiver.origin}/down` },
    });
    const { id } = await client.call('testWebhook', { params: { webhookId } });
    await withPage(`/webhooks/${webhookId}?delivery=${id}`, async ({ page }) => {
      const delivery = page.getByRole('dialog', { name: 'webhook.test' });
      await delivery.getByText('503', { exact: true }).first().waitFor();
      await delivery.getByText('back at noon').first().waitFor();
      await page.keyboard.press('Escape');
      await delivery.waitFor({ state: 'detached' });
      await page.getByText('Nothing has arrived since').waitFor();
      await page.getByRole('button', { name: 'Failed' }).click();
      await page.waitForURL(/\?status=failed$/);
      await page.getByText('None with this status').waitFor();
    });
    receiver.answer = 204;
  });

  test('a member looks at webhooks and changes none, a viewer sees none', async () => {
    await withPage(
      '/webhooks?new=1',
      async ({ page }) => {
        await page.getByText('Owners and admins add and change webhooks.').waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      },
      { as: await dashboard.join('member') },
    );
    await withPage(
      '/webhooks',
      async ({ page }) => {
        await page.getByText('Webhooks are shown to members').waitFor();
        expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
      },
      { as: await dashboard.join('viewer') },
    );
  });

  test('the audit log says who did what, and its filters are in the address', async () => {
    await addSite(dashboard.service);
    await withPage('/audit', async ({ page }) => {
      const row = page.getByRole('row');
      await row.filter({ hasText: `${owner.name} set up this installation` }).waitFor();
      await row.filter({ hasText: 'First admin key created the project Harbour handbook' }).waitFor();
      await page.getByLabel('Area', { exact: true }).selectOption('Projects');
      await page.waitForURL(/\?action=project$/);
      await expect.poll(() => row.count()).toBe(2);
      await page.getByRole('combobox', { name: 'Who' }).fill(owner.email);
      await page.getByRole('option', { name: owner.name }).click();
      await page.getByText('Nothing like that').waitFor();
      await page.getByRole('button', { name: 'Show everything' }).click();
      await row.getByRole('button', { name: 'All of this entry' }).first().click();
      await page
        .getByRole('dialog')
        .getByText(/^[0-9a-f]{64}$/)
        .waitFor();
    });
  });

  test('the system screen shows every check, and the key that bundles are signed with', async () => {
    const { signingKey, checks } = await dashboard.service.client.call('readSystem');
    await withPage('/system', async ({ page }) => {
      await page.getByText('All is well').waitFor();
      await expect.poll(() => page.locator('.check').count()).toBe(checks.length);
      await page.getByText(signingKey.publicKey, { exact: true }).waitFor();
    });
  });
});

async function takeSecret(page: Page): Promise<string> {
  const line = page
    .getByRole('dialog')
    .getByText(/^whsec_/)
    .first();
  const secret = await line.innerText();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await line.waitFor({ state: 'detached' });
  return secret;
}

async function chooseAction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name }).click();
}
