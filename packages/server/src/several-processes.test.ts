/**
 * Concurrent requests to several processes on one PostgreSQL database obey the same limits as requests to one
 * process.
 */
import type { ExportJob, Project, UpdateProject } from '@docyard/api';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase, postgresMissing } from '../../../test/postgres.ts';
import { findBrokenEntry, listAuditLog, recordAudit } from './audit/audit.ts';
import { setUpFirstRun } from './first-run.ts';
import { revokeKey, rollKey } from './keys/keys.ts';
import { listOrganizations } from './organizations/organizations.ts';
import { deleteProject, readProject, updateProject } from './projects/projects.ts';
import {
  composeForTest,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  type Tenant,
  type TestContext,
  type TestService,
} from '../test/support/test-context.ts';

describe.skipIf(postgresMissing !== undefined)('several processes', () => {
  const environment: Record<string, string> = { SECRET_KEY: 'the same secret for every one of them' };
  let contexts: TestContext[];
  let tenant: Tenant;
  let project: Project;

  /** One process for each entry of settings, all on one database. */
  const processes = (settings: Record<string, string>[]) =>
    Promise.all(settings.map((each) => composeForTest({ ...environment, ...each })));

  beforeAll(async () => {
    environment['DATABASE_URL'] = await freshDatabase();
    contexts = await processes([{}, {}]);
    tenant = await createTenant(contexts[0] as TestContext);
    project = await createTestProject(contexts[0] as TestContext, tenant);
  });

  const start = (service: TestService, key: string, domain: string) =>
    service.request('/v1/static-export/jobs', { ...jsonBody({ domain }), key });
  const atOnce = <T>(count: number, ask: (index: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  const statusesOf = (answers: Response[]) => answers.map(({ status }) => status).toSorted();

  test('run a request once when two of them get the same Idempotency-Key', async () => {
    const services = await Promise.all(contexts.map((each) => serveForTest(each)));
    for (let round = 0; round < 5; round += 1) {
      const init = jsonBody({ domain: project.domain });
      const headers = { ...(init.headers as Record<string, string>), 'idempotency-key': `round-${round}` };
      const answers = await atOnce(4, (index) =>
        (services[index % 2] as TestService).request('/v1/static-export/jobs', {
          ...init,
          headers,
          key: tenant.key.key,
        }),
      );
      const done = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ status }) => status !== 202);
      const ids = await Promise.all(done.map(async (each) => ((await each.json()) as ExportJob).jobId));
      expect(new Set(ids).size).toBe(1);
      expect(done.filter(({ headers: got }) => got.get('idempotency-replayed') === null)).toHaveLength(1);
      for (const each of refused) expect(await each.text()).toContain('idempotency_in_progress');
    }
  });

  test('start no more exports per hour than allowed', async () => {
    const limited = await processes([1, 2].map(() => ({ LIMIT_EXPORT_STARTS_PER_HOUR: '5' })));
    const services = await Promise.all(limited.map((each) => serveForTest(each)));
    const other = await createTenant(limited[0] as TestContext);
    const { domain } = await createTestProject(limited[0] as TestContext, other);
    const answers = await atOnce(12, (index) =>
      start(services[index % 2] as TestService, other.key.key, domain),
    );
    expect(statusesOf(answers)).toEqual([...Array<number>(5).fill(202), ...Array<number>(7).fill(429)]);
  });

  test('queue no more jobs than allowed', async () => {
    const [first] = contexts as [TestContext];
    const waiting = await first.database
      .selectFrom('jobs')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('status', '=', 'queued')
      .executeTakeFirstOrThrow();
    // One organization may use three of five free places.
    const most = { LIMIT_QUEUED_JOBS: String(waiting.count + 5) };
    const other = await createTenant(first);
    const { domain } = await createTestProject(first, other);
    const limited = await processes([most, most]);
    const services = await Promise.all(limited.map((each) => serveForTest(each)));
    const answers = await atOnce(8, (index) =>
      start(services[index % 2] as TestService, other.key.key, domain),
    );
    expect(statusesOf(answers)).toEqual([...Array<number>(3).fill(202), ...Array<number>(5).fill(503)]);
  });

  test('accept a domain for one project and refuse it for the others', async () => {
    const ended = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        createTestProject(contexts[index % 2] as TestContext, tenant, { domain: 'wanted.example.com' }),
      ),
    );
    const refused = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'domain_taken' });
  });

  test('apply all concurrent changes of a project', async () => {
    const changes: UpdateProject[] = [
      { agent: { protectedPaths: ['one'] } },
      { agent: { instructions: 'Be brief.' } },
      { name: 'Renamed' },
    ];
    const given = { projectId: project.id, actor: tenant.actor, allowLocal: true };
    await atOnce(6, (index) =>
      updateProject(contexts[index % 2] as TestContext, { ...given, change: changes[index % 3] ?? {} }),
    );
    const read = { projectId: project.id, reach: tenant.actor };
    expect(await readProject(contexts[1] as TestContext, read)).toMatchObject({
      name: 'Renamed',
      agent: { protectedPaths: ['one'], instructions: 'Be brief.' },
    });
  });

  test('keep the chain of the audit log intact', async () => {
    const entry = { actor: tenant.actor, action: 'test.entry', object: null };
    await atOnce(20, (index) => recordAudit(contexts[index % 2] as TestContext, entry));
    const [first] = contexts as [TestContext];
    expect(await findBrokenEntry(first, tenant.organizationId)).toBeUndefined();
  });

  test('delete a project or create its job, never both', async () => {
    const [one, two] = contexts as [TestContext, TestContext];
    for (let round = 0; round < 6; round += 1) {
      const doomed = await createTestProject(one, tenant);
      const [deleted, started] = await Promise.allSettled([
        deleteProject(one, { projectId: doomed.id, actor: tenant.actor }),
        createExport(two, tenant, doomed),
      ]);
      const refusal = [deleted, started].flatMap((each) =>
        each.status === 'rejected' ? [(each.reason as { code: string }).code] : [],
      );
      expect(refusal).toEqual([deleted.status === 'rejected' ? 'project_busy' : 'not_found']);
    }
  });

  test('never roll a key after it was revoked', async () => {
    const [one, two] = contexts as [TestContext, TestContext];
    for (let round = 0; round < 6; round += 1) {
      const { key, actor } = await createTenant(one);
      const [rolled] = await Promise.allSettled([
        rollKey(one, { keyId: key.id, actor }),
        revokeKey(two, { keyId: key.id, actor }),
      ]);
      const log = await listAuditLog(one, { organizationId: actor.organizationId, limit: 2 });
      const actions = log.data.map(({ action }) => action);
      if (rolled.status === 'fulfilled') expect(actions).toEqual(['key.revoke', 'key.roll']);
      else expect(actions).toEqual(['key.revoke', 'key.create']);
    }
  });

  test('create one organization in an empty database', async () => {
    const { DATABASE_URL: _, ...rest } = environment;
    const settings = { ...rest, DATABASE_URL: await freshDatabase() };
    const started = await Promise.all([composeForTest(settings), composeForTest(settings)]);
    await Promise.all(started.map((each) => setUpFirstRun(each, { sample: false, adminKeyFile: undefined })));
    expect(await listOrganizations(started[0])).toHaveLength(1);
  });
});
