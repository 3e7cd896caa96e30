/** Finds what starts automations without a forge: due schedules, exports with errors and feedback of readers. */
import type { AutomationDefinition } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { inTransaction, type AutomationRow } from '../ports/database.ts';
import { definitionsOf, readFileRecord } from './definitions.ts';
import { addEvent, addEventWithRun, detailsOf } from './events.ts';
import { exceedingPages } from './match.ts';
import { nextTime } from './schedule.ts';

type Row = Selectable<AutomationRow>;

const maxDue = 100;

/** One run per due time. Times that passed while no process ran collapse into one. */
export async function queueSchedules(context: Context): Promise<number> {
  const now = nowText(context);
  const due = await context.database
    .selectFrom('automations')
    .selectAll()
    .where('next_at', '<=', now)
    .orderBy('next_at')
    .limit(maxDue)
    .execute();
  for (const row of due)
    await inTransaction(context.database, (database) => queueSchedule({ ...context, database }, row));
  return due.length;
}

async function queueSchedule(context: Context, row: Row): Promise<void> {
  const { project_id: projectId, name, next_at: slot, schedule } = row;
  if (slot === null || schedule === null) return;
  const next = nextTime(JSON.parse(schedule) as Parameters<typeof nextTime>[0], context.clock.now());
  const advanced = await context.database
    .updateTable('automations')
    .set({ next_at: next?.toISOString() ?? null })
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .where('next_at', '=', slot)
    .returning('name')
    .executeTakeFirst();
  if (advanced === undefined || row.paused_at !== null) return;
  await addEventWithRun(context, {
    organizationId: row.organization_id,
    projectId,
    kind: 'schedule',
    automation: name,
    source: `schedule:${name}:${slot}`,
    subject: `The schedule was due at ${slot}.`,
    details: { values: { scheduledAt: slot } },
  });
}

const exportSeconds = 30;
/** Clocks of processes differ. An export is recorded once in any case. */
const overlapSeconds = 300;
const feedbackSeconds = 600;
const defaultFeedbackDays = 7;
const maxComments = 20;
const maxPages = 50;

export async function queueFailedChecks(context: Context): Promise<number> {
  const rows = await claimUnchecked(context, 'failedCheck', exportSeconds);
  for (const row of rows) await queueExports(context, row);
  return rows.length;
}

async function queueExports(context: Context, row: Row): Promise<void> {
  const since = new Date(Date.parse(row.checked_at) - overlapSeconds * 1000).toISOString();
  const exports = await context.database
    .selectFrom('jobs')
    .select(['id', 'input', 'source_commit', 'finished_at'])
    .where('organization_id', '=', row.organization_id)
    .where('project_id', '=', row.project_id)
    .where('kind', '=', 'export')
    .where('preview_of', 'is', null)
    .where('status', 'in', ['completed', 'failed'])
    .where('purged_at', 'is', null)
    .where('finished_at', '>=', since)
    .orderBy('sequence')
    .limit(maxDue)
    .execute();
  for (const job of exports) {
    const { trigger } = JSON.parse(job.input) as { trigger?: { kind?: unknown } };
    if (trigger?.kind !== 'push') continue;
    await addEvent(context, {
      organizationId: row.organization_id,
      projectId: row.project_id,
      kind: 'failedCheck',
      automation: null,
      source: `export:${job.id}`,
      subject: `The export ${job.id} ended.`,
      details: {
        exportJobId: job.id,
        values: { export: job.id, ...(job.source_commit === null ? {} : { commit: job.source_commit }) },
      },
    });
  }
}

export async function queueFeedback(context: Context): Promise<number> {
  const rows = await claimUnchecked(context, 'feedback', feedbackSeconds);
  for (const row of rows) {
    const file = await readFileRecord(context, row.project_id);
    const automation = definitionsOf(file).find(({ name }) => name === row.name);
    if (automation !== undefined) await queueNegative(context, row, automation);
  }
  return rows.length;
}

async function queueNegative(context: Context, row: Row, { name, on }: AutomationDefinition): Promise<void> {
  if (on.feedback === undefined) return;
  const { days = defaultFeedbackDays } = on.feedback;
  const since = new Date(context.clock.now().getTime() - days * 86_400_000).toISOString();
  const byPath = Map.groupBy(await negativeVotes(context, row, since.slice(0, 10)), ({ path }) => path);
  const reported = await reportedPages(context, row, since);
  const counts = [...byPath].map(([path, votes]) => [path, votes.length] as const);
  const pages = exceedingPages(on.feedback, counts)
    .filter((path) => !reported.has(path))
    .slice(0, maxPages);
  if (pages.length === 0) return;
  const votesOf = (path: string) => byPath.get(path) ?? [];
  const comments = pages
    .flatMap((path) =>
      votesOf(path).flatMap(({ comment }) => (comment === null ? [] : [`${path}: ${comment}`])),
    )
    .slice(0, maxComments);
  await addEventWithRun(context, {
    organizationId: row.organization_id,
    projectId: row.project_id,
    kind: 'feedback',
    automation: name,
    source: `feedback:${name}:${row.checked_at}`,
    subject: `Readers found ${pages.length === 1 ? 'a page' : `${pages.length} pages`} not helpful.`,
    details: {
      pages,
      values: {
        pages: pages.map((path) => `${path}: ${votesOf(path).length} readers`).join('\n'),
        comments: comments.join('\n'),
      },
    },
  });
}

function negativeVotes({ database }: Context, row: Row, since: string) {
  return database
    .selectFrom('deployment_feedback')
    .innerJoin('deployments', 'deployments.id', 'deployment_feedback.deployment_id')
    .select(['deployment_feedback.path', 'deployment_feedback.comment'])
    .where('deployments.organization_id', '=', row.organization_id)
    .where('deployments.project_id', '=', row.project_id)
    .where('deployment_feedback.is_helpful', '=', 0)
    .where('deployment_feedback.day', '>=', since)
    .orderBy('deployment_feedback.day', 'desc')
    .orderBy('deployment_feedback.id')
    .limit(10_000)
    .execute();
}

/** A page is reported once in the period, also when the run was skipped or failed. */
async function reportedPages({ database }: Context, row: Row, since: string): Promise<Set<string>> {
  const events = await database
    .selectFrom('automation_events')
    .select('details')
    .where('project_id', '=', row.project_id)
    .where('kind', '=', 'feedback')
    .where('automation', '=', row.name)
    .where('received_at', '>=', since)
    .execute();
  return new Set(events.flatMap((event) => detailsOf(event).pages ?? []));
}

/** Of several processes one examines an automation at a time. Resolves with the rows before the claim. */
async function claimUnchecked(context: Context, kind: string, seconds: number): Promise<Row[]> {
  const now = context.clock.now();
  const before = new Date(now.getTime() - seconds * 1000).toISOString();
  const rows = await context.database
    .selectFrom('automations')
    .selectAll()
    .where('kind', '=', kind)
    .where('checked_at', '<=', before)
    .where('paused_at', 'is', null)
    .orderBy('checked_at')
    .limit(maxDue)
    .execute();
  const claimed: Row[] = [];
  for (const row of rows) {
    const updated = await context.database
      .updateTable('automations')
      .set({ checked_at: now.toISOString() })
      .where('project_id', '=', row.project_id)
      .where('name', '=', row.name)
      .where('checked_at', '=', row.checked_at)
      .returning('name')
      .executeTakeFirst();
    if (updated !== undefined) claimed.push(row);
  }
  return claimed;
}
