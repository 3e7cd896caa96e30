import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { numbering } from './numbering.ts';

export const webhooks: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    const { schema } = database;
    const text = (column: ColumnDefinitionBuilder) => column.notNull();
    const { wholeNumber, sequence } = numbering(database);
    const id = (column: ColumnDefinitionBuilder) => column.notNull().unique();
    const partOf = (key: string) => (column: ColumnDefinitionBuilder) =>
      column.notNull().references(key).onDelete('cascade');

    await schema
      .createTable('webhooks')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', id)
      .addColumn('organization_id', 'text', (column) => column.notNull().references('organizations.id'))
      .addColumn('job_id', 'text')
      .addColumn('url', 'text', text)
      .addColumn('description', 'text', text)
      .addColumn('events', 'text', text)
      .addColumn('enabled', 'integer', text)
      .addColumn('disabled_reason', 'text')
      .addColumn('failing_since', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('updated_at', 'text', text)
      .execute();
    await schema
      .createIndex('webhooks_of_organization')
      .on('webhooks')
      .columns(['organization_id', 'job_id', 'sequence'])
      .execute();

    await schema
      .createTable('webhook_secrets')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('owner', 'text', text)
      .addColumn('sealed', 'text', text)
      .addColumn('created_at', 'text', text)
      .addColumn('valid_until', 'text')
      .execute();
    await schema
      .createIndex('webhook_secrets_of_owner')
      .on('webhook_secrets')
      .columns(['owner', 'sequence'])
      .execute();

    await schema
      .createTable('webhook_messages')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('type', 'text', text)
      .addColumn('job_id', 'text')
      .addColumn('payload', 'text', text)
      .addColumn('created_at', 'text', text)
      .execute();
    await schema
      .createIndex('webhook_messages_by_age')
      .on('webhook_messages')
      .columns(['created_at'])
      .execute();

    await schema
      .createTable('webhook_deliveries')
      .addColumn('sequence', wholeNumber, sequence)
      .addColumn('id', 'text', id)
      .addColumn('webhook_id', 'text', partOf('webhooks.id'))
      .addColumn('organization_id', 'text', text)
      .addColumn('message_id', 'text', partOf('webhook_messages.id'))
      .addColumn('job_id', 'text')
      .addColumn('status', 'text', text)
      .addColumn('attempt', 'integer', text)
      .addColumn('earlier_attempts', 'integer', text)
      .addColumn('next_at', 'text', text)
      .addColumn('claimed_until', 'text')
      .addColumn('created_at', 'text', text)
      .addColumn('finished_at', 'text')
      .execute();
    const onDeliveries = (name: string, columns: string[]) =>
      schema.createIndex(name).on('webhook_deliveries').columns(columns).execute();
    await onDeliveries('webhook_deliveries_due', [
      'status',
      'next_at',
      'webhook_id',
      'organization_id',
      'claimed_until',
    ]);
    await onDeliveries('webhook_deliveries_line', ['webhook_id', 'status', 'next_at', 'sequence']);
    await onDeliveries('webhook_deliveries_list', ['webhook_id', 'sequence']);
    await onDeliveries('webhook_deliveries_of_job', ['job_id', 'webhook_id', 'sequence']);
    await onDeliveries('webhook_deliveries_of_message', ['message_id']);

    await schema
      .createTable('webhook_attempts')
      .addColumn('delivery_id', 'text', partOf('webhook_deliveries.id'))
      .addColumn('number', 'integer', text)
      .addColumn('at', 'text', text)
      .addColumn('duration_ms', 'integer', text)
      .addColumn('status', 'integer')
      .addColumn('error', 'text')
      .addColumn('response', 'text', text)
      .addPrimaryKeyConstraint('webhook_attempts_key', ['delivery_id', 'number'])
      .execute();
  },
};
