import type { UpdateProject } from '@docyard/api';
import { describe, expect, test } from 'vitest';
import { listAuditLog } from '../audit/audit.ts';
import { requestCancel } from '../jobs/store.ts';
import { createKey } from '../keys/keys.ts';
import { authenticate } from '../keys/authenticate.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
} from '../../test/support/test-context.ts';
import { batchedFindProject, findProject } from './find-project.ts';
import { createProject, deleteProject, listProjects, readProject, updateProject } from './projects.ts';

const repository = 'https://git.example.com/docs.git';

async function setUp() {
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const other = await createTenant(context, { name: 'Other' });
  return { context, tenant, other, actor: tenant.actor, organizationId: tenant.organizationId };
}

describe('creating', () => {
  test('a created project can be read', async () => {
    const { context, actor } = await setUp();
    const project = await createProject(context, {
      name: 'Docs',
      domain: 'docs.example.com',
      source: { repository, ref: 'main', directory: './packages/docs/' },
      actor,
      allowLocal: false,
    });
    expect(project).toEqual({
      id: expect.stringMatching(/^pr_[0-9a-f]{16}$/) as string,
      name: 'Docs',
      domain: 'docs.example.com',
      source: { repository, ref: 'main', directory: 'packages/docs' },
      agent: {
        engine: null,
        model: null,
        forge: null,
        git: {
          branch: null,
          author: null,
          committer: null,
          coAuthors: [],
          signingKey: { set: false, format: null, publicKey: null },
        },
        pullRequest: { labels: [], reviewers: [], teams: [], assignees: [] },
        limits: {},
        protectedPaths: [],
        allowedPaths: [],
        allowedConfigKeys: [],
        instructions: null,
        contextRepositories: [],
        requireEvidence: null,
      },
      exports: {
        customScripts: 'skip',
        onPush: { enabled: true, quietSeconds: 10 },
        polling: { enabled: false, intervalSeconds: 300 },
      },
      pullRequests: { enabled: false, comment: true, status: true, failOn: ['error'], forks: 'approve' },
      createdAt: '2026-03-01T12:00:00.000Z',
      updatedAt: '2026-03-01T12:00:00.000Z',
      version: 1,
    });
    expect(await readProject(context, { projectId: project.id, reach: actor })).toEqual(project);
  });

  test.each(['', '.', './', '/'])('the directory %j means the whole repository', async (directory) => {
    const { context, actor } = await setUp();
    const source = { repository, directory };
    const input = { name: 'Docs', domain: 'docs.example.com', source, actor, allowLocal: false };
    expect((await createProject(context, input)).source.directory).toBeNull();
  });

  test('a domain is unique within an organization', async () => {
    const { context, tenant, other } = await setUp();
    const first = await createTestProject(context, tenant, { domain: 'docs.example.com' });
    await expect(createTestProject(context, tenant, { domain: 'docs.example.com' })).rejects.toMatchObject({
      code: 'domain_taken',
      message: `The project ${first.id} already has the domain docs.example.com. Use another domain.`,
    });
    const theirs = await createTestProject(context, other, { domain: 'docs.example.com' });
    const where = { reach: other.actor, domain: 'docs.example.com' };
    expect((await findProject(context, where)).id).toBe(theirs.id);
  });

  test.each(['/srv/docs', 'file:///srv/docs'])(
    'a source on this machine (%s) needs the permission of the organization',
    async (local) => {
      const { context, actor } = await setUp();
      const input = { name: 'Docs', domain: 'docs.example.com', source: { repository: local }, actor };
      await expect(createProject(context, { ...input, allowLocal: false })).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'source', message: expect.stringContaining('--local-sources') as string }],
      });
      await expect(createProject(context, { ...input, allowLocal: true })).resolves.toBeDefined();
    },
  );
});

