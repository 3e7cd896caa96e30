/**
 * Processes the pending pushes of a project in one transaction: it starts the export and settles the events, so that
 * a crash leaves either both or neither.
 */
import type { Context } from '../context.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import { readExportSettings } from '../projects/export-settings.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import type { EventHandlers, HandlePush } from './event-handlers.ts';
import type { ForgeEventRecord } from './events.ts';
import type { PushDetails } from './payloads/event-content.ts';
import { reasonToIgnore } from './push-decision.ts';
import { postpone, settle, type FinalOutcome } from './settle.ts';

/** More than one delivery can have; newer events supersede older ones. */
const maxEvents = 1000;
/** The longest delay of a push by newer ones. */
const maxDelaySeconds = 60;

export async function processPushes(
  context: Context,
  projectId: string,
  handlers: EventHandlers,
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
    const pushes = await settleIgnored({ context: inside, project, handlers: handlers.push });
    const newest = pushes[0];
    if (newest === undefined) return;
    const { onPush } = await readExportSettings(inside, project.id);
    const dueAt = dueTime(pushes, onPush.quietSeconds);
    if (dueAt > context.clock.now()) return postpone(inside, pushes, { next_at: dueAt.toISOString() });
    const outcome = await handlers.startPushExport(inside, {
      project,
      eventId: newest.id,
      commit: newest.after_commit ?? '',
      previousJobId: (await readLastExport(inside, project))?.jobId ?? null,
    });
    if ('retryAfterSeconds' in outcome) return settle(inside, pushes, outcome);
    await finishPushes({ context: inside, project, handlers: handlers.push }, pushes, outcome);
  });
}

interface Processing {
  context: Context;
  project: ProjectRecord;
  handlers: readonly HandlePush[];
}

/** Newest first. */
async function readPending(context: Context, project: ProjectRecord): Promise<ForgeEventRecord[]> {
  return context.database
    .selectFrom('forge_events')
    .selectAll()
    .where('organization_id', '=', project.organization_id)
    .where('project_id', '=', project.id)
    .where('kind', '=', 'push')
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
    .where('forge_events.kind', '=', 'push')
    .where('forge_events.state', '=', 'processed')
    .where('jobs.kind', '=', 'export')
    .orderBy('forge_events.finished_at', 'desc')
    .orderBy('forge_events.sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the events that need an export. */
async function settleIgnored(processing: Processing): Promise<ForgeEventRecord[]> {
  const { context, project } = processing;
  const pending = await readPending(context, project);
  if (pending.length === 0) return [];
  const { onPush } = await readExportSettings(context, project.id);
  const last = await readLastExport(context, project);
  const reasonFor = (event: ForgeEventRecord): string | undefined => {
    if (!onPush.enabled) return 'Automatic exports are disabled for the project.';
    const { ref, before_commit: before, after_commit: after, repository } = event;
    const details = JSON.parse(event.details) as PushDetails;
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
    if (reason !== null) await finishPushes(processing, events, { ignoredBecause: reason });
  }
  return byReason.get(null) ?? [];
}

/** A quiet period after the newest push, which newer pushes extend up to the maximum delay of the oldest. */
function dueTime(pushes: readonly ForgeEventRecord[], quietSeconds: number): Date {
  const times = pushes.map((event) => Date.parse(event.replayed_at ?? event.received_at));
  const quietEnd = Math.max(...times) + quietSeconds * 1000;
  return new Date(Math.min(quietEnd, Math.min(...times) + maxDelaySeconds * 1000));
}

async function finishPushes(
  { context, project, handlers }: Processing,
  pushes: readonly ForgeEventRecord[],
  outcome: FinalOutcome,
): Promise<void> {
  if (handlers.length === 0) return settle(context, pushes, outcome);
  for (const event of pushes) {
    const effects = [];
    for (const handle of handlers) effects.push(await handle(context, { project, event }));
    const effect = effects.find((each) => each !== undefined);
    await settle(context, [event], 'ignoredBecause' in outcome ? (effect ?? outcome) : outcome);
  }
}
