/**
 * Requests a minute and caller, a key or a person, counted for all processes together. A process borrows a part of what is left and counts it
 * down on its own, so that the database is asked once for many requests; the less is left, the smaller the part. Never more
 * is lent than there is; what a process has borrowed and not used is lost to the others until the window ends.
 */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { isPostgres } from '../ports/database.ts';

export interface Rate {
  name: 'reads' | 'writes';
  quota: number;
}

export interface Loan {
  /** 0 when everything is used up. */
  lent: number;
  /** What nobody has borrowed yet. */
  left: number;
  endsAtMs: number;
}

export const windowSeconds = 60;
/** 600 reads cost 81 statements; a process that borrows and vanishes takes 37 of them with it at most. */
const partOfRest = 16;

/** A window begins with the first request. Clocks that differ by seconds make it shorter or longer by as much. */
export async function borrowRequests(
  context: Pick<Context, 'database' | 'clock'>,
  callerId: string,
  { name, quota }: Rate,
): Promise<Loan> {
  const nowMs = context.clock.now().getTime();
  const endsAtMs = nowMs + windowSeconds * 1000;
  // On SQLite there is no other process that answers requests.
  if (!isPostgres(context.database)) return { lent: quota, left: 0, endsAtMs };

  const first = Math.max(1, Math.floor(quota / partOfRest));
  const isOver = sql<boolean>`(rate_windows.ends_at_ms <= ${nowMs})`;
  const rest = sql<number>`(${quota}::bigint - rate_windows.used)`;
  const part = sql<number>`(case when ${rest} <= 0 then 0 else greatest(1, ${rest} / ${partOfRest}::bigint) end)`;
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
