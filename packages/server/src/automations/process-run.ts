/** Starts the agent job of a run, or sends a message to the job whose proposal is open. */
import type { AutomationDefinition } from '@docyard/api';
import type { Context } from '../context.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { budgetOf, budgetReason, nextDay, readUsed } from './budget.ts';
import { definitionsOf, readFileRecord } from './definitions.ts';
import { detailsOf, type EventDetails, type EventRecord } from './events.ts';
import type { AutomationJobs, JobOrder, JobOutcome } from './jobs.ts';
import { narrowPatch, repositoryUrl } from './match.ts';
import { readReviewers } from './reviewers.ts';
import { finishRun, postponeRun, type RunRecord } from './run-records.ts';
import { renderInstruction, type TemplateValues } from './template.ts';

interface Start {
  run: RunRecord;
  event: EventRecord;
  details: EventDetails;
  project: ProjectRecord;
  automation: AutomationDefinition;
}

interface Tools {
  jobs: AutomationJobs;
  signal: AbortSignal;
}

export const pausedReason = 'The automation is paused.';
const noOwners = { users: [], teams: [] };

export async function processRun(context: Context, run: RunRecord, tools: Tools): Promise<void> {
  const start = await readStart(context, run);
  if (start === undefined) {
    const reason = 'The automation is no longer in the file.';
    return finishRun(context, run, { state: 'skipped', reason });
  }
  const { project, automation } = start;
  const newestJobId = (await readAutomation(context, start))?.job_id ?? null;
  const isGrouped = automation.group ?? true;
  const isOpen =
    isGrouped && newestJobId !== null && (await tools.jobs.isOpen(context, newestJobId, tools.signal));
  const reviewers = isOpen ? noOwners : await readReviewers(context, start, tools.signal);
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await acquireLocks(database, `automation:${project.id}:${automation.name}`);
    if (!(await isPending(inside, run))) return;
    const row = await readAutomation(inside, start);
    if (row === undefined) return;
    if (row.paused_at !== null && start.event.kind !== 'manual') {
      return finishRun(inside, run, { state: 'skipped', reason: pausedReason });
    }
    // Another run has started a job since it was examined.
    if (isGrouped && row.job_id !== newestJobId)
      return postponeRun(inside, run, { seconds: 1, reason: null });
    const used = await readUsed(inside, { projectId: project.id, name: automation.name }, tools.jobs);
    const reason = budgetReason(budgetOf(automation), used);
    if (reason !== undefined) return postponeRun(inside, run, { until: nextDay(context), reason });
    const prompt = renderInstruction(automation.instructions, valuesOf(start));
    const isMessage = isOpen && newestJobId !== null;
    const outcome = isMessage
      ? await tools.jobs.message(inside, { jobId: newestJobId, project, prompt })
      : await tools.jobs.start(inside, { ...orderOf(start), prompt, reviewers });
    await settle(inside, start, { outcome, isMessage });
  });
}

async function readStart(context: Context, run: RunRecord): Promise<Start | undefined> {
  const { database } = context;
  const project = await database
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', run.project_id)
    .executeTakeFirst();
  const event = await database
    .selectFrom('automation_events')
    .selectAll()
    .where('id', '=', run.event_id)
    .executeTakeFirst();
  const file = await readFileRecord(context, run.project_id);
  const automation = definitionsOf(file).find(({ name }) => name === run.automation);
  if (project === undefined || event === undefined || automation === undefined) return undefined;
  return { run, event, details: detailsOf(event), project, automation };
}

function readAutomation({ database }: Context, { project, automation }: Start) {
  return database
    .selectFrom('automations')
    .select(['paused_at', 'job_id'])
    .where('project_id', '=', project.id)
    .where('name', '=', automation.name)
    .executeTakeFirst();
}

async function isPending({ database }: Context, run: RunRecord): Promise<boolean> {
  const row = await database
    .selectFrom('automation_runs')
    .select('state')
    .where('id', '=', run.id)
    .executeTakeFirst();
  return row?.state === 'pending';
}

function orderOf({ run, details, project, automation }: Start): Omit<JobOrder, 'prompt' | 'reviewers'> {
  const { merged } = automation.on;
  const { commit = null, before = null } = details.change ?? {};
  const change =
    merged === undefined || commit === null || before === null
      ? null
      : { repository: repositoryUrl(merged.repository, project.repository), base: before, head: commit };
  return { project, automation, runId: run.id, change };
}

function valuesOf({ event, details, automation }: Start): TemplateValues {
  const { values, change } = details;
  const paths = automation.on.merged?.paths;
  return {
    ...values,
    automation: automation.name,
    event: event.subject,
    ...(change === undefined
      ? {}
      : {
          changedPaths: change.changedPaths?.join('\n') ?? '',
          diff: narrowPatch(change.patch ?? '', paths),
        }),
  };
}

async function settle(
  context: Context,
  { run, project, automation }: Start,
  { outcome, isMessage }: { outcome: JobOutcome; isMessage: boolean },
): Promise<void> {
  if ('retryAfterSeconds' in outcome) {
    const { retryAfterSeconds: seconds, reason } = outcome;
    return postponeRun(context, run, { seconds, reason });
  }
  if ('failedBecause' in outcome) {
    return finishRun(context, run, { state: 'failed', reason: outcome.failedBecause });
  }
  const { jobId } = outcome;
  await finishRun(context, run, { state: isMessage ? 'messaged' : 'started', reason: null, jobId });
  await context.database
    .updateTable('automations')
    .set({ job_id: jobId })
    .where('project_id', '=', project.id)
    .where('name', '=', automation.name)
    .execute();
}
