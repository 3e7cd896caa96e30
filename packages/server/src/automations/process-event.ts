/** Turns an event into a run for each automation that it starts. */
import { nowText, type Context } from '../context.ts';
import { ForgeError } from '../ports/forge.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import { SourceError } from '../ports/sources.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { definitionsOf, readFileRecord, requestRefresh } from './definitions.ts';
import { addRun, detailsOf, type EventDetails, type EventRecord } from './events.ts';
import type { AutomationJobs } from './jobs.ts';
import { decide, repositoryUrl } from './match.ts';
import { isSameRepository } from '../forge-events/repository-address.ts';
import { fileClaimSeconds } from './refresh.ts';
import { pausedReason } from './process-run.ts';
import { readRepositoryChange } from './repositories.ts';
import type { TriggerKind } from './template.ts';

const maxEvents = 50;
/** Until the file is read. */
const waitSeconds = 2;
const claimSeconds = 30;

export async function processEvent(
  context: Context,
  event: EventRecord,
  { jobs, signal }: { jobs: AutomationJobs; signal: AbortSignal },
): Promise<void> {
  const project = await context.database
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', event.project_id)
    .executeTakeFirst();
  if (project === undefined) return;
  if (!(await isFileNewer(context, event, project))) return;
  const details = await completed(context, { event, project, jobs }, signal);
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `automations:${project.id}`);
    const settled = await database
      .updateTable('automation_events')
      .set({ state: 'matched', next_at: null, details: JSON.stringify(details) })
      .where('id', '=', event.id)
      .where('state', '=', 'pending')
      .returning('id')
      .executeTakeFirst();
    if (settled === undefined) return;
    await addRuns(inside, { event, project, details });
  });
}

/** The automations are those of the file after the event, so a merge that changes the file counts. */
async function isFileNewer(context: Context, event: EventRecord, project: ProjectRecord): Promise<boolean> {
  const file = await readFileRecord(context, project.id);
  if (file?.read_at != null && file.read_at >= event.received_at) return true;
  const isSoon = file?.refresh_at != null && file.refresh_at <= after(context, fileClaimSeconds);
  const nextTry = file === undefined || file.attempts === 0 ? null : file.refresh_at;
  if (nextTry === null && !isSoon) await requestRefresh(context, project);
  const soon = after(context, waitSeconds);
  const next_at = nextTry !== null && nextTry > soon ? nextTry : soon;
  await context.database
    .updateTable('automation_events')
    .set({ next_at })
    .where('id', '=', event.id)
    .where('state', '=', 'pending')
    .execute();
  return false;
}

function after({ clock }: Pick<Context, 'clock'>, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}

interface Occurrence {
  event: EventRecord;
  project: ProjectRecord;
}

/** What only the repository of the code or the reports of exports know. */
async function completed(
  context: Context,
  { event, project, jobs }: Occurrence & { jobs: AutomationJobs },
  signal: AbortSignal,
): Promise<EventDetails> {
  const details = detailsOf(event);
  const { change, exportJobId } = details;
  if (exportJobId !== undefined) {
    const { count, findings } = await jobs.readNewErrors(context, exportJobId);
    return { ...details, newErrors: count, values: { ...details.values, findings } };
  }
  if (change === undefined || change.commit === null) return details;
  const automations = definitionsOf(await readFileRecord(context, project.id));
  const configured = automations
    .flatMap(({ on }) => (on.merged === undefined ? [] : [on.merged]))
    .map(({ repository }) => repositoryUrl(repository, project.repository))
    .find((url) => change.repositoryUrls.some((reported) => isSameRepository(reported, url)));
  // The address of the file, not that of the event: a payload cannot choose where the credential goes.
  if (configured === undefined) return details;
  try {
    const given = { project, repository: configured, commit: change.commit };
    return { ...details, change: { ...change, ...(await readRepositoryChange(context, given, signal)) } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError || error instanceof ForgeError)) throw error;
    context.log.info({ projectId: project.id, reason: error.message }, 'the diff of a merge was not read');
    return details;
  }
}

async function addRuns(
  context: Context,
  { event, project, details }: Occurrence & { details: EventDetails },
): Promise<void> {
  const automations = definitionsOf(await readFileRecord(context, project.id));
  const kind = event.kind as TriggerKind;
  const paused = await readPaused(context, project.id);
  for (const automation of automations) {
    const decision = decide(automation, { kind, details }, project.repository);
    if (decision === 'unrelated') continue;
    const isPaused = paused.has(automation.name);
    const skippedBecause = decision !== 'run' ? decision.skippedBecause : isPaused ? pausedReason : null;
    await addRun(context, event, { automation: automation.name, skippedBecause });
  }
}

async function readPaused(context: Context, projectId: string): Promise<Set<string>> {
  const rows = await context.database
    .selectFrom('automations')
    .select('name')
    .where('project_id', '=', projectId)
    .where('paused_at', 'is not', null)
    .execute();
  return new Set(rows.map(({ name }) => name));
}

/** Resolves with the claimed events that are due. The claims of a killed process expire. */
export async function claimDueEvents(context: Context): Promise<EventRecord[]> {
  const now = nowText(context);
  const due = await context.database
    .selectFrom('automation_events')
    .select(['id', 'next_at'])
    .where('state', '=', 'pending')
    .where('next_at', '<=', now)
    .orderBy('sequence')
    .limit(maxEvents)
    .execute();
  const claimed: EventRecord[] = [];
  for (const { id, next_at } of due) {
    const event = await context.database
      .updateTable('automation_events')
      .set((eb) => ({ next_at: after(context, claimSeconds), attempts: eb('attempts', '+', 1) }))
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('next_at', '=', next_at)
      .returningAll()
      .executeTakeFirst();
    if (event !== undefined) claimed.push(event);
  }
  return claimed;
}
