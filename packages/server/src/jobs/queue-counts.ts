/**
 * Counts the queued jobs of each organization in the transactions that enqueue or claim them, and enforces
 * the limits of the queue.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { acquireLocks, inTransaction, isPostgres, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';

/**
 * Below this many free places, transactions of all organizations serialize. Above it they run concurrently,
 * because together they take fewer places than this.
 */
const scarcePlaces = 500;

/** `organizationIds` has one entry per enqueued job. */
export async function addQueued(database: Database, organizationIds: readonly string[]): Promise<void> {
  // Sorted: two transactions that update rows in different orders would deadlock.
  const added = [...Map.groupBy(organizationIds.toSorted(), (id) => id)];
  await database
    .insertInto('queue_counts')
    .values(added.map(([organization_id, { length: queued }]) => ({ organization_id, queued })))
    .onConflict((conflict) =>
      conflict
        .column('organization_id')
        .doUpdateSet({ queued: sql<number>`queue_counts.queued + excluded.queued` }),
    )
    .execute();
}

export async function removeQueued(database: Database, organizationId: string): Promise<void> {
  await database
    .updateTable('queue_counts')
    .set({ queued: sql<number>`queued - 1` })
    .where('organization_id', '=', organizationId)
    .execute();
}

/** Corrects the counts after a process of an older version, which does not maintain them. */
export async function recountQueued(database: Database): Promise<void> {
  await inTransaction(database, async (transaction) => {
    // A transaction changes a job before its count, so every job that is not counted here waits for this
    // lock.
    if (isPostgres(transaction))
      await sql`lock table queue_counts in share row exclusive mode`.execute(transaction);
    await transaction.deleteFrom('queue_counts').execute();
    await transaction
      .insertInto('queue_counts')
      .columns(['organization_id', 'queued'])
      .expression((eb) =>
        eb
          .selectFrom('jobs')
          .select(({ fn }) => ['organization_id', fn.countAll<number>().as('queued')])
          .where('status', '=', 'queued')
          .groupBy('organization_id'),
      )
      .execute();
  });
}

/** Free places of the queue, exact until the transaction ends. */
export interface QueuePlaces {
  /** Takes a place for one more job, or returns why there is none. */
  take(organizationId: string): Problem | undefined;
}

/**
 * An organization may have at most as many queued jobs as there are free places, so that a single
 * organization fills half of the queue and two fill two thirds. No other transaction starts jobs of these
 * organizations meanwhile.
 */
export async function countPlaces(
  { database, config }: Pick<Context, 'database' | 'config'>,
  organizationIds: readonly string[],
): Promise<QueuePlaces> {
  const maxQueued = config.limits.queuedJobs;
  await holdPlaces(database, organizationIds);
  let counts = await readCounts(database);
  if (maxQueued - counts.all < scarcePlaces) {
    await acquireLocks(database, 'queued-jobs');
    counts = await readCounts(database);
  }
  const { ownOf } = counts;
  return {
    take(organizationId) {
      const own = ownOf.get(organizationId) ?? 0;
      if (own >= maxQueued - counts.all) return queueFull(counts.all >= maxQueued ? undefined : own);
      ownOf.set(organizationId, own + 1);
      counts.all += 1;
      return undefined;
    },
  };
}

/** No other transaction starts jobs of these organizations until this one ends. */
export async function holdPlaces(database: Database, organizationIds: readonly string[]): Promise<void> {
  const ids = [...new Set(organizationIds)].toSorted();
  await acquireLocks(database, ...ids.map((id) => `queued-jobs:${id}`));
}

async function readCounts(database: Database): Promise<{ ownOf: Map<string, number>; all: number }> {
  const rows = await database.selectFrom('queue_counts').selectAll().where('queued', '>', 0).execute();
  return {
    ownOf: new Map(rows.map((row) => [row.organization_id, row.queued])),
    all: rows.reduce((sum, { queued }) => sum + queued, 0),
  };
}

/** Call it in the transaction that enqueues the job. */
export async function refuseFullQueue(
  context: Pick<Context, 'database' | 'config'>,
  organizationId: string,
): Promise<void> {
  const problem = (await countPlaces(context, [organizationId])).take(organizationId);
  if (problem !== undefined) throw problem;
}

function queueFull(own: number | undefined): Problem {
  const whose = own === undefined ? 'Too many jobs are waiting' : `Your organization has ${own} jobs waiting`;
  const headers = { 'retry-after': '60' };
  return new Problem('queue_full', `${whose} already. Try again in a minute.`, { headers });
}
