/** What agent jobs do about their pull requests: comments of reviewers, and conflicts with the base branch. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const reviewTasks: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();

    await schema.alterTable('agent_messages').addColumn('run', 'integer').execute();
    await schema
      .createTable('review_tasks')
      .addColumn('id', 'text', (column) => column.notNull().primaryKey())
      .addColumn('organization_id', 'text', text)
      .addColumn('project_id', 'text', (column) =>
        column.notNull().references('projects.id').onDelete('cascade'),
      )
      .addColumn('job_id', 'text', (column) => column.notNull().references('jobs.id').onDelete('cascade'))
      .addColumn('source', 'text', text)
      .addColumn('pull_request', 'integer', text)
      .addColumn('comment', 'text')
      .addColumn('state', 'text', text)
      .addColumn('reason', 'text')
      .addColumn('message_sequence', 'integer')
      .addColumn('run', 'integer')
      .addColumn('attempts', 'integer', text)
      .addColumn('next_at', 'text', text)
      .addColumn('created_at', 'text', text)
      .addUniqueConstraint('review_tasks_source', ['project_id', 'source'])
      .execute();
    const index = (name: string, columns: string[]) =>
      schema.createIndex(name).on('review_tasks').columns(columns).execute();
    await index('review_tasks_due', ['state', 'next_at']);
    await index('review_tasks_of_job', ['job_id']);
    await index('review_tasks_by_age', ['created_at']);
  },
};
