/** An index for insights, and deployments: sites that report their state. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const insightsAndDeployments: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const { wholeNumber, sequence } = numbering(database);
    const text = (column: ColumnDefinitionBuilder) => column.notNull();

    await schema
      .createIndex('jobs_by_creation')
      .on('jobs')
      .columns(['organization_id', 'kind', 'created_at'])
      .execute();

    await schema
      .createTable('deployments')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('project_id', 'text', (column) => column.references('projects.id').onDelete('cascade'))
      .addColumn('owner', 'text', text)
      .addColumn('name', 'text', text)
      .addColumn('report', 'text', text)
      .addColumn('report_seconds', 'integer', text)
      .addColumn('serving_since', 'text')
      .addColumn('instruction', 'text')
      .addColumn('first_seen_at', 'text', text)
      .addColumn('last_seen_at', 'text', text)
      .addUniqueConstraint('deployments_name', ['organization_id', 'owner', 'name'])
      .execute();
    await schema
      .createIndex('deployments_list')
      .on('deployments')
      .columns(['organization_id', 'sequence'])
      .execute();
  },
};
