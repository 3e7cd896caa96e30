/**
 * Fair queueing on PostgreSQL: each delivery gets a round number, and each round serves every organization
 * once.
 */
import { sql } from 'kysely';
import type { Database } from '../../ports/database.ts';
import type { Delivery, JobKind } from '../../ports/queue.ts';
import { changesChannel } from '../changes/postgres.ts';

export const topicOf = (kind: JobKind) => `queue:${kind}`;

/**
 * Priorities are bands: requeued deliveries before everything else, previews last. Within a band the lower
 * round is served first.
 */
const bandWidth = 500_000_000;

/** The rounds of the deliveries of one kind and priority. */
export interface Rounds {
  current: number;
  lastOf: Map<string, number>;
}

/**
 * The round of a delivery is the last round of its organization plus one, never below the current round: an
 * idle organization cannot accumulate rounds.
 */
export function assignRounds(
  deliveries: readonly Delivery[],
  { current, lastOf }: Rounds,
): { delivery: Delivery; priority: number }[] {
  return deliveries.map((delivery) => {
    const round = 1 + Math.max(current, lastOf.get(delivery.organizationId) ?? 0);
    lastOf.set(delivery.organizationId, round);
    return { delivery, priority: delivery.priority * bandWidth - round };
  });
}

export async function readRounds(
  database: Database,
  group: Pick<Delivery, 'kind' | 'priority'>,
): Promise<Rounds> {
  const band = group.priority * bandWidth;
  const { rows } = await sql<{
    organization: string | null;
    active: number | null;
    waiting: number | null;
    last: number | null;
  }>`
    with open as (
      select group_id, state, ${band}::integer - priority as round from pgboss.job
      where name = ${group.kind} and state <= 'active'
        and priority <= ${band}::integer and priority > ${band - bandWidth}::integer
    ), announced as (select pg_notify(${changesChannel}, ${topicOf(group.kind)}))
    select group_id as organization, max(round) as last,
      max(round) filter (where state = 'active') as active, min(round) filter (where state < 'active') as waiting
    from announced left join open on true group by group_id`.execute(database);
  const waiting = Math.min(...rows.map((row) => row.waiting ?? Infinity));
  const active = Math.max(0, ...rows.map((row) => row.active ?? 0));
  return {
    current: Math.max(active, waiting === Infinity ? 0 : waiting - 1),
    lastOf: new Map(rows.map(({ organization, last }) => [organization ?? '', last ?? 0])),
  };
}
