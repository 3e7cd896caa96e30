import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, mendLink, runJob } from '../agent/harness.ts';
import { addSite, chromiumPath, openDashboard, owner, runExport, type Dashboard } from './harness.ts';

/** Generous for a busy machine. */
const patience = { timeout: 50_000 };

describe.skipIf(chromiumPath === undefined)('the overview', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard({ script: mendLink });
  });
  afterAll(() => dashboard?.close());

  test('an installation without a project begins with one', async () => {
    const { page, complaints } = await dashboard.open('/');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText('docyard projects create').waitFor();
    await page.getByRole('link', { name: 'Add a project' }).click();
    await page.waitForURL(/\/projects\?new=1$/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('exports appear while they run and stay when they have ended', async () => {
    const { service } = dashboard;
    await addSite(service);
    await addSite(service, { name: 'Long', domain: 'long.example.com', pages: 1500 });
    await runExport(service, 'docs.example.com');
    await runExport(service, 'docs.example.com');
    const { page, complaints } = await dashboard.open('/');
    await page.getByText('All is well').waitFor();
    const last = page.locator('section', { has: page.getByRole('heading', { name: 'Last exports' }) });
    await last.getByText('docs.example.com').first().waitFor();
    await page.getByRole('heading', { name: 'No agent jobs yet' }).waitFor();

    const { jobId } = await service.client.call('startExport', { body: { domain: 'long.example.com' } });
    await page.getByRole('progressbar', { name: 'Export of long.example.com' }).waitFor();
    await page.getByText(/^Rendering pages · [\d,]+ of 1,500 pages · .* pages\/s · .* left$/).waitFor();
    const one = await dashboard.open(`/exports/${jobId}`);
    await one.page.getByRole('heading', { name: 'Findings as they arrive' }).waitFor();
    await one.page.getByText(/ pages\/s$/).waitFor();
    await one.page.getByRole('status').getByText('Completed').waitFor(patience);
    expect(one.complaints).toEqual([]);
    await one.page.context().close();
    await last.getByText('long.example.com').waitFor(patience);
    await page.getByRole('heading', { name: 'Running now' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an agent job appears when it has ended', async () => {
    const { service, agents } = dashboard;
    if (agents === undefined) throw new Error('The stage was set without agents.');
    const { page, complaints } = await dashboard.open('/');
    await page.getByRole('heading', { name: 'No agent jobs yet' }).waitFor();
    const projectId = await createProject(service, agents, 'harbour.example.com');
    await runJob(service, projectId, 'Mend the broken link of the first page.');
    await page.getByRole('link', { name: 'Mend the link to mooring' }).click();
    await page.waitForURL(/\/agent\/pr_\w+\/aj_\w+$/);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the user menu needs no pointer, and the chosen color scheme persists', async () => {
    const { page, complaints } = await dashboard.open('/');
    const button = page.getByRole('button', { name: owner.name });
    await button.focus();
    await page.keyboard.press('ArrowDown');
    const item = (name: string) => page.getByRole('menuitemradio', { name }).and(page.locator(':focus'));
    await item('System colors').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    await button.and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Enter');
    await item('System colors').waitFor();
    await page.keyboard.press('ArrowDown');
    await item('Light').waitFor();
    await page.keyboard.press('d');
    await item('Dark').waitFor();
    await page.keyboard.press('Enter');
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await expect.poll(scheme).toBe('dark');
    await page.reload();
    await button.waitFor();
    expect(await scheme()).toBe('dark');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a viewer is offered nothing to start', async () => {
    const { page, complaints } = await dashboard.open('/', { as: await dashboard.join('viewer') });
    await page.getByRole('heading', { name: 'Last exports' }).waitFor();
    expect(await page.getByRole('link', { name: 'New export' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
