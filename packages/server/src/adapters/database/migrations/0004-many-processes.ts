/** Values shared by all processes, and on PostgreSQL triggers that notify every process with the commit. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../../../ports/database.ts';

export const manyProcesses: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .createTable('installation')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'text', (column) => column.notNull())
      .execute();
    if (!isPostgres(database)) return;

    await sql`
      create function tell_job_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('docyard_changes', new.job_id);
        return null;
      end $$`.execute(database);
    for (const table of ['job_events', 'agent_steps', 'agent_messages', 'agent_runs']) {
      await sql`
        create trigger tell_job_change after insert or update on ${sql.table(table)}
        for each row execute function tell_job_change()`.execute(database);
    }
    await sql`
      create function tell_job_end() returns trigger language plpgsql as $$
      begin
        perform pg_notify('docyard_changes', old.id);
        return null;
      end $$`.execute(database);
    await sql`
      create trigger tell_job_end after delete on jobs
      for each row execute function tell_job_end()`.execute(database);

    // Not for last_used_at, which changes every minute and has no listeners.
    await sql`
      create function tell_key_change() returns trigger language plpgsql as $$
      begin
        perform pg_notify('docyard_changes', 'keys');
        return null;
      end $$`.execute(database);
    await sql`
      create trigger tell_key_change after delete or update of revoked_at, expires_at, scopes, allowed_addresses
      on api_keys for each statement execute function tell_key_change()`.execute(database);
    await sql`
      create trigger tell_key_change after delete or update
      on organizations for each statement execute function tell_key_change()`.execute(database);
  },
};
