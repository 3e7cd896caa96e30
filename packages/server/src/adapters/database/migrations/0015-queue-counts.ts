/** Number of queued jobs per organization, so that a start need not count rows. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const queueCounts: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { wholeNumber } = numbering(database);
    await database.schema
      .createTable('queue_counts')
      .addColumn('organization_id', 'text', (column) => column.primaryKey())
      .addColumn('queued', wholeNumber, (column) => column.notNull())
      .execute();
    await sql`
      insert into queue_counts (organization_id, queued)
      select organization_id, count(*) from jobs where status = 'queued' group by organization_id`.execute(
      database,
    );
  },
};
