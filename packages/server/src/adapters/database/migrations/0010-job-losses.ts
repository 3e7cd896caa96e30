/** Counts lost workers per job, and indexes the export starts of an organization by time. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const jobLosses: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .alterTable('jobs')
      .addColumn('losses', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`create index audit_actions on audit_log (organization_id, action, at)`.execute(database);
  },
};
