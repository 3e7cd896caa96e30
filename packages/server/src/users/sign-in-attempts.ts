/**
 * Limits attempts to sign in, across all processes. Limits per address are lower than per email, so that a stranger
 * cannot lock out a user.
 */
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { subscriberOf } from '@docyard/site/network';
import { Problem } from '../problem.ts';

const windowSeconds = 900;
const maxPerAddress = 50;
const maxPerEmail = 100;
const maxPerSubjectAndAddress = 10;

type AttemptContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export interface Attempt {
  /** The email, or the kind of token. */
  subject: string;
  address: string | null;
}

/** Counts the attempt before it is made. */
export async function countAttempt(context: AttemptContext, attempt: Attempt): Promise<void> {
  await deleteEndedWindows(context);
  for (const { name, max } of countsOf(context, attempt)) {
    const { used, endsAtMs } = await increment(context, name);
    if (used <= max) continue;
    const seconds = Math.max(1, Math.ceil((endsAtMs - context.clock.now().getTime()) / 1000));
    throw new Problem('rate_limited', `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`, {
      headers: { 'retry-after': String(seconds) },
    });
  }
}

/** Resets the counts after a success. */
export async function resetAttempts(context: AttemptContext, attempt: Attempt): Promise<void> {
  const names = countsOf(context, attempt).map(({ name }) => name);
  const [address = '', ...rest] = names;
  await context.database.deleteFrom('attempt_windows').where('subject', 'in', rest).execute();
  // Other users behind the same address keep their counts.
  await context.database
    .updateTable('attempt_windows')
    .set({ used: sql`used - 1` })
    .where('subject', '=', address)
    .execute();
}

/** Hashed, so that mistyped emails are not stored. */
function countsOf(context: AttemptContext, { subject, address }: Attempt): { name: string; max: number }[] {
  const subscriber = subscriberOf(address ?? '');
  const name = (...parts: string[]) =>
    createHmac('sha256', context.secrets.keyPepper).update(JSON.stringify(parts)).digest('base64url');
  const addressCounts = [
    { name: name('address', subscriber), max: maxPerAddress },
    { name: name('both', subject, subscriber), max: maxPerSubjectAndAddress },
  ];
  // Tokens have no limit across addresses: they cannot be guessed, and strangers must not lock out the holder.
  return subject.includes('@')
    ? [...addressCounts, { name: name('email', subject), max: maxPerEmail }]
    : addressCounts;
}

async function increment(
  context: AttemptContext,
  subject: string,
): Promise<{ used: number; endsAtMs: number }> {
  const nowMs = context.clock.now().getTime();
  const row = await context.database
    .insertInto('attempt_windows')
    .values({ subject, ends_at_ms: nowMs + windowSeconds * 1000, used: 1 })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ used: sql`attempt_windows.used + 1` }))
    .returning(['used', 'ends_at_ms'])
    .executeTakeFirstOrThrow();
  return { used: row.used, endsAtMs: row.ends_at_ms };
}

async function deleteEndedWindows({ database, clock }: AttemptContext): Promise<void> {
  await database.deleteFrom('attempt_windows').where('ends_at_ms', '<=', clock.now().getTime()).execute();
}
