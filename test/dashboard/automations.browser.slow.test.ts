/** Automations in the dashboard. The installation has no model, so their runs fail with that reason. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { chromiumPath, openDashboard, type Dashboard, type OpenPage } from './harness.ts';

const file = '.docyard/automations.yaml';
const content = `version: 1
automations:
  - name: spelling
    on: { manual: true }
    instructions: Correct the spelling.
    budget: { maxRunsPerDay: 3 }
  - name: weekly
    on: { schedule: { cron: "0 6 * * MON", timezone: Europe/Berlin } }
    instructions: Check the tutorials.
`;

describe.skipIf(chromiumPath === undefined)('automations in the dashboard', () => {
  let dashboard: Dashboard;
  let folder: string;
  let projectId: string;

  beforeAll(async () => {
    dashboard = await openDashboard();
    folder = temporaryFolder('site');
    writeFiles(folder, siteFiles(2));
    const source = { repository: folder };
    const body = { name: 'Handbook', domain: 'handbook.example.com', source };
    ({ id: projectId } = await dashboard.service.client.call('createProject', { body }));
  });

  afterAll(() => dashboard?.close());

  async function withPage(use: (opened: OpenPage) => Promise<void>, options = {}) {
    const opened = await dashboard.open(`/projects/${projectId}?tab=automations`, options);
    await use(opened);
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  }

  test('the file is read, an automation is run, paused and resumed, and a mistake is shown with its line', () =>
    withPage(async ({ page }) => {
      await page.getByText('Docyard has not read').waitFor();
      writeFiles(folder, { [file]: content });
      const readAgain = page.getByRole('button', { name: 'Read the file again' });
      await readAgain.click();
      const list = page.getByRole('list', { name: 'Automations' });
      const spelling = list.getByRole('listitem').filter({ hasText: 'spelling' });
      await spelling.getByText('0 of 3 runs').waitFor();
      await list.getByText('Schedule 0 6 * * MON (Europe/Berlin)').waitFor();

      await spelling.getByRole('button', { name: 'Run spelling now' }).click();
      const dialog = page.getByRole('dialog', { name: 'Run spelling now' });
      await dialog.getByLabel('Note').fill('Only the guides.');
      await dialog.getByRole('button', { name: 'Run', exact: true }).click();
      const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'spelling' });
      await row.getByText('Failed').waitFor();
      await row.getByText('No model endpoint is set.').waitFor();

      await spelling.getByRole('button', { name: 'Pause spelling' }).click();
      await spelling.getByText('Paused').waitFor();
      await spelling.getByRole('button', { name: 'Resume spelling' }).click();
      await spelling.getByText('On', { exact: true }).waitFor();

      writeFiles(folder, { [file]: content.replace('instructions: Check', 'instruction: Check') });
      await readAgain.click();
      await page.getByText('Line 9:').waitFor();
      await page.getByText('There is no setting instruction here.').waitFor();
      await spelling.waitFor();
    }));

  test('a viewer sees the automations and changes none', async () => {
    const as = await dashboard.join('viewer');
    await withPage(
      async ({ page }) => {
        await page.getByRole('list', { name: 'Automations' }).getByText('weekly').waitFor();
        expect(await page.getByRole('button', { name: /^(Run|Pause|Read the file)/ }).count()).toBe(0);
      },
      { as },
    );
  });
});
