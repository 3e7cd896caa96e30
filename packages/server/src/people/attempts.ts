/**
 * How often a password or a token may be tried, counted for all processes in the database. An address that tries much is
 * slowed down before a person is, so that nobody is kept out by a stranger who knows their email.
 */
import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { subscriberOf } from '../keys/addresses.ts';
import { Problem } from '../problem.ts';

const windowSeconds = 900;
const mostOfAddress = 50;
const mostOfEmail = 100;
const mostOfSubjectFromAddress = 10;

type AttemptContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

export interface Attempt {
  /** The email, or the kind of a token. */
  subject: string;
  address: string | null;
}

/** Counts the attempt before it is made, and refuses it when there were too many. */
export async function takeAttempt(context: AttemptContext, attempt: Attempt): Promise<void> {
  await forgetEnded(context);
  for (const { name, most } of countsOf(context, attempt)) {
    const { used, endsAtMs } = await count(context, name);
    if (used <= most) continue;
    const seconds = Math.max(1, Math.ceil((endsAtMs - context.clock.now().getTime()) / 1000));
    throw new Problem(
      'rate_limited',
      `There were too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
      { headers: { 'retry-after': String(seconds) } },
    );
  }
}

/** After a success: whoever knows the password may be wrong again as often as before. */
export async function forgiveAttempts(context: AttemptContext, attempt: Attempt): Promise<void> {
  const names = countsOf(context, attempt).map(({ name }) => name);
  const [address = '', ...rest] = names;
  await context.database.deleteFrom('attempt_windows').where('subject', 'in', rest).execute();
  // Others behind the same address have not succeeded.
  await context.database
    .updateTable('attempt_windows')
    .set({ used: sql`used - 1` })
    .where('subject', '=', address)
    .execute();
}

/** Names are hashed: nobody's email is kept for having been typed here. */
function countsOf(context: AttemptContext, { subject, address }: Attempt): { name: string; most: number }[] {
  const subscriber = subscriberOf(address ?? '');
  const name = (...parts: string[]) =>
    createHmac('sha256', context.secrets.keyPepper).update(JSON.stringify(parts)).digest('base64url');
  const ofAddress = [
    { name: name('address', subscriber), most: mostOfAddress },
    { name: name('both', subject, subscriber), most: mostOfSubjectFromAddress },
  ];
  // A token cannot be guessed by many together either, and whoever holds the right one must not be kept out by them.
  return subject.includes('@')
    ? [...ofAddress, { name: name('email', subject), most: mostOfEmail }]
    : ofAddress;
}

async function count(context: AttemptContext, subject: string): Promise<{ used: number; endsAtMs: number }> {
  const nowMs = context.clock.now().getTime();
  const row = await context.database
    .insertInto('attempt_windows')
    .values({ subject, ends_at_ms: nowMs + windowSeconds * 1000, used: 1 })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet({ used: sql`attempt_windows.used + 1` }))
    .returning(['used', 'ends_at_ms'])
    .executeTakeFirstOrThrow();
  return { used: row.used, endsAtMs: row.ends_at_ms };
}

async function forgetEnded({ database, clock }: AttemptContext): Promise<void> {
  await database.deleteFrom('attempt_windows').where('ends_at_ms', '<=', clock.now().getTime()).execute();
}
