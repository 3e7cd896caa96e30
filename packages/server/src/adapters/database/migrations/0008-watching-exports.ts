/** Recent findings of a running export, and on PostgreSQL notifications for all jobs of an organization. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../../../ports/database.ts';

export const watchingExports: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.alterTable('jobs').addColumn('recent_findings', 'text').execute();
    if (!isPostgres(database)) return;
    await sql`
      create function tell_jobs_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('docyard_changes', 'jobs:' || organization_id) from jobs where id = new.job_id;
        return null;
      end $$`.execute(database);
    await sql`
      create trigger tell_jobs_change after insert on job_events
      for each row execute function tell_jobs_change()`.execute(database);
  },
};
