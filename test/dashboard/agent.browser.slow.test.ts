/** Agent jobs in the dashboard, with a scripted model. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, mendLink, runJob } from '../agent/harness.ts';
import type { Asked, Script, Turn } from '../fakes/model-server.ts';
import { chromiumPath, openDashboard, owner, type Dashboard, type OpenPage } from './harness.ts';

/** Fixes the link, unless the last instruction says otherwise. */
const script: Script = async (asked) => {
  const last = asked.messages.findLastIndex(({ role }) => role === 'user');
  const words = JSON.stringify(asked.messages[last]);
  // Blocks until the job is canceled.
  if (words.includes('Wait for the tide')) await new Promise(() => {});
  if (words.includes('Ask me') && !words.includes('Mend')) return ask;
  return answerTo({ ...asked, messages: asked.messages.slice(last) });
};

const answerTo = mendLink as (asked: Asked) => Turn;

const ask = {
  calls: [
    {
      name: 'finish',
      input: { title: 'Rename a page', summary: 'Should the old address redirect?', outcome: 'needs_input' },
    },
  ],
};

describe.skipIf(chromiumPath === undefined)('agent jobs in the dashboard', () => {
  let dashboard: Dashboard;
  let projectId: string;

  beforeAll(async () => {
    dashboard = await openDashboard({ script });
    projectId = await createProject(dashboard.service, dashboard.agents!);
  });

  afterAll(() => dashboard?.close());

  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, options = {}) {
    const opened = await dashboard.open(path, options);
    await use(opened);
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  }

  async function start(page: Page, prompt: string): Promise<void> {
    await page.getByRole('button', { name: 'New agent job' }).click();
    const dialog = page.getByRole('dialog', { name: 'New agent job' });
    await dialog.getByLabel('Instruction').fill(prompt);
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/agent\/pr_\w+\/aj_\w+$/);
  }

  test('an instruction is followed step by step to its diff and pull request, and the job is archived', () =>
    withPage('/agent', async ({ page }) => {
      await page.getByRole('heading', { name: 'No agent jobs yet' }).waitFor();
      await start(page, 'Mend the broken link of the first page.');
      const steps = page.getByRole('region', { name: 'Instruction 1' }).getByRole('listitem');
      await steps.filter({ hasText: 'edit_file' }).filter({ hasText: 'Changed index.mdx.' }).waitFor();
      await page.getByRole('heading', { level: 1, name: 'Mend the link to mooring Done' }).waitFor();
      await page.getByText('The link had a letter too few.').first().waitFor();

      await steps.filter({ hasText: 'read_file' }).getByRole('button').click();
      await steps.getByText('title: Welcome').waitFor();

      await page.getByRole('tab', { name: 'Changes (1)' }).click();
      const file = page.getByRole('region', { name: 'index.mdx', exact: true });
      await expect.poll(() => file.locator('mark').allTextContents()).toEqual(['moring', 'mooring']);
      await page.getByRole('button', { name: 'Side by side' }).click();
      await file.getByRole('columnheader', { name: 'New text' }).waitFor({ state: 'attached' });
      await expect
        .poll(() =>
          file
            .getByRole('row')
            .filter({ has: page.locator('mark') })
            .count(),
        )
        .toBe(1);

      await page.getByRole('tab', { name: 'Checks and use' }).click();
      await page.getByText('1 finding fixed').waitFor();
      await page.getByText('No rule objected to the change.').waitFor();
      const link = page.getByRole('link', { name: 'Pull request #1' });
      expect(await link.getAttribute('href')).toContain('/harbour/docs/pull/1');

      await page.getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('This job is archived.').waitFor();
      expect(await page.getByLabel('Instruction').count()).toBe(0);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agent jobs' }).click();
      await page.getByRole('button', { name: 'Archived', exact: true }).click();
      await page.getByRole('link', { name: 'Mend the link to mooring' }).click();
      await page.getByRole('button', { name: 'Unarchive' }).click();
      await page.getByLabel('Instruction').waitFor();
    }));

  test('a job with a question resumes when it is answered', async () => {
    const { id } = await runJob(dashboard.service, projectId, 'Ask me before you rename anything.');
    await withPage(`/agent/${projectId}/${id}`, async ({ page }) => {
      await page.getByText('Should the old address redirect?').first().waitFor();
      await page.getByLabel('Answer').fill('Yes. Mend the link, too.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('heading', { level: 1, name: /Done$/ }).waitFor();
      await page.getByRole('tab', { name: /^Steps/ }).click();
      await page
        .getByRole('region', { name: 'Instruction 2' })
        .getByText('Yes. Mend the link, too.')
        .waitFor();
      await page.getByRole('tab', { name: /^Changes/ }).click();
      await page.getByRole('button', { name: 'Whole branch' }).click();
      await page.getByRole('menuitemradio', { name: 'Instruction 1 alone' }).click();
      await page.getByRole('heading', { name: 'Nothing was changed' }).waitFor();
      expect(page.url()).toContain('run=1');
    });
  });

  test('a job at work hears messages, is canceled after a question, and says by whom', () =>
    withPage(`/agent?project=${projectId}`, async ({ page }) => {
      await start(page, 'Wait for the tide.');
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Working' })
        .and(page.locator('[aria-current]'))
        .waitFor();
      await page.getByLabel('Message').fill('Leave the changelog alone.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('The agent receives the message before its next step.').waitFor();

      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      const question = page.getByRole('alertdialog', { name: 'Cancel this job?' });
      await question.getByRole('button', { name: 'Keep it' }).click();
      await question.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await question.getByRole('button', { name: 'Cancel the job' }).click();
      await page.getByRole('heading', { level: 1, name: /Canceled$/ }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await page.getByText(`This job was canceled by ${owner.name}.`).waitFor();

      await page.goto(`${dashboard.service.origin}/dashboard/agent?project=${projectId}&show=canceled`);
      const row = page.getByRole('row').filter({ hasText: 'Wait for the tide.' });
      await row.getByText(`by ${owner.name}`).waitFor();
    }));

  test('a viewer sees the work and no controls', async () => {
    const { id } = await runJob(dashboard.service, projectId, 'Mend the broken link.');
    const viewer = await dashboard.join('viewer');
    await withPage(
      `/agent/${projectId}/${id}`,
      async ({ page }) => {
        await page.getByRole('tab', { name: 'Changes (1)' }).waitFor();
        for (const name of ['Try again', 'Archive', 'Send'])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
        await page.goto(`${dashboard.service.origin}/dashboard/agent?new=1`);
        await page.getByRole('link', { name: 'Mend the link to mooring' }).first().waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      },
      { as: viewer },
    );
  });

  test('a job that is not there is said to be so', () =>
    withPage(`/agent/${projectId}/aj_0000000000000000`, async ({ page }) => {
      await page
        .getByRole('heading', { name: 'This agent job does not exist or you have no access' })
        .waitFor();
    }));
});
