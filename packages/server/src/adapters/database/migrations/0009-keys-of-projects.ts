/** Keys limited to one project. They are deleted with it, because a key must never outlive its limit. */
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
