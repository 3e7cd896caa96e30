/** Which pepper an API key is hashed with, so that SECRET_KEY can be rotated. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const keyPeppers: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    await database.schema.alterTable('api_keys').addColumn('pepper', 'text').execute();
  },
};
