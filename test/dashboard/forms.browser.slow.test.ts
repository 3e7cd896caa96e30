/** Forms: field errors, conflicts between tabs, unsaved edits, focus and toasts. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, openDashboard, type Dashboard, type OpenOptions } from './harness.ts';

/** Generous for a busy machine. */
const patience = { timeout: 20_000 };
const repository = 'https://git.example.com/harbour/docs.git';

describe.skipIf(chromiumPath === undefined)('forms of the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard?.close());

  async function addProject(domain: string, name = 'Harbour') {
    return dashboard.service.client.call('createProject', { body: { name, domain, source: { repository } } });
  }

  async function withPage(
    path: string,
    use: (page: Page) => Promise<void>,
    options: OpenOptions = {},
  ): Promise<void> {
    const { page, complaints } = await dashboard.open(path, options);
    await use(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  }

  const fieldSection = (page: Page, title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title }) });

  test('a refused value is explained at its field, which gets the focus and stands in view', async () => {
    await addProject('taken.example.com');
    const { id } = await addProject('free.example.com');
    await withPage(
      `/projects/${id}?tab=settings`,
      async (page) => {
        const form = fieldSection(page, 'Name and domain');
        const domain = form.getByLabel('Domain');
        await domain.fill('taken.example.com');
        await form.getByRole('button', { name: 'Save' }).click();
        await expect.poll(() => domain.getAttribute('aria-invalid'), patience).toBe('true');
        const described = (await domain.getAttribute('aria-describedby')) ?? '';
        const words = await page.locator(`[id="${described}"]`).textContent();
        expect(words).toContain('already has the domain taken.example.com');
        await expect.poll(() => isFocused(domain)).toBe(true);
        expect(await isInView(page, '[aria-invalid="true"]')).toBe(true);
        await domain.fill('other.example.com');
        expect(await domain.getAttribute('aria-invalid')).toBeNull();
      },
      { width: 390, height: 500 },
    );
  });

  test('a problem of a part of the source is shown at the repository, and not lost', () =>
    withPage('/projects?new=1', async (page) => {
      const dialog = page.getByRole('dialog', { name: 'New project' });
      await dialog.getByLabel('Repository').fill('https://ada:secret@git.example.com/docs.git');
      await dialog.getByLabel('Name').fill('Docs');
      await dialog.getByLabel('Domain').fill('source.example.com');
      await dialog.getByRole('button', { name: /^Create/ }).click();
      const repositoryField = dialog.getByLabel('Repository');
      await expect.poll(() => repositoryField.getAttribute('aria-invalid'), patience).toBe('true');
      await dialog.getByText('must not contain a user name or password').first().waitFor();
    }));

  test('a problem without a field is announced, focused and scrolled into view', async () => {
    const { id } = await addProject('gone.example.com');
    await withPage(
      `/projects/${id}?tab=agent`,
      async (page) => {
        const form = fieldSection(page, 'Rules and limits');
        await form.getByLabel('Instructions for every job').fill('Write briefly.');
        await dashboard.service.client.call('deleteProject', { params: { projectId: id } });
        await form.getByLabel('Instructions for every job').press('Tab');
        await form.getByRole('button', { name: 'Save' }).click();
        const alert = form.getByRole('alert');
        await alert.getByText('There is no such project').waitFor();
        await expect.poll(() => isFocused(alert)).toBe(true);
        expect(await isInView(page, 'form [role="alert"]')).toBe(true);
      },
      { width: 390, height: 500 },
    );
  });

  test('code repositories are added with a token that is not shown again, and removed', async () => {
    const { id } = await addProject('code.example.com');
    const settings = async () => {
      const params = { projectId: id };
      return (await dashboard.service.client.call('readProject', { params })).agent;
    };
    await withPage(`/projects/${id}?tab=agent`, async (page) => {
      const form = fieldSection(page, 'Code');
      const save = form.getByRole('button', { name: 'Save' });
      await form.getByRole('button', { name: 'Add a repository' }).click();
      await form.getByLabel('Name', { exact: true }).fill('API');
      await form.getByLabel('Address of the repository').fill('https://git.example.com/team/api.git');
      await form.getByLabel('Paths').fill('src\nopenapi.yaml');
      await form.getByLabel('Token').fill('token-of-the-code');
      await save.click();
      await form.getByText('A name has lower case letters').waitFor();
      await form.getByLabel('Name', { exact: true }).fill('api');
      await form.getByLabel('Evidence').selectOption({ label: 'Optional' });
      await save.click();
      await page.getByText('Saved.').waitFor();
      const shown = { name: 'api', paths: ['src', 'openapi.yaml'], ref: null, credential: { set: true } };
      expect(await settings()).toMatchObject({ contextRepositories: [shown], requireEvidence: false });
      await form.getByText('1 repository', { exact: true }).waitFor();
      expect(await form.getByLabel('Token').inputValue()).toBe('');
      await form.getByRole('button', { name: 'Remove api' }).click();
      await save.click();
      await expect.poll(async () => (await settings()).contextRepositories, patience).toEqual([]);
    });
  });

  test('a suggested name can be cleared and stays empty', async () => {
    const { temporaryFolder, writeFiles, siteFiles } = await import('../service.ts');
    const folder = temporaryFolder('suggested');
    writeFiles(folder, siteFiles(2));
    await withPage('/projects?new=1', async (page) => {
      const dialog = page.getByRole('dialog', { name: 'New project' });
      await dialog.getByLabel('Repository').fill(folder);
      const name = dialog.getByLabel('Name');
      await expect.poll(() => name.inputValue(), patience).not.toBe('');
      await name.fill('');
      await dialog.getByLabel('Domain').fill('x.example.com');
      expect(await name.inputValue()).toBe('');
    });
  });

  test('a conflict between two tabs offers the saved values or an overwrite', async () => {
    const { id } = await addProject('conflict.example.com', 'Old name');
    await withPage(`/projects/${id}?tab=settings`, async (page) => {
      const form = fieldSection(page, 'Name and domain');
      const name = form.getByLabel('Name');
      await name.fill('Name of this tab');
      const other = await page.context().newPage();
      await other.goto(page.url());
      const otherForm = fieldSection(other, 'Name and domain');
      await otherForm.getByLabel('Name').fill('Name of the other tab');
      await otherForm.getByRole('button', { name: 'Save' }).click();
      await other.getByText('Saved.').waitFor();

      await page.bringToFront();
      await form.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('alertdialog', { name: 'Changed in the meantime' });
      await dialog.getByRole('cell', { name: 'Name of the other tab' }).waitFor();
      await dialog.getByRole('cell', { name: 'Name of this tab' }).waitFor();
      await dialog.getByRole('button', { name: 'Load saved values' }).click();
      await expect.poll(() => name.inputValue()).toBe('Name of the other tab');

      await name.fill('Name of this tab');
      await dashboard.service.client.call('updateProject', {
        params: { projectId: id },
        body: { name: 'Name by API' },
      });
      await form.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Overwrite' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await readName(id)).toBe('Name of this tab');
    });
  });

  test('a change of another part of the record is no conflict', async () => {
    const { id } = await addProject('parts.example.com');
    await withPage(`/projects/${id}?tab=settings`, async (page) => {
      const form = fieldSection(page, 'Name and domain');
      await form.getByLabel('Name').fill('Pier');
      await dashboard.service.client.call('updateProject', {
        params: { projectId: id },
        body: { agent: { instructions: 'Write briefly.' } },
      });
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      const { name, agent } = await dashboard.service.client.call('readProject', {
        params: { projectId: id },
      });
      expect([name, agent.instructions]).toEqual(['Pier', 'Write briefly.']);
    });
  });

  test('a webhook that was changed in another tab is not overwritten without confirmation', async () => {
    const body = { url: 'https://ci.example.com/a', description: 'First' };
    const { id } = await dashboard.service.client.call('createWebhook', { body });
    await withPage(`/webhooks/${id}`, async (page) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Change' }).click();
      const dialog = page.getByRole('dialog', { name: 'Change the webhook' });
      await dialog.getByLabel('What it is for').fill('Mine');
      const params = { webhookId: id };
      await dashboard.service.client.call('updateWebhook', { params, body: { description: 'Theirs' } });
      await dialog.getByRole('button', { name: 'Save' }).click();
      const conflict = page.getByRole('alertdialog', { name: 'Changed in the meantime' });
      await conflict.getByRole('cell', { name: 'Theirs' }).waitFor();
      await conflict.getByRole('button', { name: 'Overwrite' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect((await dashboard.service.client.call('readWebhook', { params })).description).toBe('Mine');
    });
  });

  test('unsaved edits are kept when a link, a tab or the back button would leave them', async () => {
    const { id } = await addProject('unsaved.example.com');
    await withPage('/projects', async (page) => {
      await page.goto(`${dashboard.service.origin}/dashboard/projects/${id}`);
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name: 'Projects' }).first().click();
      await page.getByRole('link', { name: 'Harbour' }).last().waitFor();
      await page.goto(`${dashboard.service.origin}/dashboard/users`);
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Projects' }).click();
      await page.locator(`a[href$="${id}"]`).click();
      await page.getByRole('tab', { name: 'Settings' }).click();
      const name = fieldSection(page, 'Name and domain').getByLabel('Name');
      await name.fill('Half typed');
      const ask = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
      const attempts = [
        () => page.getByRole('link', { name: 'API keys' }).click(),
        () => page.getByRole('tab', { name: 'Agent' }).click(),
        () => page.evaluate(() => history.back()),
      ];
      for (const attempt of attempts) {
        await attempt();
        await ask.waitFor();
        expect(page.url()).toContain(`${id}?tab=settings`);
        await ask.getByRole('button', { name: 'Keep editing' }).click();
        await ask.waitFor({ state: 'detached' });
        expect(await name.inputValue()).toBe('Half typed');
      }
      await page.evaluate(() => history.back());
      await ask.getByRole('button', { name: 'Discard changes' }).click();
      await page.waitForURL(/\/projects$/);
    });
  });

  test('unsaved edits ask before the page is closed, and saved ones do not', async () => {
    const { id } = await addProject('closing.example.com');
    const { page } = await dashboard.open(`/projects/${id}?tab=settings`);
    const form = fieldSection(page, 'Name and domain');
    await form.getByLabel('Name').fill('Half typed');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await form.getByLabel('Name').fill('Whole');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    expect(asked).toEqual(['beforeunload']);
    await page.context().close();
  });

  test('a dialog with typed text asks before Escape or a click beside it closes it', () =>
    withPage('/webhooks', async (page) => {
      await page
        .getByRole('button', { name: /Add a webhook|Add the first/ })
        .first()
        .click();
      const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page
        .getByRole('button', { name: /Add a webhook|Add the first/ })
        .first()
        .click();
      await dialog.getByLabel('Address').fill('https://ci.example.com/hook');
      const ask = page.getByRole('alertdialog', { name: 'Discard unsaved changes?' });
      await page.keyboard.press('Escape');
      await ask.getByRole('button', { name: 'Keep editing' }).click();
      await ask.waitFor({ state: 'detached' });
      expect(await dialog.getByLabel('Address').inputValue()).toBe('https://ci.example.com/hook');
      await page.mouse.click(5, 5);
      await ask.getByRole('button', { name: 'Discard changes' }).click();
      await dialog.waitFor({ state: 'detached' });
    }));

  test('the focus returns to what opened a dialog, through a menu and a chain of dialogs', () =>
    withPage('/users', async (page) => {
      const invite = page.getByRole('button', { name: 'Invite', exact: true });
      await invite.click();
      const dialog = page.getByRole('dialog', { name: 'Invite a user' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => isFocused(invite), patience).toBe(true);

      await invite.click();
      await dialog.getByLabel('Email').fill('grace@example.com');
      await dialog.getByRole('button', { name: 'Create link' }).click();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await expect.poll(() => isFocused(invite), patience).toBe(true);

      const menu = page.getByRole('button', { name: /grace@example\.com/ });
      await menu.click();
      await page.getByRole('menuitem', { name: /role/i }).click();
      await page.getByRole('dialog', { name: /^Role of/ }).waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => isFocused(menu), patience).toBe(true);
    }));

  test.each([1440, 390])('a toast covers no control at a width of %i', async (width) => {
    const { id } = await addProject(`toast${width}.example.com`);
    await withPage(
      `/projects/${id}?tab=settings`,
      async (page) => {
        const form = fieldSection(page, 'Name and domain');
        await form.getByLabel('Name').fill(`Toast ${width}`);
        await form.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        for (const top of [0, 150, 300, 10_000]) {
          await page.evaluate((y) => scrollTo(0, y), top);
          await expect.poll(() => coveredControls(page)).toEqual([]);
        }
      },
      { width, height: 700 },
    );
  });

  async function readName(projectId: string): Promise<string> {
    return (await dashboard.service.client.call('readProject', { params: { projectId } })).name;
  }
});

function isFocused(target: ReturnType<Page['getByRole']>): Promise<boolean> {
  return target.evaluate((element) => element === document.activeElement);
}

function isInView(page: Page, selector: string): Promise<boolean> {
  return page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
}

/** Controls that a toast covers. */
function coveredControls(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const toasts = document.querySelector('.toasts:not(.toasts-hidden)')?.getBoundingClientRect();
    if (toasts === undefined || toasts.height === 0) return [];
    return [...document.querySelectorAll('a[href], button, input, select, textarea')]
      .filter((control) => control.closest('.toasts') === null && control.checkVisibility())
      .filter((control) => {
        const { left, right, top, bottom } = control.getBoundingClientRect();
        return left < toasts.right && right > toasts.left && top < toasts.bottom && bottom > toasts.top;
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 80));
  });
}
