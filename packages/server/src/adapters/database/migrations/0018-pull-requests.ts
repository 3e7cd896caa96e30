/** Pull requests of projects, with the state of their previews. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const pullRequests: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const { wholeNumber, sequence } = numbering(database);
    const text = (column: ColumnDefinitionBuilder) => column.notNull();

    await schema
      .createTable('pull_requests')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('number', 'integer', text)
      .addColumn('token', 'text', (column) => column.notNull().unique())
      .addColumn('url', 'text')
      .addColumn('title', 'text', text)
      .addColumn('author', 'text')
      .addColumn('forge_state', 'text', text)
      .addColumn('is_fork', 'integer', text)
      .addColumn('head_branch', 'text', text)
      .addColumn('head_commit', 'text', text)
      .addColumn('base_branch', 'text', text)
      .addColumn('approved_commit', 'text')
      .addColumn('approved_by', 'text')
      .addColumn('state', 'text', text)
      .addColumn('reason', 'text')
      .addColumn('job_id', 'text')
      .addColumn('job_commit', 'text')
      .addColumn('shown_job_id', 'text')
      .addColumn('shown_commit', 'text')
      .addColumn('base_job_id', 'text')
      .addColumn('comment_url', 'text')
      .addColumn('has_comment', 'integer', text)
      .addColumn('published', 'text')
      .addColumn('revision', 'integer', text)
      .addColumn('attempts', 'integer', text)
      .addColumn('next_at', 'text')
      .addColumn('claim', 'text')
      .addColumn('claimed_until', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('updated_at', 'text', text)
      .addUniqueConstraint('pull_requests_number', ['project_id', 'number'])
      .execute();
    const index = (name: string, columns: string[]) =>
      schema.createIndex(name).on('pull_requests').columns(columns).execute();
    await index('pull_requests_list', ['organization_id', 'sequence']);
    await index('pull_requests_due', ['next_at']);
    await index('pull_requests_by_state', ['state', 'next_at']);
    await index('pull_requests_by_job', ['job_id']);
    await index('pull_requests_by_shown_job', ['shown_job_id']);
    await schema.createIndex('jobs_by_preview').on('jobs').column('preview_of').execute();
  },
};
