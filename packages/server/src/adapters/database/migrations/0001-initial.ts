import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const initial: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();
    const { wholeNumber, fraction, sequence } = numbering(database);

    await schema
      .createTable('organizations')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', text)
      .addColumn('plan', 'text', text)
      .addColumn('local_sources', 'integer', text)
      .addColumn('created_at', 'text', text)
      .execute();

    await schema
      .createTable('projects')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', text)
      .addColumn('domain', 'text', text)
      .addColumn('repository', 'text', text)
      .addColumn('ref', 'text')
      .addColumn('directory', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('updated_at', 'text', text)
      .addUniqueConstraint('projects_domain', ['organization_id', 'domain'])
      .execute();

    await schema
      .createTable('api_keys')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('name', 'text', text)
      .addColumn('hash', 'text', (column) => column.notNull().unique())
      .addColumn('prefix', 'text', text)
      .addColumn('last4', 'text', text)
      .addColumn('scopes', 'text', text)
      .addColumn('allowed_addresses', 'text', text)
      .addColumn('created_at', 'text', text)
      .addColumn('expires_at', 'text')
      .addColumn('last_used_at', 'text')
      .addColumn('revoked_at', 'text')
      .addColumn('rolled_from', 'text')
      .execute();
    await schema
      .createIndex('api_keys_list')
      .on('api_keys')
      .columns(['organization_id', 'sequence'])
      .execute();

    await schema
      .createTable('jobs')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('kind', 'text', text)
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id'))
      .addColumn('domain', 'text', text)
      .addColumn('status', 'text', text)
      .addColumn('phase', 'text', text)
      .addColumn('progress', fraction, text)
      .addColumn('page_count', 'integer', text)
      .addColumn('total_pages', 'integer')
      .addColumn('attempt', 'integer', text)
      .addColumn('input', 'text', text)
      .addColumn('source_commit', 'text')
      .addColumn('result', 'text')
      .addColumn('failure', 'text')
      .addColumn('cancel_requested_at', 'text')
      .addColumn('retry_of', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('updated_at', 'text', text)
      .addColumn('started_at', 'text')
      .addColumn('finished_at', 'text')
      .addColumn('archived_at', 'text')
      .addColumn('purged_at', 'text')
      .execute();
    await schema
      .createIndex('jobs_list')
      .on('jobs')
      .columns(['organization_id', 'kind', 'sequence'])
      .execute();
    await schema
      .createIndex('jobs_of_project')
      .on('jobs')
      .columns(['project_id', 'status', 'sequence'])
      .execute();
    await schema.createIndex('jobs_by_status').on('jobs').columns(['status', 'sequence']).execute();

    await schema
      .createTable('job_events')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('job_id', 'text', text)
      .addColumn('at', 'text', text)
      .addColumn('row', 'text', text)
      .execute();
    await schema.createIndex('job_events_of_job').on('job_events').columns(['job_id', 'sequence']).execute();

    await schema
      .createTable('idempotency')
      .addColumn('organization_id', 'text', text)
      .addColumn('key', 'text', text)
      .addColumn('fingerprint', 'text', text)
      .addColumn('status', 'integer', text)
      .addColumn('headers', 'text', text)
      .addColumn('body', 'text', text)
      .addColumn('created_at', 'text', text)
      .addPrimaryKeyConstraint('idempotency_key', ['organization_id', 'key'])
      .execute();

    await schema
      .createTable('audit_log')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', (column) => column.notNull().unique())
      .addColumn('organization_id', 'text', text)
      .addColumn('at', 'text', text)
      .addColumn('actor', 'text', text)
      .addColumn('action', 'text', text)
      .addColumn('object', 'text')
      .addColumn('address', 'text')
      .addColumn('request_id', 'text')
      .addColumn('details', 'text', text)
      .addColumn('hash', 'text', text)
      .execute();
    await schema.createIndex('audit_list').on('audit_log').columns(['organization_id', 'sequence']).execute();
  },
};
