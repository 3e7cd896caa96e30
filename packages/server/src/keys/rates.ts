/**
 * Rate limits per minute and caller, across all processes. A process leases a part of the remaining quota and counts
 * it down locally, so that one query serves many requests. Leases shrink with the remaining quota and never exceed
 * it; unused leases are lost until the window ends.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { isPostgres } from '../ports/database.ts';

export interface Rate {
  name: 'reads' | 'writes';
  quota: number;
}

export interface QuotaLease {
  /** 0 when the quota is used up. */
  lent: number;
  /** The part of the quota that is not leased yet. */
  left: number;
  endsAtMs: number;
}

export const windowSeconds = 60;
/** Each lease is 1/16 of the remaining quota: few queries, and a crashed process loses little. */
const leaseDivisor = 16;

/** A window starts with the first request. Clock skew between processes shortens or lengthens it. */
export async function leaseRequests(
  context: Pick<Context, 'database' | 'clock'>,
  callerId: string,
  { name, quota }: Rate,
): Promise<QuotaLease> {
  const nowMs = context.clock.now().getTime();
  const endsAtMs = nowMs + windowSeconds * 1000;
  // SQLite has a single serving process.
  if (!isPostgres(context.database)) return { lent: quota, left: 0, endsAtMs };

  const first = Math.max(1, Math.floor(quota / leaseDivisor));
  const isOver = sql<boolean>`(rate_windows.ends_at_ms <= ${nowMs})`;
  const rest = sql<number>`(${quota}::bigint - rate_windows.used)`;
  const part = sql<number>`(case when ${rest} <= 0 then 0 else greatest(1, ${rest} / ${leaseDivisor}::bigint) end)`;
  const { ends_at_ms, used, lent } = await context.database
    .insertInto('rate_windows')
    .values({ caller_id: callerId, rate: name, ends_at_ms: endsAtMs, used: first, lent: first })
    .onConflict((conflict) =>
      conflict.columns(['caller_id', 'rate']).doUpdateSet({
        ends_at_ms: sql`case when ${isOver} then excluded.ends_at_ms else rate_windows.ends_at_ms end`,
        used: sql`case when ${isOver} then excluded.used else rate_windows.used + ${part} end`,
        lent: sql`case when ${isOver} then excluded.lent else ${part} end`,
      }),
    )
    .returning(['ends_at_ms', 'used', 'lent'])
    .executeTakeFirstOrThrow();
  return { lent, left: Math.max(0, quota - used), endsAtMs: ends_at_ms };
}
