/** The order of deliveries in the queue on PostgreSQL: rounds in which every organization has its turn. */
import { sql } from 'kysely';
import type { Database } from '../../ports/database.ts';
import type { Delivery, JobKind } from '../../ports/queue.ts';
import { changesChannel } from '../changes/postgres.ts';

export const topicOf = (kind: JobKind) => `queue:${kind}`;

/** Within a band, the lower turn goes first. What was handed back goes before everything else, previews after it. */
const bandWidth = 500_000_000;

/** The turns of one line, which has the jobs of one kind and priority: what is served now, and the last one of each organization. */
export interface Turns {
  served: number;
  lastOf: Map<string, number>;
}

/**
 * The n-th waiting job of an organization has the turn after its own (n-1)-th, and none is earlier than what is served
 * now: so each round serves every organization once, and no organization saves up turns by staying away.
 */
export function withTurns(
  line: readonly Delivery[],
  { served, lastOf }: Turns,
): { delivery: Delivery; priority: number }[] {
  return line.map((delivery) => {
    const turn = 1 + Math.max(served, lastOf.get(delivery.organizationId) ?? 0);
    lastOf.set(delivery.organizationId, turn);
    return { delivery, priority: delivery.priority * bandWidth - turn };
  });
}

export async function readTurns(
  database: Database,
  line: Pick<Delivery, 'kind' | 'priority'>,
): Promise<Turns> {
  const band = line.priority * bandWidth;
  const { rows } = await sql<{
    organization: string | null;
    active: number | null;
    waiting: number | null;
    last: number | null;
  }>`
    with open as (
      select group_id, state, ${band}::integer - priority as turn from pgboss.job
      where name = ${line.kind} and state <= 'active'
        and priority <= ${band}::integer and priority > ${band - bandWidth}::integer
    ), announced as (select pg_notify(${changesChannel}, ${topicOf(line.kind)}))
    select group_id as organization, max(turn) as last,
      max(turn) filter (where state = 'active') as active, min(turn) filter (where state < 'active') as waiting
    from announced left join open on true group by group_id`.execute(database);
  const waiting = Math.min(...rows.map((row) => row.waiting ?? Infinity));
  const active = Math.max(0, ...rows.map((row) => row.active ?? 0));
  return {
    served: Math.max(active, waiting === Infinity ? 0 : waiting - 1),
    lastOf: new Map(rows.map(({ organization, last }) => [organization ?? '', last ?? 0])),
  };
}
