/** Claims due pull requests by guarded UPDATEs. An expired claim is due again. */
import { randomUUID } from 'node:crypto';
import type { ExpressionBuilder } from 'kysely';
import { nowText, type Context } from '../context.ts';
import type { Database, Tables } from '../ports/database.ts';
import type { PullRequestRecord } from './records.ts';

type ClaimContext = Pick<Context, 'database' | 'clock'>;

/** Longer than a worker works on a pull request. */
const leaseSeconds = 90;

/** Another worker has the pull request. */
export class ClaimLostError extends Error {
  override name = 'ClaimLostError';
}

export async function claimDue(context: ClaimContext, maxClaims: number): Promise<PullRequestRecord[]> {
  const now = nowText(context);
  const due = await context.database
    .selectFrom('pull_requests')
    .select('id')
    .where((rows) => isDue(rows, now))
    .where((rows) => isFree(rows, now))
    .orderBy('updated_at')
    .limit(maxClaims)
    .execute();
  const claimed: PullRequestRecord[] = [];
  for (const { id } of due) {
    const until = new Date(context.clock.now().getTime() + leaseSeconds * 1000).toISOString();
    const row = await context.database
      .updateTable('pull_requests')
      .set({ claim: randomUUID(), claimed_until: until })
      .where('id', '=', id)
      .where((rows) => isFree(rows, now))
      .returningAll()
      .executeTakeFirst();
    if (row !== undefined) claimed.push(row);
  }
  return claimed;
}

/** At its time, or when the export that it waits for has ended. */
function isDue(rows: ExpressionBuilder<Tables, 'pull_requests'>, now: string) {
  return rows.or([
    rows('next_at', '<=', now),
    rows.and([
      rows('state', '=', 'building'),
      rows('next_at', 'is', null),
      rows.not(
        rows.exists(
          rows
            .selectFrom('jobs')
            .select('jobs.id')
            .whereRef('jobs.id', '=', 'pull_requests.job_id')
            .where('jobs.status', 'in', ['queued', 'running']),
        ),
      ),
    ]),
  ]);
}

function isFree(rows: ExpressionBuilder<Tables, 'pull_requests'>, now: string) {
  return rows.or([rows('claimed_until', 'is', null), rows('claimed_until', '<=', now)]);
}

/** Claims of this installation that no process can hold, because another one started. */
export async function releaseAll({ database }: Pick<Context, 'database'>): Promise<void> {
  await database
    .updateTable('pull_requests')
    .set({ claim: null, claimed_until: null })
    .where('claim', 'is not', null)
    .execute();
}

export type Change = Partial<
  Omit<PullRequestRecord, 'id' | 'sequence' | 'token' | 'claim' | 'claimed_until'>
>;

/** Also locks the row until the transaction ends. */
export async function changeClaimed(
  context: Pick<Context, 'clock'> & { database: Database },
  { id, claim }: Pick<PullRequestRecord, 'id' | 'claim'>,
  change: Change,
): Promise<PullRequestRecord> {
  const row = await context.database
    .updateTable('pull_requests')
    .set({ ...change, updated_at: nowText(context) })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new ClaimLostError('Another worker has the pull request.');
  return row;
}

/** A change since the claim makes the row due again. */
export async function release(
  context: ClaimContext,
  { id, claim, revision }: Pick<PullRequestRecord, 'id' | 'claim' | 'revision'>,
  change: Change & { next_at: string | null },
): Promise<void> {
  const { next_at, ...values } = change;
  const now = nowText(context);
  await context.database
    .updateTable('pull_requests')
    .set((rows) => ({
      ...values,
      claim: null,
      claimed_until: null,
      next_at: rows.case().when('revision', '=', revision).then(next_at).else(now).end(),
      updated_at: now,
    }))
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute();
}

/** Due again at once. */
export async function releaseUnchanged(
  { database }: ClaimContext,
  { id, claim }: Pick<PullRequestRecord, 'id' | 'claim'>,
): Promise<void> {
  await database
    .updateTable('pull_requests')
    .set({ claim: null, claimed_until: null })
    .where('id', '=', id)
    .where('claim', '=', claim)
    .execute();
}
