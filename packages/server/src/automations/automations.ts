/** The automations of a project as the API shows them, and what callers may do with them. */
import type {
  Automation,
  AutomationDefinition,
  AutomationProblem,
  AutomationRun,
  ProjectAutomations,
} from '@docyard/api';
import type { AccessScope } from '../access-scope.ts';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { findProject, type ProjectRecord } from '../projects/find-project.ts';
import { budgetOf, readUsed } from './budget.ts';
import { automationsPath, definitionsOf, readFileRecord, requestRefresh } from './definitions.ts';
import { addEventWithRun } from './events.ts';
import type { AutomationJobs } from './jobs.ts';
import { runsWithEvents, viewRun } from './run-records.ts';
import { nextTime } from './schedule.ts';
import { triggerOf } from './template.ts';

type Jobs = Pick<AutomationJobs, 'usedTokens'>;

interface Named {
  projectId: string;
  name: string;
  actor: Actor;
}

export async function readAutomations(
  context: Context,
  { projectId, reach, jobs }: { projectId: string; reach: AccessScope; jobs: Jobs },
): Promise<ProjectAutomations> {
  const project = await findProject(context, { id: projectId, reach });
  const file = await readFileRecord(context, project.id);
  const data: Automation[] = [];
  for (const definition of definitionsOf(file))
    data.push(await viewAutomation(context, { project, definition, jobs }));
  return {
    file: {
      path: automationsPath(project.directory),
      commit: file?.commit_id ?? null,
      readAt: file?.read_at ?? null,
      problems: JSON.parse(file?.problems ?? '[]') as AutomationProblem[],
    },
    data,
  };
}

export async function refreshAutomations(
  context: Context,
  { projectId, actor, jobs }: { projectId: string; actor: Actor; jobs: Jobs },
): Promise<ProjectAutomations> {
  const project = await findProject(context, { id: projectId, reach: actor });
  await requestRefresh(context, project);
  await recordAudit(context, { actor, action: 'automation.refresh', object: project.id });
  return readAutomations(context, { projectId, reach: actor, jobs });
}

export async function pauseAutomation(
  context: Context,
  { jobs, isPaused, ...named }: Named & { isPaused: boolean; jobs: Jobs },
): Promise<Automation> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { project, definition } = await findAutomation(inside, named);
    const { schedule } = definition.on;
    const now = nowText(context);
    const next_at = schedule && (nextTime(schedule, context.clock.now())?.toISOString() ?? null);
    await database
      .updateTable('automations')
      .set(isPaused ? { paused_at: now } : { paused_at: null, checked_at: now, next_at: next_at ?? null })
      .where('project_id', '=', project.id)
      .where('name', '=', definition.name)
      .where('paused_at', isPaused ? 'is' : 'is not', null)
      .execute();
    const action = isPaused ? 'automation.pause' : 'automation.resume';
    const details = { automation: definition.name };
    await recordAudit(inside, { actor: named.actor, action, object: project.id, details });
    return viewAutomation(inside, { project, definition, jobs });
  });
}

export async function runAutomation(
  context: Context,
  { note, ...named }: Named & { note: string | undefined },
): Promise<AutomationRun> {
  const { actor } = named;
  const { project, definition } = await findAutomation(context, named);
  const details = { automation: definition.name };
  await recordAudit(context, { actor, action: 'automation.run', object: project.id, details });
  const runId = await addEventWithRun(context, {
    organizationId: project.organization_id,
    projectId: project.id,
    kind: 'manual',
    automation: definition.name,
    source: `manual:${newId('ae')}`,
    subject: 'It was started manually.',
    details: { values: note === undefined ? {} : { note } },
  });
  const run = await runsWithEvents(context)
    .where('automation_runs.id', '=', runId ?? '')
    .executeTakeFirstOrThrow();
  return viewRun(run);
}

async function findAutomation(
  context: Context,
  { projectId, name, actor }: Named,
): Promise<{ project: ProjectRecord; definition: AutomationDefinition }> {
  const project = await findProject(context, { id: projectId, reach: actor });
  const definition = definitionsOf(await readFileRecord(context, project.id)).find(
    (each) => each.name === name,
  );
  if (definition !== undefined) return { project, definition };
  const message = `The project has no automation ${name}. List them with GET /v1/projects/{projectId}/automations.`;
  throw new Problem('not_found', message);
}

async function viewAutomation(
  context: Context,
  { project, definition, jobs }: { project: ProjectRecord; definition: AutomationDefinition; jobs: Jobs },
): Promise<Automation> {
  const { name } = definition;
  const row = await context.database
    .selectFrom('automations')
    .select(['next_at', 'paused_at', 'job_id'])
    .where('project_id', '=', project.id)
    .where('name', '=', name)
    .executeTakeFirst();
  const lastRun = await runsWithEvents(context)
    .where('automation_runs.project_id', '=', project.id)
    .where('automation_runs.automation', '=', name)
    .orderBy('automation_runs.sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  const used = await readUsed(context, { projectId: project.id, name }, jobs);
  const { maxRuns, maxTokens } = budgetOf(definition);
  return {
    name,
    trigger: triggerOf(definition),
    description: describeTrigger(definition),
    grouped: definition.group ?? true,
    paused: row?.paused_at != null,
    nextRunAt: row?.next_at ?? null,
    openJobId: row?.job_id ?? null,
    today: { ...used, maxRuns, maxTokens },
    lastRun: lastRun === undefined ? null : viewRun(lastRun),
  };
}

export function describeTrigger({ on }: Pick<AutomationDefinition, 'on'>): string {
  if (on.merged !== undefined) {
    const { repository, branch, paths } = on.merged;
    const into = branch === undefined ? '' : ` into ${branch}`;
    const where = paths === undefined ? '' : `, changing ${paths.join(', ')}`;
    return `A pull request of ${repository} is merged${into}${where}`;
  }
  if (on.schedule !== undefined) return `Schedule ${on.schedule.cron} (${on.schedule.timezone ?? 'UTC'})`;
  if (on.failedCheck !== undefined) {
    return `An export after a push has ${on.failedCheck.minNewErrors ?? 1} or more new errors`;
  }
  if (on.feedback !== undefined) {
    const { minNegative, days = 7 } = on.feedback;
    return `${minNegative} readers find a page not helpful within ${days} days`;
  }
  return 'Only manually';
}
