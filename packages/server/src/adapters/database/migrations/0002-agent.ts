/** Agent jobs: runs, journal steps, queued messages, and project settings and sealed secrets. */
import { sql, type ColumnDefinitionBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const agent: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();
    const { wholeNumber, sequence } = numbering(database);
    const ofJob = (column: ColumnDefinitionBuilder) =>
      column.notNull().references('jobs.id').onDelete('cascade');
    const ofProject = (column: ColumnDefinitionBuilder) =>
      column.notNull().references('projects.id').onDelete('cascade');

    await schema
      .alterTable('jobs')
      .addColumn('earlier_attempts', 'integer', (column) => column.notNull().defaultTo(sql`0`))
      .execute();
    await schema.alterTable('jobs').addColumn('preview_of', 'text').execute();

    await schema
      .createTable('agent_runs')
      .addColumn('job_id', 'text', ofJob)
      .addColumn('number', 'integer', text)
      .addColumn('kind', 'text', text)
      .addColumn('prompt', 'text', text)
      .addColumn('ending', 'text')
      .addColumn('title', 'text')
      .addColumn('summary', 'text')
      .addColumn('branch', 'text')
      .addColumn('base_commit', 'text')
      .addColumn('usage', 'text')
      .addColumn('pull_request', 'text')
      .addColumn('policy', 'text')
      .addColumn('result', 'text')
      .addColumn('files', 'text')
      .addColumn('patch', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('started_at', 'text')
      .addColumn('finished_at', 'text')
      .addPrimaryKeyConstraint('agent_runs_key', ['job_id', 'number'])
      .execute();

    await schema
      .createTable('agent_steps')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('job_id', 'text', ofJob)
      .addColumn('run', 'integer', text)
      .addColumn('number', 'integer', text)
      .addColumn('kind', 'text', text)
      .addColumn('data', 'text', text)
      .addColumn('at', 'text', text)
      .addUniqueConstraint('agent_steps_order', ['job_id', 'run', 'number'])
      .execute();
    await schema
      .createIndex('agent_steps_of_job')
      .on('agent_steps')
      .columns(['job_id', 'sequence'])
      .execute();

    await schema
      .createTable('agent_messages')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('job_id', 'text', ofJob)
      .addColumn('prompt', 'text', text)
      .addColumn('created_at', 'text', text)
      .addColumn('taken_at', 'text')
      .execute();
    await schema
      .createIndex('agent_messages_of_job')
      .on('agent_messages')
      .columns(['job_id', 'sequence'])
      .execute();

    await schema
      .createTable('project_settings')
      .addColumn('project_id', 'text', ofProject)
      .addColumn('name', 'text', text)
      .addColumn('value', 'text', text)
      .addColumn('updated_at', 'text', text)
      .addPrimaryKeyConstraint('project_settings_key', ['project_id', 'name'])
      .execute();

    await schema
      .createTable('secrets')
      .addColumn('project_id', 'text', ofProject)
      .addColumn('name', 'text', text)
      .addColumn('sealed', 'text', text)
      .addColumn('updated_at', 'text', text)
      .addPrimaryKeyConstraint('secrets_key', ['project_id', 'name'])
      .execute();
  },
};
