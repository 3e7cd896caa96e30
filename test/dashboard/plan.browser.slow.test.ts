import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseOf, program } from '../service.ts';
import { addSite, chromiumPath, openDashboard, runExport, type Dashboard } from './harness.ts';

describe.skipIf(chromiumPath === undefined)('an organization without the enterprise plan', () => {
  let dashboard: Dashboard;
  let projectId: string;
  let jobId: string;

  beforeAll(async () => {
    dashboard = await openDashboard({});
    const project = await addSite(dashboard.service, { name: 'Harbour', domain: 'docs.harbour.example' });
    projectId = project.id;
    ({ jobId } = await runExport(dashboard.service, project.domain));
    await setPlan('free');
  });
  afterAll(() => dashboard?.close());

  async function setPlan(plan: string): Promise<void> {
    const { client, dataDir } = dashboard.service;
    const { organization } = await client.call('readMe');
    const args = [program, 'orgs', 'plan', organization.id, plan, '--data', dataDir];
    const env = { ...process.env, ...databaseOf(dataDir) };
    const ended = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect(ended.stderr).toBe('');
  }

  test('sees which plan is needed in the place of exports, and no error', async () => {
    const { page, complaints } = await dashboard.open('/');
    for (const path of ['/', '/exports', `/exports/${jobId}`, `/projects/${projectId}`]) {
      await page.goto(`${dashboard.service.origin}/dashboard${path}`);
      await page.getByRole('heading', { name: 'Static export needs the enterprise plan' }).waitFor();
      expect(await page.getByRole('alert').count(), path).toBe(0);
      expect(
        await page
          .getByRole('link', { name: /export/i })
          .filter({ hasText: /new|start/i })
          .count(),
      ).toBe(0);
    }
    await page.goto(`${dashboard.service.origin}/dashboard/projects`);
    await page.getByRole('link', { name: 'Harbour', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('sees its exports again after an upgrade', async () => {
    await setPlan('enterprise');
    const { page, complaints } = await dashboard.open(`/exports/${jobId}`);
    await page.getByRole('heading', { name: 'docs.harbour.example' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
