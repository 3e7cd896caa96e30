/**
 * The overview: what runs as it runs, what ran last, how the installation is; and what a new one begins with.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, mendLink, runJob } from '../agent/stage.ts';
import { addSite, chromiumPath, openDashboard, runExport, type Dashboard } from './stage.ts';

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

  test('exports and agent jobs of everybody appear while they run and stay when they have ended', async () => {
    const { service, agents } = dashboard;
    if (agents === undefined) throw new Error('The stage was set without agents.');
    await addSite(service);
    await addSite(service, { name: 'Long', domain: 'long.example.com', pages: 200 });
    await runExport(service, 'docs.example.com');
    await runExport(service, 'docs.example.com');
    const { page, complaints } = await dashboard.open('/');
    await page.getByText('All is well').waitFor();
    const last = page.locator('section', { has: page.getByRole('heading', { name: 'Last exports' }) });
    await last.getByText('docs.example.com').first().waitFor();
    await page.getByRole('heading', { name: 'No agent jobs yet' }).waitFor();

    await service.client.call('startExport', { body: { domain: 'long.example.com' } });
    await page.getByRole('progressbar', { name: 'Export of long.example.com' }).waitFor();
    await last.getByText('long.example.com').waitFor();
    await page.getByRole('heading', { name: 'Running now' }).waitFor({ state: 'detached' });

    const projectId = await createProject(service, agents, 'harbour.example.com');
    await runJob(service, projectId, 'Mend the broken link of the first page.');
    await page.getByRole('link', { name: 'Mend the link to mooring' }).click();
    await page.waitForURL(/\/agent\/pr_\w+\/aj_\w+$/);
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
