/** Columns and indexes by which the API filters and sorts lists. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../../../ports/database.ts';

export const searchableLists: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    await schema.alterTable('jobs').addColumn('failure_code', 'text').execute();
    await schema.alterTable('jobs').addColumn('canceled_by', 'text').execute();
    await schema
      .createIndex('audit_of_object')
      .on('audit_log')
      .columns(['organization_id', 'object', 'sequence'])
      .execute();
    await fillIn(database);
    await schema
      .createIndex('jobs_by_failure')
      .on('jobs')
      .columns(['organization_id', 'kind', 'failure_code', 'sequence'])
      .execute();
    await schema
      .createIndex('jobs_by_domain')
      .on('jobs')
      .columns(['organization_id', 'kind', 'domain', 'sequence'])
      .execute();
    for (const [table, column] of [
      ['projects', 'name'],
      ['api_keys', 'name'],
      ['people', 'name'],
    ] as const) {
      await sql`create index ${sql.ref(`${table}_by_${column}`)}
        on ${sql.table(table)} (organization_id, lower(${sql.ref(column)}), sequence)`.execute(database);
    }
  },
};

/** For jobs that ended earlier: the failure has the code, and the audit log has the actor. */
async function fillIn(database: Kysely<unknown>): Promise<void> {
  const onPostgres = isPostgres(database);
  const code = onPostgres ? sql`failure::json ->> 'code'` : sql`json_extract(failure, '$.code')`;
  await sql`update jobs set failure_code = ${code} where failure is not null`.execute(database);
  const record = onPostgres
    ? sql`json_build_object('actor', actor, 'name', actor)::text`
    : sql`json_object('actor', actor, 'name', actor)`;
  await sql`
    update jobs set canceled_by = (
      select ${record} from audit_log
      where audit_log.organization_id = jobs.organization_id and audit_log.object = jobs.id
        and action in ('export.cancel', 'agent.cancel')
      order by sequence desc limit 1)
    where failure_code = 'canceled'`.execute(database);
}
