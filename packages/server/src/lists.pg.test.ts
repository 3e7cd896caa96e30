/** Search, order and paging of lists. */
import { beforeAll, describe, expect, test } from 'vitest';
import { listAllAgentJobs } from './agent/read.ts';
import { cancelExport } from './exports/cancel.ts';
import { listExports } from './exports/read.ts';
import { claimJob, failJob } from './jobs/store.ts';
import { failureOf } from './jobs/failure.ts';
import { createKey, listKeys, revokeKey } from './keys/keys.ts';
import { insertUser, listUsers } from './users/users.ts';
import type { ListPage } from './paging.ts';
import { listProjects } from './projects/projects.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  present,
  type Tenant,
  type TestContext,
} from '../test/support/test-context.ts';

let context: TestContext;
let tenant: Tenant;

beforeAll(async () => {
  context = await composeForTest();
  tenant = await createTenant(context);
});

async function everything<Row>(read: (cursor: string | undefined) => Promise<ListPage<Row>>): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

describe('projects', () => {
  let own: Tenant;
  const names = ['Zebra', 'apple', 'Apple', 'mango', 'apple', '100% sure', '100 percent', 'snake_case'];

  beforeAll(async () => {
    own = await createTenant(context);
    for (const [index, name] of names.entries())
      await createTestProject(context, own, { name, domain: `p${index}.example.com` });
  });

  const namesBy = async (sort: string | undefined, q?: string) => {
    const read = (cursor: string | undefined) =>
      listProjects(context, { reach: own.actor, sort, q, limit: 2, cursor });
    return (await everything(read)).map(({ name }) => name);
  };

  test('the pages of a list that is sorted without regard to case contain every row once', async () => {
    const sorted = names.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    const found = await namesBy('name');
    expect(found.map((name) => name.toLowerCase()).toSorted()).toEqual(
      sorted.map((name) => name.toLowerCase()).toSorted(),
    );
    expect(found.filter((name) => /^[a-z]+$/i.test(name)).map((name) => name.toLowerCase())).toEqual([
      'apple',
      'apple',
      'apple',
      'mango',
      'zebra',
    ]);
    expect(await namesBy('-name')).toEqual(found.toReversed());
    expect(await namesBy('createdAt')).toEqual(names);
    expect(await namesBy(undefined)).toEqual(names.toReversed());
  });

  test('wildcards in a search match literally', async () => {
    expect(await namesBy('name', '100%')).toEqual(['100% sure']);
    expect(await namesBy('name', 'snake_case')).toEqual(['snake_case']);
    expect(await namesBy('name', 'e_c')).toEqual(['snake_case']);
    expect(await namesBy('name', '\\')).toEqual([]);
    expect(await namesBy('name', "'; drop table projects; --")).toEqual([]);
  });

  test('every word of a search must occur, in any column and in any case', async () => {
    expect(await namesBy('name', 'APPLE p1.example')).toEqual(['apple']);
    expect(await namesBy('name', 'apple p0.example')).toEqual([]);
  });

  test('projects are found by domain and by ids within the access scope only', async () => {
    const all = (await listProjects(context, { reach: own.actor, limit: 100 })).data;
    const [first, second] = all.map(({ id }) => id);
    const ids = `${first},${second},pr_unknown`;
    expect((await listProjects(context, { reach: own.actor, ids })).data).toHaveLength(2);
    expect((await listProjects(context, { reach: tenant.actor, ids })).data).toEqual([]);
    const limited = { ...own.actor, projectId: first ?? '' };
    expect((await listProjects(context, { reach: limited, ids })).data.map(({ id }) => id)).toEqual([first]);
    expect((await listProjects(context, { reach: limited, q: 'example' })).data).toHaveLength(1);
    const domain = 'p3.example.com';
    expect((await listProjects(context, { reach: own.actor, domain })).data).toMatchObject([{ domain }]);
  });

  test('a cursor is refused with another order', async () => {
    const { nextCursor } = await listProjects(context, { reach: own.actor, sort: 'name', limit: 1 });
    const cursor = nextCursor ?? '';
    for (const sort of ['-name', 'domain', undefined])
      await expect(listProjects(context, { reach: own.actor, sort, cursor })).rejects.toMatchObject({
        code: 'invalid_request',
      });
  });
});

test('keys are found by name and state, and sorted by their last use', async () => {
  const own = await createTenant(context);
  const made = [];
  for (const name of ['ci', 'deploy', 'old ci'])
    made.push(await createKey(context, { name, scopes: ['read'], actor: own.actor }));
  await revokeKey(context, { keyId: made[2]?.id ?? '', actor: own.actor });
  await context.database
    .updateTable('api_keys')
    .set({ last_used_at: '2026-03-02T00:00:00.000Z' })
    .where('id', '=', made[1]?.id ?? '')
    .execute();
  const names = async (filters: Partial<Parameters<typeof listKeys>[1]>) =>
    (await listKeys(context, { reach: own.actor, ...filters })).data.map(({ name }) => name);
  expect(await names({ q: 'ci', sort: 'name' })).toEqual(['ci', 'old ci']);
  expect(await names({ q: 'ci', status: 'active' })).toEqual(['ci']);
  expect(await names({ status: 'ended' })).toEqual(['old ci']);
  expect((await names({ sort: '-lastUsedAt', limit: 1 }))[0]).toBe('deploy');
  context.clock.advance(91 * 86_400);
  expect(await names({ q: 'ci', status: 'active' })).toEqual([]);
});

test('users are found by name and email, and sorted by name', async () => {
  const own = await createTenant(context);
  const { organizationId: organization_id } = own.actor;
  for (const name of ['Zoe', 'ada', 'Bo'])
    await insertUser(context, { organization_id, email: `${name}@example.com`, name, role: 'member' });
  const names = async (filters: { q?: string; sort?: string }) =>
    (await listUsers(context, { organizationId: organization_id, ...filters })).data.map(({ name }) => name);
  expect(await names({ sort: 'name' })).toEqual(['ada', 'Bo', 'Zoe']);
  expect(await names({ q: 'BO@example' })).toEqual(['Bo']);
});

describe('exports', () => {
  test('canceled exports have their own filter and name the user who canceled them', async () => {
    const own = await createTenant(context);
    const project = await createTestProject(context, own, { name: 'Harbor', domain: 'h.example.com' });
    const canceled = await createExport(context, own, project);
    await cancelExport(context, { jobId: canceled.id, actor: own.actor });
    const broken = await createExport(context, own, project);
    await failJob(context, present(await claimJob(context, broken.id)), failureOf('internal', 'Broken.'));

    const list = async (filters: Partial<Parameters<typeof listExports>[1]>) =>
      (await listExports(context, { reach: own.actor, ...filters })).data;
    expect(await list({ canceled: 'true' })).toMatchObject([
      {
        jobId: canceled.id,
        status: 'failed',
        failure: { code: 'canceled' },
        canceledBy: { actor: own.actor.name },
      },
    ]);
    expect(await list({ status: 'failed', canceled: 'false' })).toMatchObject([
      { jobId: broken.id, canceledBy: null },
    ]);
    expect(await list({ q: 'harbor' })).toHaveLength(2);
    expect(await list({ q: canceled.id })).toHaveLength(1);
    expect(await list({ projectId: project.id, sort: 'domain' })).toHaveLength(2);
    expect(await listAllAgentJobs(context, { reach: own.actor, canceled: true })).toEqual({
      data: [],
      nextCursor: null,
    });
  });
});
