/**
 * Rate limit usage per key, shared by all processes. Unlogged on PostgreSQL: after a crash the counts start
 * over, and windows are short.
 */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../../../ports/database.ts';
import { numbering } from './numbering.ts';

export const rateWindows: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { wholeNumber } = numbering(database);
    const table = database.schema
      .createTable('rate_windows')
      .addColumn('key_id', 'text', (column) => column.notNull().references('api_keys.id').onDelete('cascade'))
      .addColumn('rate', 'text', (column) => column.notNull())
      .addColumn('ends_at_ms', wholeNumber, (column) => column.notNull())
      .addColumn('used', wholeNumber, (column) => column.notNull())
      .addColumn('lent', wholeNumber, (column) => column.notNull())
      .addPrimaryKeyConstraint('rate_windows_key', ['key_id', 'rate']);
    await (isPostgres(database) ? table.modifyFront(sql`unlogged`) : table).execute();
  },
};
