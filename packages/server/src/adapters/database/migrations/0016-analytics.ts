/** What readers of deployments did: counts by day and feedback. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const analytics: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();
    const deployment = (column: ColumnDefinitionBuilder) =>
      column.notNull().references('deployments.id').onDelete('cascade');

    await schema
      .createTable('deployment_counts')
      .addColumn('deployment_id', 'text', deployment)
      .addColumn('day', 'text', text)
      .addColumn('metric', 'text', text)
      .addColumn('name', 'text', text)
      .addColumn('reader', 'text', text)
      .addColumn('source', 'text', text)
      .addColumn('count', 'integer', text)
      .addPrimaryKeyConstraint('deployment_counts_key', [
        'deployment_id',
        'day',
        'metric',
        'name',
        'reader',
        'source',
      ])
      .execute();
    await schema.createIndex('deployment_counts_by_day').on('deployment_counts').column('day').execute();

    await schema
      .createTable('deployment_feedback')
      .addColumn('deployment_id', 'text', deployment)
      .addColumn('id', 'text', text)
      .addColumn('day', 'text', text)
      .addColumn('path', 'text', text)
      .addColumn('is_helpful', 'integer', text)
      .addColumn('comment', 'text')
      .addPrimaryKeyConstraint('deployment_feedback_key', ['deployment_id', 'id'])
      .execute();
    await schema.createIndex('deployment_feedback_by_day').on('deployment_feedback').column('day').execute();
  },
};
