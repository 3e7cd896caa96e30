/** The contract of every database adapter. */
import { beforeEach, describe, expect, test } from 'vitest';
import { inTransaction, type Database, type Tables } from '../../src/ports/database.ts';

const tables: Record<keyof Tables, true> = {
  organizations: true,
  projects: true,
  api_keys: true,
  jobs: true,
  queue_counts: true,
  job_events: true,
  agent_runs: true,
  agent_steps: true,
  agent_messages: true,
  project_settings: true,
  secrets: true,
  idempotency: true,
  audit_log: true,
  installation: true,
  people: true,
  sessions: true,
  attempt_windows: true,
  rate_windows: true,
  webhooks: true,
  webhook_secrets: true,
  webhook_messages: true,
  webhook_deliveries: true,
  webhook_attempts: true,
  deployments: true,
  deployment_counts: true,
  deployment_feedback: true,
  forge_events: true,
  source_polls: true,
  pull_requests: true,
  review_tasks: true,
  automation_files: true,
  automations: true,
  automation_events: true,
  automation_runs: true,
};

const at = '2026-03-01T12:00:00.000Z';

export function describeDatabase(name: string, make: () => Promise<Database>): void {
  describe(`the database ${name}`, () => {
    let database: Database;

    beforeEach(async () => {
      database = await make();
      await database
        .insertInto('organizations')
        .values({ id: 'org_1', name: 'First', plan: 'free', local_sources: 0, created_at: at })
        .execute();
    });

    const insertProject = (
      into: Database,
      id: string,
      values: { domain?: string; organization_id?: string } = {},
    ) =>
      into
        .insertInto('projects')
        .values({
          id,
          organization_id: 'org_1',
          name: 'Docs',
          domain: `${id}.example.com`,
          repository: '/srv/docs',
          ref: null,
          directory: null,
          created_at: at,
          updated_at: at,
          ...values,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
    const projectIds = async () => {
      const rows = await database.selectFrom('projects').select('id').orderBy('sequence').execute();
      return rows.map(({ id }) => id);
    };

    test('has every table', async () => {
      const filled: (keyof Tables)[] = ['organizations', 'installation'];
      for (const table of Object.keys(tables) as (keyof Tables)[]) {
        expect(await database.selectFrom(table).selectAll().execute()).toHaveLength(
          filled.includes(table) ? 1 : 0,
        );
      }
    });

    test('numbers rows in order and never reuses a number', async () => {
      const first = await insertProject(database, 'pr_1');
      const second = await insertProject(database, 'pr_2');
      await database.deleteFrom('projects').where('id', '=', 'pr_2').execute();
      const third = await insertProject(database, 'pr_3');
      expect(second.sequence).toBeGreaterThan(first.sequence);
      expect(third.sequence).toBeGreaterThan(second.sequence);
    });

    test('refuses a second project with the same domain in one organization', async () => {
      await insertProject(database, 'pr_1', { domain: 'docs.example.com' });
      await expect(insertProject(database, 'pr_2', { domain: 'docs.example.com' })).rejects.toThrow();
    });

    test('refuses a row of an organization that does not exist', async () => {
      await expect(insertProject(database, 'pr_1', { organization_id: 'org_none' })).rejects.toThrow();
    });

    test('refuses an idempotency key that the organization has used', async () => {
      const values = {
        organization_id: 'org_1',
        key: 'k',
        fingerprint: 'f',
        status: 201,
        headers: '{}',
        body: '',
        created_at: at,
      };
      await database.insertInto('idempotency').values(values).execute();
      await expect(database.insertInto('idempotency').values(values).execute()).rejects.toThrow();
      await database
        .insertInto('idempotency')
        .values({ ...values, organization_id: 'org_2' })
        .execute();
    });

    test('rolls back a failed transaction', async () => {
      const attempt = inTransaction(database, async (inside) => {
        await insertProject(inside, 'pr_1');
        throw new Error('Changed my mind.');
      });
      await expect(attempt).rejects.toThrow('Changed my mind.');
      expect(await projectIds()).toEqual([]);
    });

    test('makes a nested transaction part of the outer one', async () => {
      const attempt = inTransaction(database, async (outer) => {
        await inTransaction(outer, (inner) => insertProject(inner, 'pr_1'));
        throw new Error('Changed my mind.');
      });
      await expect(attempt).rejects.toThrow('Changed my mind.');
      expect(await projectIds()).toEqual([]);
    });

    test('isolates concurrent transactions', async () => {
      const good = (id: string) => inTransaction(database, (inside) => insertProject(inside, id));
      const bad = (id: string) =>
        inTransaction(database, async (inside) => {
          await insertProject(inside, id);
          throw new Error('Changed my mind.');
        });
      await Promise.allSettled([good('pr_1'), bad('pr_2'), good('pr_3'), bad('pr_4'), good('pr_5')]);
      expect((await projectIds()).toSorted()).toEqual(['pr_1', 'pr_3', 'pr_5']);
    });

    test('returns any text unchanged', async () => {
      const name = 'quote \' " \\ ; -- null \u{1F600} ü \n end';
      await database.updateTable('organizations').set({ name }).execute();
      expect(await database.selectFrom('organizations').select('name').execute()).toEqual([{ name }]);
    });
  });
}
