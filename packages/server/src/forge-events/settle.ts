/** Writes the outcome of pending events. */
import type { ForgeEvent } from '@docyard/api';
import type { Context } from '../context.ts';
import type { EventOutcome } from './event-handlers.ts';
import type { ForgeEventRecord } from './events.ts';

export type FinalOutcome = Exclude<EventOutcome, { retryAfterSeconds: number }>;

export async function settle(
  context: Context,
  events: readonly ForgeEventRecord[],
  outcome: EventOutcome,
): Promise<void> {
  if (!('retryAfterSeconds' in outcome)) return finish(context, events, outcome);
  const { retryAfterSeconds, reason } = outcome;
  const next_at = new Date(context.clock.now().getTime() + retryAfterSeconds * 1000).toISOString();
  return postpone(context, events, { next_at, reason, isAttempt: true });
}

async function finish(
  context: Context,
  events: readonly ForgeEventRecord[],
  outcome: FinalOutcome,
): Promise<void> {
  await context.database
    .updateTable('forge_events')
    .set({ ...valuesOf(outcome), next_at: null, finished_at: context.clock.now().toISOString() })
    .where('id', 'in', idsOf(events))
    .where('state', '=', 'pending')
    .execute();
}

interface FinalValues {
  state: ForgeEvent['state'];
  reason: string | null;
  job_id?: string | null;
}

function valuesOf(outcome: FinalOutcome): FinalValues {
  if ('failedBecause' in outcome) return { state: 'failed', reason: outcome.failedBecause };
  if ('ignoredBecause' in outcome) return { state: 'ignored', reason: outcome.ignoredBecause };
  return { state: 'processed', reason: null, job_id: outcome.jobId };
}

export async function postpone(
  context: Context,
  events: readonly ForgeEventRecord[],
  { isAttempt = false, ...values }: { next_at: string; reason?: string; isAttempt?: boolean },
): Promise<void> {
  await context.database
    .updateTable('forge_events')
    .set((eb) => ({ ...values, ...(isAttempt ? { attempts: eb('attempts', '+', 1) } : {}) }))
    .where('id', 'in', idsOf(events))
    .where('state', '=', 'pending')
    .execute();
}

function idsOf(events: readonly ForgeEventRecord[]): string[] {
  return events.map(({ id }) => id);
}
