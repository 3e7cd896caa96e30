/**
 * First run in a browser: setup, first key, the displayed API call, and revocation. Users of another organization see none of
 * it.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addOrganization } from '../contract/harness.ts';
import { databaseOf, program, temporaryFolder } from '../service.ts';
import {
  addSite,
  chromiumPath,
  openDashboard,
  owner,
  runExport,
  setupToken,
  type Dashboard,
  type Session,
} from './harness.ts';

describe.skipIf(chromiumPath === undefined)('the whole way', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard({ setUp: false });
  });
  afterAll(() => dashboard?.close());

  test('from the first run to a key, a call with curl, and the end of that key', async () => {
    const { page, complaints } = await dashboard.open(`/setup#${await setupToken(dashboard.service)}`);
    await page.getByLabel('Your name').fill(owner.name);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(owner.password);
    await page.getByRole('button', { name: 'Set up and sign in' }).click();

    await page.getByRole('link', { name: 'API keys' }).first().click();
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('curl');
    await dialog.getByRole('radio', { name: /^Read Everything/ }).click();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const line = await shown.getByLabel('curl line', { exact: true }).innerText();
    await shown.getByRole('button', { name: 'I have copied it' }).click();

    expect(run(line)).toMatchObject({ key: { name: 'curl' }, person: null });

    const row = page.getByRole('row').filter({ hasText: 'curl' });
    await row.getByRole('button', { name: 'Actions for curl' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
    await row.getByText('revoked').waitFor();
    expect(run(line)).toMatchObject({ code: 'unauthorized' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  /** `contract/tenants` checks the API. */
  test.runIf(process.env['LONG_TESTS'])(
    'a user of another organization sees nothing of this one',
    async () => {
      const { service } = dashboard;
      const project = await addSite(service, { name: 'Hidden cove', domain: 'cove.example.com' });
      const { jobId } = await runExport(service, project.domain);
      const webhook = await service.client.call('createWebhook', { body: { url: 'https://cove.invalid/' } });
      const session = await addStranger(dashboard);

      const { page, complaints } = await dashboard.open('/', { as: session });
      for (const [path, sign] of [
        ['/', 'First steps'],
        ['/projects', 'Create your first project'],
        ['/exports', 'No exports yet'],
        ['/agent', 'Create a project first'],
        ['/webhooks', 'No webhooks yet'],
        ['/users', 'sam@other.example'],
        ['/audit', 'Other organization'],
        [`/projects/${project.id}`, 'does not exist or you have no access'],
        [`/exports/${jobId}`, 'does not exist or you have no access'],
        [`/webhooks/${webhook.id}`, 'does not exist or you have no access'],
      ] as const) {
        await page.goto(`${service.origin}/dashboard${path}`);
        await page.getByText(sign).first().waitFor();
        const seen = await page.locator('body').innerText();
        expect(seen, path).not.toMatch(/cove|Ada Harbour|ada@example/i);
      }
      const follow = await page.evaluate(async (id) => {
        const answers = await Promise.all(
          [`/v1/static-export/jobs/${id}`, `/v1/static-export/jobs/${id}/events`].map((path) => fetch(path)),
        );
        return answers.map(({ status }) => status);
      }, jobId);
      expect(follow).toEqual([404, 404]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );
});

/** Runs the displayed command in a shell. */
function run(line: string): unknown {
  const ended = spawnSync('sh', ['-c', `${line} --silent`], { encoding: 'utf8' });
  expect(ended.stderr).toBe('');
  return JSON.parse(ended.stdout);
}

/** An owner of another organization, created by the operator. */
async function addStranger({ service, signIn }: Dashboard): Promise<Session> {
  const { organizationId } = addOrganization(service.dataDir, 'enterprise');
  const credentials = { email: 'sam@other.example', password: 'gulls over the grey water' };
  const file = join(temporaryFolder('password'), 'password');
  writeFileSync(file, credentials.password);
  const who = ['--email', credentials.email, '--role', 'owner', '--password-file', file];
  const where = ['--org', organizationId, '--data', service.dataDir];
  const ended = spawnSync(process.execPath, [program, 'users', 'create', ...who, ...where], {
    encoding: 'utf8',
    env: { ...process.env, ...databaseOf(service.dataDir) },
  });
  if (ended.status !== 0) throw new Error(ended.stderr);
  return signIn(credentials);
}
