/** The records of runs: claimed, settled, listed and deleted after 90 days. */
import type { AutomationRun } from '@docyard/api';
import type { Selectable } from 'kysely';
import { automationRunsWithin, type AccessScope } from '../access-scope.ts';
import { nowText, type Context } from '../context.ts';
import { readPage, type ListPage, type PageRequest } from '../paging.ts';
import type { AutomationRunRow } from '../ports/database.ts';

type RecordContext = Pick<Context, 'database' | 'clock'>;

export type RunRecord = Selectable<AutomationRunRow>;

const claimSeconds = 30;
const maxRuns = 50;
/** Unexpected failures of a run. A limit or a budget is none. */
const maxFailures = 10;
const retrySeconds = 60;
const retentionDays = 90;
const maxDeletedRows = 1000;

/** Resolves with the claimed runs that are due, oldest first. The claims of a killed process expire. */
export async function claimDueRuns(context: RecordContext): Promise<RunRecord[]> {
  const due = await context.database
    .selectFrom('automation_runs')
    .select(['id', 'next_at'])
    .where('state', '=', 'pending')
    .where('next_at', '<=', nowText(context))
    .orderBy('sequence')
    .limit(maxRuns)
    .execute();
  const claimed: RunRecord[] = [];
  for (const { id, next_at } of due) {
    const run = await context.database
      .updateTable('automation_runs')
      .set({ next_at: after(context, claimSeconds) })
      .where('id', '=', id)
      .where('state', '=', 'pending')
      .where('next_at', '=', next_at)
      .returningAll()
      .executeTakeFirst();
    if (run !== undefined) claimed.push(run);
  }
  return claimed;
}

export async function finishRun(
  context: RecordContext,
  run: Pick<RunRecord, 'id'>,
  {
    jobId = null,
    ...values
  }: { state: AutomationRun['state']; reason: string | null; jobId?: string | null },
): Promise<void> {
  await context.database
    .updateTable('automation_runs')
    .set({ ...values, job_id: jobId, next_at: null, finished_at: nowText(context) })
    .where('id', '=', run.id)
    .where('state', '=', 'pending')
    .execute();
}

export async function postponeRun(
  context: RecordContext,
  run: Pick<RunRecord, 'id'>,
  { reason, ...when }: { reason: string | null } & ({ seconds: number } | { until: string }),
): Promise<void> {
  const next_at = 'until' in when ? when.until : after(context, when.seconds);
  await context.database
    .updateTable('automation_runs')
    .set({ next_at, reason })
    .where('id', '=', run.id)
    .where('state', '=', 'pending')
    .execute();
}

/** After an unexpected error. */
export async function retryRun(context: RecordContext, run: RunRecord): Promise<void> {
  const reason = 'An internal error occurred. See the log.';
  if (run.attempts >= maxFailures) return finishRun(context, run, { state: 'failed', reason });
  await context.database
    .updateTable('automation_runs')
    .set((eb) => ({ attempts: eb('attempts', '+', 1) }))
    .where('id', '=', run.id)
    .execute();
  await postponeRun(context, run, { seconds: retrySeconds, reason });
}

function after({ clock }: Pick<Context, 'clock'>, seconds: number): string {
  return new Date(clock.now().getTime() + seconds * 1000).toISOString();
}

/** With the event of each run. */
export function runsWithEvents({ database }: Pick<Context, 'database'>) {
  return database
    .selectFrom('automation_runs')
    .innerJoin('automation_events', 'automation_events.id', 'automation_runs.event_id')
    .selectAll('automation_runs')
    .select([
      'automation_events.kind as trigger',
      'automation_events.subject as subject',
      'automation_events.forge_event_id as forge_event_id',
    ]);
}

type RunWithEvent = RunRecord & { trigger: string; subject: string; forge_event_id: string | null };

export async function listRuns(
  context: Pick<Context, 'database'>,
  input: PageRequest & {
    reach: AccessScope;
    projectId?: string | undefined;
    automation?: string | undefined;
    state?: AutomationRun['state'] | undefined;
  },
): Promise<ListPage<AutomationRun>> {
  let query = context.database
    .selectFrom('automation_runs')
    .selectAll()
    .where(automationRunsWithin(input.reach));
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  if (input.automation !== undefined) query = query.where('automation', '=', input.automation);
  if (input.state !== undefined) query = query.where('state', '=', input.state);
  const page = await readPage(input, query, (run) => run);
  const ids = page.data.map(({ id }) => id);
  const rows =
    ids.length === 0 ? [] : await runsWithEvents(context).where('automation_runs.id', 'in', ids).execute();
  const byId = new Map(rows.map((row) => [row.id, viewRun(row)]));
  return { ...page, data: ids.flatMap((id) => byId.get(id) ?? []) };
}

export function viewRun(row: RunWithEvent): AutomationRun {
  return {
    id: row.id,
    projectId: row.project_id,
    automation: row.automation,
    trigger: row.trigger as AutomationRun['trigger'],
    subject: row.subject,
    forgeEventId: row.forge_event_id,
    state: row.state as AutomationRun['state'],
    reason: row.reason,
    jobId: row.job_id,
    createdAt: row.created_at,
    nextAttemptAt: row.next_at,
    finishedAt: row.finished_at,
  };
}

/** Runs are deleted with their events. Those that wait stay. */
export async function sweepAutomations(context: RecordContext): Promise<void> {
  const oldest = new Date(context.clock.now().getTime() - retentionDays * 86_400_000).toISOString();
  for (;;) {
    const { numDeletedRows } = await context.database
      .deleteFrom('automation_events')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('automation_events')
          .select('id')
          .where('received_at', '<', oldest)
          .where('id', 'not in', (inner) =>
            inner.selectFrom('automation_runs').select('event_id').where('state', '=', 'pending'),
          )
          .limit(maxDeletedRows),
      )
      .executeTakeFirst();
    if (Number(numDeletedRows) < maxDeletedRows) return;
  }
}
