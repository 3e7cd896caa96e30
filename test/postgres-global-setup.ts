/** Starts one PostgreSQL server for all test files, with a migrated template database. */
import { PgBossQueue } from '../packages/server/src/adapters/queue/pg-boss.ts';
import { InProcessChanges } from '../packages/server/src/adapters/changes/in-process.ts';
import { openPostgres } from '../packages/server/src/adapters/database/postgres.ts';
import { startPostgres, type PostgresServer } from './postgres.ts';

let server: PostgresServer | undefined;

export async function setup(): Promise<void> {
  server = await startPostgres();
  const template = await server.createDatabase();
  await (await openPostgres({ url: template })).destroy();
  await (await PgBossQueue.open({ url: template, changes: new InProcessChanges() })).stop();
  process.env['TEST_POSTGRES_URL'] = server.url;
  process.env['TEST_POSTGRES_TEMPLATE'] = template;
}

export async function teardown(): Promise<void> {
  await server?.remove();
}