describe('changing', () => {
  test('only the given fields change', async () => {
    const { context, tenant, actor } = await setUp();
    const project = await createTestProject(context, tenant, { domain: 'docs.example.com' });
    context.clock.advance(60);
    const change = { name: 'Handbook' };
    const updated = await updateProject(context, { projectId: project.id, change, actor, allowLocal: false });
    expect(updated).toEqual({
      ...project,
      name: 'Handbook',
      version: 2,
      updatedAt: '2026-03-01T12:01:00.000Z',
    });
  });

  test('an unknown finding that should fail the status of pull requests is refused', async () => {
    const { context, tenant, actor } = await setUp();
    const { id: projectId } = await createTestProject(context, tenant);
    const change = { pullRequests: { failOn: ['error', 'no_such_finding'] } };
    await expect(
      updateProject(context, { projectId, change, actor, allowLocal: false }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'pullRequests.failOn.1' }],
    });
  });

  test('a project may keep its domain but not take that of another project', async () => {
    const { context, tenant, actor } = await setUp();
    await createTestProject(context, tenant, { domain: 'a.example.com' });
    const { id: projectId } = await createTestProject(context, tenant, { domain: 'b.example.com' });
    const to = (domain: string) =>
      updateProject(context, { projectId, change: { domain }, actor, allowLocal: true });
    await expect(to('b.example.com')).resolves.toMatchObject({ domain: 'b.example.com' });
    await expect(to('a.example.com')).rejects.toMatchObject({ code: 'domain_taken' });
    await expect(to('c.example.com')).resolves.toMatchObject({ domain: 'c.example.com' });
  });

  test('a local source is refused', async () => {
    const { context, tenant, actor } = await setUp();
    const { id: projectId } = await createTestProject(context, tenant);
    const change = { source: { repository: '/etc' } };
    const attempt = updateProject(context, { projectId, change, actor, allowLocal: false });
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('deleting', () => {
  test('a project with unfinished jobs is not deleted, and later it is deleted with its jobs', async () => {
    const { context, tenant, actor } = await setUp();
    const project = await createTestProject(context, tenant);
    const job = await createExport(context, tenant, project);
    const input = { projectId: project.id, actor };
    await expect(deleteProject(context, input)).rejects.toMatchObject({ code: 'project_busy' });
    await requestCancel(context, job);
    expect(await deleteProject(context, input)).toEqual([job.id]);
    for (const table of ['projects', 'jobs', 'job_events'] as const) {
      expect(await context.database.selectFrom(table).selectAll().execute()).toEqual([]);
    }
  });
});

test('the project of another organization is not found by any operation', async () => {
  const { context, tenant, other } = await setUp();
  const { id: projectId, domain } = await createTestProject(context, tenant);
  const { actor } = other;
  const attempts = [
    readProject(context, { projectId, reach: actor }),
    findProject(context, { domain, reach: actor }),
    updateProject(context, { projectId, change: { name: 'Mine' }, actor, allowLocal: true }),
    deleteProject(context, { projectId, actor }),
  ];
  const refused = attempts.map((attempt) => expect(attempt).rejects.toMatchObject({ code: 'not_found' }));
  await Promise.all(refused);
  expect((await listProjects(context, { reach: actor })).data).toEqual([]);
  expect((await listProjects(context, { reach: tenant.actor })).data).toHaveLength(1);
});

describe('a caller limited to one project', () => {
  async function setUpLimited() {
    const { context, tenant, actor } = await setUp();
    const own = await createTestProject(context, tenant);
    const neighbour = await createTestProject(context, tenant);
    return { context, actor, own, neighbour, limited: { ...actor, projectId: own.id } };
  }

  test('sees no other projects of the organization', async () => {
    const { context, own, neighbour, limited } = await setUpLimited();
    expect((await listProjects(context, { reach: limited })).data.map(({ id }) => id)).toEqual([own.id]);
    const given = { projectId: neighbour.id, actor: limited };
    const attempts = [
      readProject(context, { projectId: neighbour.id, reach: limited }),
      findProject(context, { domain: neighbour.domain, reach: limited }),
      updateProject(context, { ...given, change: { name: 'Mine' }, allowLocal: true }),
      deleteProject(context, given),
    ];
    await Promise.all(
      attempts.map((attempt) => expect(attempt).rejects.toMatchObject({ code: 'not_found' })),
    );
  });

  test('can change the project but not its domain and source', async () => {
    const { context, own, neighbour, limited } = await setUpLimited();
    const update = (change: UpdateProject) =>
      updateProject(context, { projectId: own.id, change, actor: limited, allowLocal: true });
    expect((await update({ name: 'Renamed' })).name).toBe('Renamed');
    for (const domain of [neighbour.domain, 'free.example.com'])
      await expect(update({ domain })).rejects.toMatchObject({ code: 'scope_missing' });
    const contextRepositories = [{ name: 'api', repository }];
    for (const change of [{ source: { repository } }, { agent: { contextRepositories } }])
      await expect(update(change)).rejects.toMatchObject({ code: 'scope_missing' });
  });

  test('loses the key when the project is deleted', async () => {
    const { context, actor, own } = await setUpLimited();
    const limited = await createKey(context, { name: 'CI', projectId: own.id, actor });
    const other = await createKey(context, { name: 'All', actor });
    await deleteProject(context, { projectId: own.id, actor });
    expect(await authenticate(context, limited.key)).toBeUndefined();
    expect(await authenticate(context, other.key)).toBeDefined();
    const { data } = await listAuditLog(context, actor);
    expect(data[0]).toMatchObject({ action: 'project.delete', details: { keys: [limited.id] } });
  });
});

test('a batch finds projects by organization, domain and the access scope of each caller', async () => {
  const { context, tenant, other } = await setUp();
  const own = await createTestProject(context, tenant, { domain: 'docs.example.com' });
  const theirs = await createTestProject(context, other, { domain: 'docs.example.com' });
  const find = batchedFindProject(context);
  const domain = 'docs.example.com';
  const { organizationId } = tenant;
  const [first, second, limited, foreign, unknown] = await Promise.allSettled([
    find({ reach: tenant.actor, domain }),
    find({ reach: other.actor, domain }),
    find({ reach: { organizationId, projectId: own.id }, domain }),
    find({ reach: { organizationId, projectId: theirs.id }, domain }),
    find({ reach: tenant.actor, domain: 'none.example.com' }),
  ]);
  expect([first, second, limited]).toMatchObject(
    [own, theirs, own].map(({ id }) => ({ status: 'fulfilled', value: { id } })),
  );
  expect([foreign, unknown]).toMatchObject([
    { reason: { code: 'not_found' } },
    { reason: { code: 'not_found' } },
  ]);
});
