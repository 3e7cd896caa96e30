/**
 * Keys that are limited to one project. Such a key goes with its project: it must never be left behind without its limit.
 */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const keysOfProjects: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema
      .alterTable('api_keys')
      .addColumn('project_id', 'text', (column) => column.references('projects.id').onDelete('cascade'))
      .execute();
  },
};
