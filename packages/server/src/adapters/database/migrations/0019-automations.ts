/** Automations of docs repositories, what starts them and their runs. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

const text = (column: ColumnDefinitionBuilder) => column.notNull();
const organization = (column: ColumnDefinitionBuilder) => column.notNull().references('organizations.id');
const project = (column: ColumnDefinitionBuilder) =>
  column.notNull().references('projects.id').onDelete('cascade');

export const automations: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const { wholeNumber, sequence } = numbering(database);

    await schema
      .createTable('automation_files')
      .addColumn('project_id', 'text', (column) => project(column).primaryKey())
      .addColumn('organization_id', 'text', organization)
      .addColumn('commit_id', 'text')
      .addColumn('automations', 'text', text)
      .addColumn('problems', 'text', text)
      .addColumn('read_at', 'text')
      .addColumn('attempts', 'integer', text)
      .addColumn('refresh_at', 'text')
      .execute();

    await schema
      .createTable('automations')
      .addColumn('project_id', 'text', project)
      .addColumn('name', 'text', text)
      .addColumn('organization_id', 'text', organization)
      .addColumn('kind', 'text', text)
      .addColumn('schedule', 'text')
      .addColumn('next_at', 'text')
      .addColumn('checked_at', 'text', text)
      .addColumn('paused_at', 'text')
      .addColumn('job_id', 'text')
      .addPrimaryKeyConstraint('automations_key', ['project_id', 'name'])
      .execute();

    await schema
      .createTable('automation_events')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', organization)
      .addColumn('project_id', 'text', project)
      .addColumn('source', 'text', text)
      .addColumn('kind', 'text', text)
      .addColumn('automation', 'text')
      .addColumn('subject', 'text', text)
      .addColumn('details', 'text', text)
      .addColumn('forge_event_id', 'text')
      .addColumn('state', 'text', text)
      .addColumn('attempts', 'integer', text)
      .addColumn('next_at', 'text')
      .addColumn('received_at', 'text', text)
      .addUniqueConstraint('automation_events_source', ['project_id', 'source'])
      .execute();

    await schema
      .createTable('automation_runs')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', organization)
      .addColumn('project_id', 'text', project)
      .addColumn('automation', 'text', text)
      .addColumn('event_id', 'text', (column) =>
        column.notNull().references('automation_events.id').onDelete('cascade'),
      )
      .addColumn('state', 'text', text)
      .addColumn('reason', 'text')
      .addColumn('job_id', 'text')
      .addColumn('attempts', 'integer', text)
      .addColumn('created_at', 'text', text)
      .addColumn('next_at', 'text')
      .addColumn('finished_at', 'text')
      .addUniqueConstraint('automation_runs_event', ['project_id', 'automation', 'event_id'])
      .execute();

    const index = (name: string, table: string, columns: string[]) =>
      schema.createIndex(name).on(table).columns(columns).execute();
    await index('automation_files_due', 'automation_files', ['refresh_at']);
    await index('automations_due', 'automations', ['next_at']);
    await index('automations_by_kind', 'automations', ['kind', 'checked_at']);
    await index('automation_events_due', 'automation_events', ['state', 'next_at']);
    await index('automation_events_by_age', 'automation_events', ['received_at']);
    await index('automation_runs_list', 'automation_runs', ['organization_id', 'sequence']);
    await index('automation_runs_of_automation', 'automation_runs', ['project_id', 'automation', 'sequence']);
    await index('automation_runs_due', 'automation_runs', ['state', 'next_at']);
  },
};
