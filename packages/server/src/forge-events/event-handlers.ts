/** What the wiring does with events, because the features that react to them do not know each other. */
import type { Context } from '../context.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import type { ForgeEventRecord } from './events.ts';

export type StartOutcome =
  | { jobId: string }
  | { retryAfterSeconds: number; reason: string }
  | { failedBecause: string };

/** Starts an export of the head of the tracked branch, or joins one that no worker has claimed yet. */
export type StartPushExport = (
  context: Context,
  push: { project: ProjectRecord; eventId: string; commit: string; previousJobId: string | null },
) => Promise<StartOutcome>;

export interface GivenEvent {
  project: ProjectRecord;
  event: ForgeEventRecord;
}

/** `jobId` is null for an effect without a job. */
export type EventOutcome =
  | { jobId: string | null }
  | { ignoredBecause: string }
  | { retryAfterSeconds: number; reason: string }
  | { failedBecause: string };

/**
 * Runs in the transaction that settles the event, so it connects to no other host. It is repeated when another
 * handler of the event asks for a retry.
 */
export type HandleEvent = (context: Context, given: GivenEvent) => Promise<EventOutcome>;

/** Runs once for a push of any repository and branch, after its export was started or found unnecessary. */
export type HandlePush = (
  context: Context,
  given: GivenEvent,
) => Promise<{ jobId: string | null } | undefined>;

export interface EventHandlers {
  startPushExport: StartPushExport;
  push: readonly HandlePush[];
  pull_request: readonly HandleEvent[];
  comment: readonly HandleEvent[];
  review: readonly HandleEvent[];
}
