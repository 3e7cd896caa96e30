/** Numbers the changes of records that several callers edit, so that an edit of an outdated copy is detected. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const recordVersions: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { wholeNumber } = numbering(database);
    for (const table of ['projects', 'webhooks', 'people']) {
      await database.schema
        .alterTable(table)
        .addColumn('version', wholeNumber, (column) => column.notNull().defaultTo(1))
        .execute();
    }
  },
};
