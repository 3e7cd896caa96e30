/** What is known about the branches that are polled for new commits. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const sourcePolls: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    await schema
      .createTable('source_polls')
      .addColumn('project_id', 'text', (column) =>
        column.primaryKey().references('projects.id').onDelete('cascade'),
      )
      .addColumn('repository', 'text')
      .addColumn('ref', 'text')
      .addColumn('branch', 'text')
      .addColumn('commit_id', 'text')
      .addColumn('polled_at', 'text')
      .addColumn('problem', 'text')
      .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('next_at', 'text', (column) => column.notNull())
      .execute();
    await schema.createIndex('source_polls_due').on('source_polls').column('next_at').execute();
  },
};
