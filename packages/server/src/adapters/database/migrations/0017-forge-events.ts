/** Events that forges report to the hook of a project. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const forgeEvents: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const { wholeNumber, sequence } = numbering(database);
    const text = (column: ColumnDefinitionBuilder) => column.notNull();

    await schema
      .createTable('forge_events')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('forge', 'text', text)
      .addColumn('delivery_id', 'text', text)
      .addColumn('part', 'integer', text)
      .addColumn('kind', 'text', text)
      .addColumn('name', 'text', text)
      .addColumn('ref', 'text')
      .addColumn('before_commit', 'text')
      .addColumn('after_commit', 'text')
      .addColumn('repository', 'text')
      .addColumn('actor', 'text')
      .addColumn('details', 'text', text)
      .addColumn('state', 'text', text)
      .addColumn('reason', 'text')
      .addColumn('job_id', 'text')
      .addColumn('attempts', 'integer', text)
      .addColumn('next_at', 'text')
      .addColumn('received_at', 'text', text)
      .addColumn('replayed_at', 'text')
      .addColumn('finished_at', 'text')
      .addUniqueConstraint('forge_events_delivery', ['project_id', 'delivery_id', 'part'])
      .execute();
    const index = (name: string, columns: string[]) =>
      schema.createIndex(name).on('forge_events').columns(columns).execute();
    await index('forge_events_list', ['organization_id', 'sequence']);
    await index('forge_events_of_project', ['project_id', 'state', 'sequence']);
    await index('forge_events_due', ['state', 'next_at', 'project_id']);
    await index('forge_events_by_age', ['received_at']);
  },
};
