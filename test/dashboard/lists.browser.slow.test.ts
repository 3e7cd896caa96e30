/** The screens at the size of a large customer: 1,000 projects, 5,000 exports and 2,000 keys. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { write } from '../contract/harness.ts';
import { seed, type Seeded, type SeededProject } from './seed.ts';
import { chromiumPath, openDashboard, type Dashboard } from './harness.ts';

describe.skipIf(chromiumPath === undefined)('a large organization', () => {
  let dashboard: Dashboard;
  let seeded: Seeded;
  /** The oldest record is not on any first page. */
  let oldest: SeededProject;

  beforeAll(async () => {
    dashboard = await openDashboard();
    seeded = await seed(dashboard.service);
    oldest = seeded.projects[0] as SeededProject;
  });
  afterAll(() => dashboard?.close());

  const requestsOf = (page: Page, method: string, part: string) => {
    const bodies: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === method && request.url().includes(part)) bodies.push(request.postDataJSON());
    });
    return bodies;
  };

  test('the start dialog exports the project that the link names, though 999 are newer', async () => {
    const { page, complaints } = await dashboard.visit(`/exports?new=1&domain=${oldest.domain}`);
    const dialog = page.getByRole('dialog', { name: 'Start an export' });
    await expect.poll(() => dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe(oldest.name);
    const started = requestsOf(page, 'POST', '/static-export/jobs');
    await dialog.getByRole('button', { name: 'Start export' }).click();
    await page.waitForURL(/\/exports\/se_/);
    expect(started).toEqual([{ domain: oldest.domain }]);
    expect(complaints).toEqual([]);
  });

  test('the start dialog chooses no project when none is named or the named one does not exist', async () => {
    for (const query of ['', '&domain=nowhere.example.com', '&project=pr_0000000000000000']) {
      const { page } = await dashboard.visit(`/exports?new=1${query}`);
      const dialog = page.getByRole('dialog', { name: 'Start an export' });
      expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).toBe('');
      expect(await dialog.getByRole('button', { name: 'Start export' }).isDisabled()).toBe(true);
      if (query !== '') await dialog.getByText('does not exist').waitFor();
    }
  });

  test('the project picker finds any project with the keyboard alone', async () => {
    const { page } = await dashboard.visit('/exports?new=1');
    const dialog = page.getByRole('dialog', { name: 'Start an export' });
    const picker = dialog.getByRole('combobox', { name: 'Project' });
    await picker.focus();
    await page.keyboard.type('docs-0007');
    await page.getByRole('option', { name: /API reference 0007/ }).waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    expect(await picker.inputValue()).toBe('API reference 0007');
    await page.keyboard.type('zzz');
    await page.keyboard.press('Escape');
    expect(await picker.inputValue()).toBe('API reference 0007');
    expect(await dialog.isVisible()).toBe(true);
  });

  test('the new agent job is for the project of the address, or for none', async () => {
    const { page } = await dashboard.visit(`/agent?new=1&project=${oldest.id}`);
    const dialog = page.getByRole('dialog', { name: 'New agent job' });
    const picker = dialog.getByRole('combobox', { name: 'Project' });
    await expect.poll(() => picker.inputValue()).toBe(oldest.name);
    await page.goto(`${dashboard.service.origin}/dashboard/agent?new=1`);
    await picker.waitFor();
    expect(await picker.inputValue()).toBe('');
    await dialog.getByRole('textbox', { name: 'Instruction' }).fill('Do it.');
    expect(await dialog.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
  });

  test('the filter of exports and the key dialog reach the oldest project', async () => {
    const { page } = await dashboard.visit('/exports');
    await page.getByRole('combobox', { name: 'Project' }).fill(oldest.domain);
    await page.getByRole('option', { name: new RegExp(oldest.name) }).click();
    const table = page.getByRole('table', { name: 'Exports' });
    await expect.poll(() => table.getByRole('link', { name: oldest.domain }).count()).toBeGreaterThan(4);
    await expect.poll(() => table.getByRole('link', { name: /docs-/ }).count()).toBeLessThan(8);

    await page.goto(`${dashboard.service.origin}/dashboard/keys?new=1&name=ci`);
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    await dialog.getByRole('combobox', { name: 'Project' }).fill(oldest.domain);
    await page.getByRole('option', { name: new RegExp(oldest.name) }).click();
    await dialog.getByText('The key has access to this project only').waitFor();
  });

  test('a new key has no scopes until they are chosen, and keys stand above project ids', async () => {
    const { page } = await dashboard.visit('/keys?new=1&name=ci');
    const dialog = page.getByRole('dialog', { name: 'Create an API key' });
    const create = dialog.getByRole('button', { name: 'Create key' });
    expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0);
    expect(await create.isDisabled()).toBe(true);
    await dialog.getByRole('radio', { name: /^Read Everything/ }).check();
    expect(await create.isEnabled()).toBe(true);
    const headings = await page.locator('main h2').allTextContents();
    expect(headings.indexOf('Keys')).toBeLessThan(headings.indexOf('Project ids'));
    expect(headings).toContain('Keys');
  });

  test.each([
    ['/projects', 'Projects', 'Release notes 0124', 'Release notes 0124'],
    ['/keys', 'API keys', 'pipeline 1999', 'Pipeline 1999'],
    ['/exports', 'Exports', 'docs-0123', 'docs-0123.example.com'],
    ['/users', 'Users', 'ada@', 'Ada Harbour'],
  ])('%s is searched by the server', async (path, label, words, found) => {
    const { page } = await dashboard.visit(path);
    const table = page.getByRole('table', { name: label, exact: true });
    await table.waitFor();
    await page.getByRole('searchbox').first().fill(words);
    await table.getByText(found).first().waitFor();
    await expect.poll(() => table.getByRole('row').count()).toBeLessThan(10);
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(words);
    await page.getByRole('searchbox').first().fill('there is nothing like this');
    await page
      .getByText(/matches/)
      .first()
      .waitFor();
  });

  test('the projects are sorted by name', async () => {
    const { page } = await dashboard.visit('/projects?sort=name');
    const table = page.getByRole('table', { name: 'Projects' });
    await table.getByText('API reference 0002').waitFor();
    const names = await table.locator('.project-link').allTextContents();
    expect(names.slice(0, 3)).toEqual(['API reference 0002', 'API reference 0007', 'API reference 0012']);
  });

  test('canceled exports are a filter of their own and name who canceled them', async () => {
    const [id] = seeded.exportIds.slice(-1);
    const by = JSON.stringify({ actor: 'key_1', name: 'Night build' });
    write(dashboard.service.dataDir, `UPDATE jobs SET canceled_by = '${by}' WHERE id = '${id}'`);
    const { page } = await dashboard.visit('/exports');
    await page.getByRole('button', { name: 'Canceled' }).click();
    const table = page.getByRole('table', { name: 'Exports' });
    await table.getByText('by Night build').waitFor();
    expect(await table.getByText('Failed').count()).toBe(0);
    await page.getByRole('button', { name: 'Failed' }).click();
    await table.getByText('docs.json is not valid JSON.').first().waitFor();
    await expect.poll(() => table.getByText('Canceled').count()).toBe(0);
  });

  test('the command palette opens with Ctrl+K and goes to screens, projects and exports', async () => {
    const { page, complaints } = await dashboard.visit('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await page.keyboard.type(oldest.domain);
    await palette.getByRole('option', { name: new RegExp(oldest.name) }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/projects/${oldest.id}$`));

    // A failed export: a completed one without stored files would answer requests for its report with 500.
    const exportId = seeded.exportIds[7] ?? '';
    await page.keyboard.press('Control+k');
    await page.keyboard.type(exportId);
    await palette.getByRole('option', { name: new RegExp(exportId) }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/exports/${exportId}$`));

    await page.keyboard.press('Control+k');
    await page.keyboard.type('audit');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/audit$/);
    await page.keyboard.press('Control+k');
    await palette.waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('the audit log names a deleted project and a key beyond the first page, and is downloaded as CSV', async () => {
    const { client } = dashboard.service;
    const { key } = await client.call('createKey', {
      body: { name: 'Robot arm', scopes: ['read', 'write'] },
    });
    const body = { name: 'Short lived', domain: 'short.example.com' };
    const source = { repository: 'https://git.example.com/short.git' };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const made = await dashboard.service.request('/v1/projects', {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...body, source }),
    });
    const { id } = (await made.json()) as { id: string };
    await dashboard.service.request(`/v1/projects/${id}`, { method: 'DELETE', headers });

    const { page } = await dashboard.visit('/audit');
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByText(/Robot arm deleted the project Short lived/).waitFor();
    await page.getByRole('searchbox').fill('robot arm deleted');
    await page.getByText('No matching entries').waitFor();
    await page.getByRole('searchbox').fill('robot arm project.delete');
    await expect.poll(() => table.getByRole('row').count()).toBe(2);
    const downloaded = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV of the audit log' }).click();
    const text = await readFile(await (await downloaded).path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(2);
    expect(text).toContain(',Robot arm,project.delete,');
  });

  test('the agent screen says that no model is configured', async () => {
    const { page } = await dashboard.visit('/agent');
    await page.getByText('No model is configured').waitFor();
    expect(await page.getByRole('button', { name: 'Start your first job' }).count()).toBe(0);
  });

  test('a delivery that waits for its next attempt is sent now', async () => {
    const { client, dataDir } = dashboard.service;
    const { id: webhookId } = await client.call('createWebhook', {
      body: { url: 'https://ci.invalid/hook' },
    });
    const { id } = await client.call('testWebhook', { params: { webhookId } });
    const params = { webhookId, deliveryId: id };
    const read = () => client.call('readWebhookDelivery', { params });
    await expect.poll(async () => (await read()).attempts.length).toBe(1);
    write(dataDir, `UPDATE webhook_deliveries SET next_at = '2099-01-01T00:00:00.000Z' WHERE id = '${id}'`);
    const { page } = await dashboard.visit(`/webhooks/${webhookId}?delivery=${id}`);
    await page.getByRole('button', { name: 'Send now' }).click();
    await expect.poll(async () => (await read()).attempts.length).toBe(2);
  });
});
