/** Webhooks in the dashboard with a receiver that verifies signatures, the audit log and the system screen. */
import type { Page } from 'playwright-core';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../../packages/server/test/support/webhook-receiver.ts';
import { addSite, chromiumPath, openDashboard, owner, type Dashboard, type OpenPage } from './harness.ts';

describe.skipIf(chromiumPath === undefined)('webhooks, the audit log and the system screen', () => {
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
      await page.getByRole('button', { name: 'Create a new secret' }).click();
      expect(await takeSecret(page)).not.toBe(secret);

      await chooseAction(page, 'Disable');
      await page.getByText('The webhook is disabled.').first().waitFor();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
      await chooseAction(page, 'Delete');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click();
      await page.waitForURL(/\/webhooks$/);
      await page.getByText('No webhooks yet').waitFor();
    }));

  test('a failing receiver is shown with its response', async () => {
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
      await page.getByText('No delivery has succeeded since').waitFor();
      await page.getByRole('button', { name: 'Failed' }).click();
      await page.waitForURL(/\?status=failed$/);
      await page.getByText('No deliveries with this status').waitFor();
    });
    receiver.answer = 204;
  });

  test('a member looks at webhooks and changes none, a viewer sees none', async () => {
    await withPage(
      '/webhooks?new=1',
      async ({ page }) => {
        await page.getByText('Owners and admins can add and change webhooks.').waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      },
      { as: await dashboard.join('member') },
    );
    await withPage(
      '/webhooks',
      async ({ page }) => {
        await page.getByText('You have no access to webhooks').waitFor();
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
      await page.getByText('No matching entries').waitFor();
      await page.getByRole('button', { name: 'Show everything' }).click();
      await row.getByRole('button', { name: 'Show details' }).first().click();
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
