/** Projects in the dashboard. The installation has no model, so an instruction is refused until a project has one. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGitServer, type GitServer } from '../fakes/git-server.ts';
import { siteFiles, temporaryFolder, writeFiles } from '../service.ts';
import { addSite, chromiumPath, openDashboard, type Dashboard, type OpenPage } from './harness.ts';

const token = 'glpat-a-secret-token';
const modelKey = 'sk-a-secret-key';

describe.skipIf(chromiumPath === undefined)('projects in the dashboard', () => {
  let dashboard: Dashboard;

  let git: GitServer;

  beforeAll(async () => {
    git = await startGitServer({ token });
    dashboard = await openDashboard({ environment: { EGRESS_ALLOW: `source+forge:${git.host}` } });
  });

  afterAll(async () => {
    await dashboard?.close();
    await git?.close();
  });

  async function withPage(path: string, use: (opened: OpenPage) => Promise<void>, options = {}) {
    const opened = await dashboard.open(path, options);
    await use(opened);
    expect(opened.complaints).toEqual([]);
    await opened.page.context().close();
  }

  test('a source is looked at while it is typed, and becomes a project', () =>
    withPage('/projects', async ({ page }) => {
      const folder = temporaryFolder('site');
      writeFiles(folder, siteFiles(7));
      await page.getByRole('button', { name: 'Create the first project' }).click();
      const dialog = page.getByRole('dialog', { name: 'New project' });
      await dialog.getByLabel('Repository').fill(`${folder}-missing`);
      await dialog.getByRole('button', { name: 'Look again' }).waitFor();
      await dialog.getByRole('button', { name: 'Create anyway' }).waitFor();

      await dialog.getByLabel('Repository').fill(folder);
      await dialog.getByText('7 pages').waitFor();
      await dialog.getByText('docs.json', { exact: true }).waitFor();
      await expect.poll(() => dialog.getByLabel('Name').inputValue()).not.toBe('');
      await dialog.getByLabel('Name').fill('Tide tables');
      await dialog.getByLabel('Domain').fill('https://tides.example.com');
      await dialog.getByRole('button', { name: 'Create project' }).click();
      await dialog.getByText('The domain must not contain a scheme.').first().waitFor();
      await dialog.getByLabel('Domain').fill('tides.example.com');
      await dialog.getByRole('button', { name: 'Create project' }).click();

      await page.getByRole('heading', { level: 1, name: 'Tide tables' }).waitFor();
      const id = page.url().split('/').at(-1) ?? '';
      await page.getByRole('button', { name: 'Copy project id' }).click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(id);
      await page.getByText('npx docyard export start tides.example.com --wait').waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('table', { name: 'Projects' }).getByText(id).waitFor();
    }));

  test('a private repository is opened with a token, which the project then keeps', () =>
    withPage('/projects?new=1', async ({ page }) => {
      const { url } = git.addRepository('private', siteFiles(5));
      const dialog = page.getByRole('dialog', { name: 'New project' });
      await dialog.getByLabel('Repository').fill(url);
      await dialog.getByText('does not exist or needs credentials').waitFor();
      await dialog.getByLabel('Token').fill(token);
      await dialog.getByText('5 pages').waitFor();
      await dialog.getByLabel('Domain').fill('private.example.com');
      await dialog.getByRole('button', { name: 'Create project' }).click();
      await page.getByRole('heading', { level: 1, name: 'Test site' }).waitFor();

      const id = page.url().split('/').at(-1) ?? '';
      await page.goto(`${page.url()}?tab=settings`);
      await page.getByLabel('Branch').fill('main');
      await page.getByText('5 pages').waitFor();
      const { agent } = await dashboard.service.client.call('readProject', { params: { projectId: id } });
      expect(agent.forge).toEqual({ kind: 'bare', apiBase: null, fork: null, credential: { set: true } });
    }));

  test('settings are changed, and secrets go in but never come out', async () => {
    const source = { repository: 'https://gitlab.example.com/harbour/docs.git' };
    const body = { name: 'Pier guide', domain: 'pier.example.com', source };
    const { id } = await dashboard.service.client.call('createProject', { body });
    await withPage(`/projects/${id}?tab=settings`, async ({ page }) => {
      const answers: Promise<string>[] = [];
      page.on('response', (response) => {
        if (response.url().includes('/v1/projects')) answers.push(response.text().catch(() => ''));
      });
      await page.getByLabel('Domain').fill('jetty.example.com');
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved.').waitFor();

      await page.getByRole('tab', { name: 'Agent' }).click();
      const forge = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Forge' }) });
      await forge.getByRole('combobox', { name: 'Forge' }).selectOption('GitLab');
      await forge.getByLabel('Token').fill(token);
      await forge.getByRole('button', { name: 'The same as an API call' }).click();
      await forge.getByText('"token":"the-secret"').waitFor();
      await forge.getByRole('button', { name: 'Save' }).click();
      await forge.getByText('Credential is set').waitFor();

      await page.reload();
      const credential = forge.getByLabel('Credential', { exact: true });
      await expect.poll(() => credential.inputValue()).toBe('keep');
      expect(await page.content()).not.toContain(token);
      expect((await Promise.all(answers)).join()).not.toContain(token);
      const { domain, agent } = await read(id);
      expect([domain, agent.forge?.kind]).toEqual(['jetty.example.com', 'gitlab']);
    });
  });

  test('an instruction without a model says what to set, and the project gets one', async () => {
    const { id } = await addSite(dashboard.service, { name: 'Buoys', domain: 'buoys.example.com' });
    await withPage(`/agent?project=${id}&new=1`, async ({ page }) => {
      const dialog = page.getByRole('dialog', { name: 'New agent job' });
      await dialog.getByLabel('Instruction').fill('Fix the broken links.');
      await dialog.getByRole('button', { name: 'Start', exact: true }).click();
      await dialog.getByText('MODEL_URL=').waitFor();
      await dialog.getByRole('link', { name: 'Configure a model for the project' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click();

      const model = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Model' }) });
      await model.getByRole('combobox', { name: 'Endpoint' }).selectOption('Model of this project');
      await model.getByLabel('Model', { exact: true }).fill('writer-large');
      await model.getByLabel('Address').fill('https://models.example.com/v1');
      await model.getByLabel('Key (optional)').fill(modelKey);
      await model.getByRole('button', { name: 'Save' }).click();
      await model.getByText('Key is set').waitFor();
      expect(await model.getByLabel('Key (optional)').inputValue()).toBe('');
      expect((await read(id)).agent.model).toMatchObject({ name: 'writer-large', key: { set: true } });
    });
  });

  test('a project is deleted only after its name was typed', async () => {
    const { id, name } = await addSite(dashboard.service, { name: 'Old quay', domain: 'quay.example.com' });
    await withPage(`/projects/${id}?tab=settings`, async ({ page }) => {
      await page.getByRole('button', { name: 'Delete…' }).click();
      const question = page.getByRole('alertdialog', { name: 'Delete Old quay?' });
      const button = question.getByRole('button', { name: 'Delete the project' });
      expect(await button.isDisabled()).toBe(true);
      await question.getByLabel('Type Old quay to confirm').fill(name);
      await button.click();
      await page.waitForURL(/\/projects$/);
      await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor();
      await expect.poll(() => page.getByRole('link', { name: 'Old quay' }).count()).toBe(0);
      await expect(read(id)).rejects.toMatchObject({ code: 'not_found' });
    });
  });

  test('a viewer sees who may change a project', async () => {
    const { id } = await addSite(dashboard.service, { name: 'Locks', domain: 'locks.example.com' });
    const viewer = await dashboard.join('viewer');
    await withPage(
      `/projects/${id}?tab=settings`,
      async ({ page }) => {
        await page
          .getByText('Members, admins and owners of the organization can change a project.')
          .waitFor();
        for (const name of ['Save', 'Delete…', 'Start an export'])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
        await page.goto(`${dashboard.service.origin}/dashboard/projects?new=1`);
        await page.getByRole('link', { name: 'Locks' }).waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
      },
      { as: viewer },
    );
  });

  function read(projectId: string) {
    return dashboard.service.client.call('readProject', { params: { projectId } });
  }
});
