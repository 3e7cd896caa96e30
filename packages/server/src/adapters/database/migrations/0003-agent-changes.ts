/** The changes of a single run, in addition to those of the whole branch. */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const agentChanges: Migration = {
  async up({ schema }: Kysely<unknown>): Promise<void> {
    await schema.alterTable('agent_runs').addColumn('own_files', 'text').execute();
    await schema.alterTable('agent_runs').addColumn('own_patch', 'text').execute();
  },
};
