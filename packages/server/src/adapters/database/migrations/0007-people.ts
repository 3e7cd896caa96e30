/**
 * Users, sessions and windows for sign-in attempts. Rate windows now belong to a caller, which may be a user,
 * so existing windows are dropped.
 */
import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../../../ports/database.ts';
import { numbering } from './numbering.ts';

export const people: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();
    const { wholeNumber, sequence } = numbering(database);

    await schema
      .createTable('people')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('email', 'text', text)
      .addColumn('name', 'text', text)
      .addColumn('role', 'text', text)
      .addColumn('password', 'text')
      .addColumn('oidc_issuer', 'text')
      .addColumn('oidc_subject', 'text')
      .addColumn('invitation_hash', 'text', (column) => column.unique())
      .addColumn('invitation_expires_at', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('last_seen_at', 'text')
      .addColumn('disabled_at', 'text')
      .addUniqueConstraint('people_oidc', ['oidc_issuer', 'oidc_subject'])
      .addUniqueConstraint('people_email', ['email', 'organization_id'])
      .execute();
    await schema
      .createIndex('people_of_organization')
      .on('people')
      .columns(['organization_id', 'sequence'])
      .execute();

    await schema
      .createTable('sessions')
      .addColumn('hash', 'text', (column) => column.primaryKey())
      .addColumn('person_id', 'text', (column) =>
        column.notNull().references('people.id').onDelete('cascade'),
      )
      .addColumn('created_at', 'text', text)
      .addColumn('last_seen_at', 'text', text)
      .addColumn('expires_at', 'text', text)
      .execute();
    await schema.createIndex('sessions_of_person').on('sessions').columns(['person_id']).execute();

    await schema
      .createTable('attempt_windows')
      .addColumn('subject', 'text', (column) => column.primaryKey())
      .addColumn('ends_at_ms', wholeNumber, text)
      .addColumn('used', wholeNumber, text)
      .execute();
    await schema
      .createIndex('attempt_windows_by_end')
      .on('attempt_windows')
      .columns(['ends_at_ms'])
      .execute();

    await schema.dropTable('rate_windows').execute();
    const rateWindows = schema
      .createTable('rate_windows')
      .addColumn('caller_id', 'text', text)
      .addColumn('rate', 'text', text)
      .addColumn('ends_at_ms', wholeNumber, text)
      .addColumn('used', wholeNumber, text)
      .addColumn('lent', wholeNumber, text)
      .addPrimaryKeyConstraint('rate_windows_key', ['caller_id', 'rate']);
    await (isPostgres(database) ? rateWindows.modifyFront(sql`unlogged`) : rateWindows).execute();

    if (isPostgres(database)) await createTriggers(database);
  },
};

/** Not for last_seen_at, which changes every minute and has no listeners. */
async function createTriggers(database: Kysely<unknown>): Promise<void> {
  await sql`
    create function tell_people_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('docyard_changes', 'people');
      return null;
    end $$`.execute(database);
  await sql`
    create trigger tell_people_change after delete or update of email, name, role, password, disabled_at
    on people for each statement execute function tell_people_change()`.execute(database);
  await sql`
    create trigger tell_people_change after delete
    on sessions for each statement execute function tell_people_change()`.execute(database);
  await sql`
    create trigger tell_people_change after delete or update
    on organizations for each statement execute function tell_people_change()`.execute(database);
}
