/** The first start creates an organization, a sample project and a key; later starts create nothing. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setUpFirstRun } from './first-run.ts';
import { listKeys } from './keys/keys.ts';
import { authenticate } from './keys/authenticate.ts';
import { listOrganizations } from './organizations/organizations.ts';
import { listProjects } from './projects/projects.ts';
import {
  composeForTest,
  git,
  present,
  temporaryFolder,
  type TestContext,
} from '../test/support/test-context.ts';

const plain = { sample: true, adminKeyFile: undefined };

async function readInstallation(context: TestContext) {
  const organizations = await listOrganizations(context);
  const reach = { organizationId: organizations[0]?.id ?? '', projectId: null };
  const { data: projects } = await listProjects(context, { reach });
  const { data: keys } = await listKeys(context, { reach });
  return { organizations, projects, keys };
}

test('the first start creates an enterprise organization, a sample project and an admin key', async () => {
  const context = await composeForTest();
  const key = present(await setUpFirstRun(context, plain));
  const { organizations, projects, keys } = await readInstallation(context);
  expect(organizations).toMatchObject([{ name: 'My organization', plan: 'enterprise', local_sources: 1 }]);
  expect(projects).toMatchObject([{ domain: 'handbook.example.com', source: { ref: 'main' } }]);
  expect(keys).toMatchObject([{ name: 'First admin key', scopes: ['read', 'write'], expiresAt: null }]);
  expect(await authenticate(context, key)).toMatchObject({ key: { id: keys[0]?.id } });
});

test('the sample is a git repository with one commit that the service can fetch', async () => {
  const context = await composeForTest({ DATA_DIR: join(temporaryFolder(), 'data with # and ? and ü') });
  await setUpFirstRun(context, plain);
  const folder = join(context.config.dataDir, 'sample-docs');
  expect(git(folder, 'rev-list', '--count', 'main')).toBe('1');
  expect(git(folder, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(folder, 'docs.json'))).toBe(true);
  expect(existsSync(`${folder}.draft`)).toBe(false);
  const { projects } = await readInstallation(context);
  const source = { ...present(projects[0]).source, commit: null, allowLocal: true };
  const fetched = await context.sources.fetch(source, temporaryFolder('work'), new AbortController().signal);
  expect(fetched.commit).toBe(git(folder, 'rev-parse', 'HEAD'));
});

test('a second start changes nothing', async () => {
  const context = await composeForTest();
  await setUpFirstRun(context, plain);
  const before = await readInstallation(context);
  context.clock.advance(60);
  expect(await setUpFirstRun(context, plain)).toBeUndefined();
  expect(await readInstallation(context)).toEqual(before);
});

test('no key is created without a request for one', async () => {
  const context = await composeForTest();
  expect(await setUpFirstRun(context, { ...plain, adminKey: false })).toBeUndefined();
  const { organizations, keys } = await readInstallation(context);
  expect(organizations).toHaveLength(1);
  expect(keys).toEqual([]);
});

test('a start without the sample creates no project and no repository', async () => {
  const context = await composeForTest();
  await setUpFirstRun(context, { ...plain, sample: false });
  expect((await readInstallation(context)).projects).toEqual([]);
  expect(existsSync(join(context.config.dataDir, 'sample-docs'))).toBe(false);
});

describe('the key file', () => {
  test('contains the key for the owner only and is not changed by later starts', async () => {
    const context = await composeForTest();
    const adminKeyFile = join(temporaryFolder(), 'admin-key');
    const key = await setUpFirstRun(context, { sample: false, adminKeyFile });
    expect(readFileSync(adminKeyFile, 'utf8')).toBe(`${key}\n`);
    expect(statSync(adminKeyFile).mode & 0o777).toBe(0o600);
    expect(await setUpFirstRun(context, { sample: false, adminKeyFile })).toBeUndefined();
    expect(readFileSync(adminKeyFile, 'utf8')).toBe(`${key}\n`);
    expect((await readInstallation(context)).keys).toHaveLength(1);
  });

  test('is written again with a new key after it was deleted', async () => {
    const context = await composeForTest();
    const adminKeyFile = join(temporaryFolder(), 'admin-key');
    const first = present(await setUpFirstRun(context, { sample: false, adminKeyFile }));
    rmSync(adminKeyFile);
    const second = present(await setUpFirstRun(context, { sample: false, adminKeyFile }));
    expect(second).not.toBe(first);
    expect(readFileSync(adminKeyFile, 'utf8')).toBe(`${second}\n`);
    expect(await authenticate(context, second)).toBeDefined();
  });

  test('that cannot be written prevents the organization, so that the next start is a first start', async () => {
    const context = await composeForTest();
    const adminKeyFile = join(temporaryFolder(), 'no', 'such', 'folder');
    await expect(setUpFirstRun(context, { sample: false, adminKeyFile })).rejects.toThrow('ENOENT');
    expect((await readInstallation(context)).organizations).toEqual([]);
    expect(await setUpFirstRun(context, { sample: false, adminKeyFile: undefined })).toBeDefined();
  });
});
