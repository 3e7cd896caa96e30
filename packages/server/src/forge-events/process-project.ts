/**
 * Processes the pending events of a project in one transaction: it starts the export and settles the events, so that
 * a crash leaves either both or neither.
 */
import type { ForgeEvent } from '@docyard/api';
import type { Context } from '../context.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import { readExportSettings } from '../projects/export-settings.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import type { ForgeEventRecord } from './events.ts';
import type { EventDetails } from './payloads.ts';
import { reasonToIgnore } from './push-decision.ts';

export type StartOutcome =
  | { jobId: string }
  | { retryAfterSeconds: number; reason: string }
  | { failedBecause: string };

/** Starts an export of the head of the tracked branch, or joins one that no worker has claimed yet. */
export type StartPushExport = (
  context: Context,
  push: { project: ProjectRecord; eventId: string; commit: string; previousJobId: string | null },
) => Promise<StartOutcome>;

/** More than one delivery can have; newer events supersede older ones. */
const maxEvents = 1000;
/** The longest delay of a push by newer ones. */
const maxDelaySeconds = 60;

export async function processProject(
  context: Context,
  projectId: string,
  startPushExport: StartPushExport,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `forge-events:${projectId}`);
    const project = await database
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', projectId)
      .executeTakeFirst();
    if (project === undefined) return;
    const pushes = await settleIgnored(inside, project, await readPending(inside, project));
    const newest = pushes[0];
    if (newest === undefined) return;
    const { onPush } = await readExportSettings(inside, project.id);
    const dueAt = dueTime(pushes, onPush.quietSeconds);
    if (dueAt > context.clock.now()) return settle(inside, pushes, { next_at: dueAt.toISOString() });
    const outcome = await startPushExport(inside, {
      project,
      eventId: newest.id,
      commit: newest.after_commit ?? '',
      previousJobId: (await readLastExport(inside, project))?.jobId ?? null,
    });
    await settleStarted(inside, pushes, outcome);
  });
}

/** Newest first. */
async function readPending(context: Context, project: ProjectRecord): Promise<ForgeEventRecord[]> {
  return context.database
    .selectFrom('forge_events')
    .selectAll()
    .where('organization_id', '=', project.organization_id)
    .where('project_id', '=', project.id)
    .where('state', '=', 'pending')
    .orderBy('sequence', 'desc')
    .limit(maxEvents)
    .execute();
}

interface LastExport {
  jobId: string;
  eventId: string;
  commit: string | null;
  startedAt: string;
}

async function readLastExport(context: Context, project: ProjectRecord): Promise<LastExport | undefined> {
  return context.database
    .selectFrom('forge_events')
    .innerJoin('jobs', 'jobs.id', 'forge_events.job_id')
    .select([
      'jobs.id as jobId',
      'jobs.created_at as startedAt',
      'forge_events.id as eventId',
      'forge_events.after_commit as commit',
    ])
    .where('forge_events.organization_id', '=', project.organization_id)
    .where('forge_events.project_id', '=', project.id)
    .where('forge_events.state', '=', 'processed')
    .orderBy('forge_events.finished_at', 'desc')
    .orderBy('forge_events.sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the events that need an export. */
async function settleIgnored(
  context: Context,
  project: ProjectRecord,
  pending: readonly ForgeEventRecord[],
): Promise<ForgeEventRecord[]> {
  if (pending.length === 0) return [];
  const { onPush } = await readExportSettings(context, project.id);
  const last = await readLastExport(context, project);
  const reasonFor = (event: ForgeEventRecord): string | undefined => {
    if (!onPush.enabled) return 'Automatic exports are disabled for the project.';
    const { ref, before_commit: before, after_commit: after, repository } = event;
    const details = JSON.parse(event.details) as EventDetails;
    const reason = reasonToIgnore({ ref, before, after, repository, details }, project);
    if (reason !== undefined || last === undefined || event.replayed_at !== null) return reason;
    if (after === last.commit) return `The event ${last.eventId} started an export of this commit.`;
    // An export has the commit that the branch had when it started, so it includes earlier pushes.
    return event.received_at < last.startedAt
      ? `The later export ${last.jobId} includes this push.`
      : undefined;
  };
  const byReason = Map.groupBy(pending, (event) => reasonFor(event) ?? null);
  for (const [reason, events] of byReason) {
    if (reason !== null) await finish(context, events, 'ignored', { reason });
  }
  return byReason.get(null) ?? [];
}

/** A quiet period after the newest push, which newer pushes extend up to the maximum delay of the oldest. */
function dueTime(pushes: readonly ForgeEventRecord[], quietSeconds: number): Date {
  const times = pushes.map((event) => Date.parse(event.replayed_at ?? event.received_at));
  const quietEnd = Math.max(...times) + quietSeconds * 1000;
  return new Date(Math.min(quietEnd, Math.min(...times) + maxDelaySeconds * 1000));
}

async function settleStarted(
  context: Context,
  pushes: readonly ForgeEventRecord[],
  outcome: StartOutcome,
): Promise<void> {
  if ('retryAfterSeconds' in outcome) {
    const { retryAfterSeconds, reason } = outcome;
    const next_at = new Date(context.clock.now().getTime() + retryAfterSeconds * 1000).toISOString();
    return settle(context, pushes, { next_at, reason, isAttempt: true });
  }
  if ('failedBecause' in outcome) return finish(context, pushes, 'failed', { reason: outcome.failedBecause });
  return finish(context, pushes, 'processed', { reason: null, job_id: outcome.jobId });
}

async function finish(
  context: Context,
  events: readonly ForgeEventRecord[],
  state: ForgeEvent['state'],
  values: { reason: string | null; job_id?: string },
): Promise<void> {
  const finished_at = context.clock.now().toISOString();
  await context.database
    .updateTable('forge_events')
    .set({ ...values, state, next_at: null, finished_at })
    .where('id', 'in', idsOf(events))
    .where('state', '=', 'pending')
    .execute();
}

async function settle(
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
