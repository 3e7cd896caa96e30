/** What an automation has used today, in UTC. Counted from rows, so that all processes see the same. */
import type { AutomationDefinition } from '@docyard/api';
import type { Context } from '../context.ts';
import type { AutomationJobs } from './jobs.ts';

const defaultMaxRunsPerDay = 20;
const dayMs = 86_400_000;

export interface Budget {
  maxRuns: number;
  maxTokens: number | null;
}

export interface Used {
  runs: number;
  tokens: number;
}

export function budgetOf({ budget }: Pick<AutomationDefinition, 'budget'>): Budget {
  return {
    maxRuns: budget?.maxRunsPerDay ?? defaultMaxRunsPerDay,
    maxTokens: budget?.maxTokensPerDay ?? null,
  };
}

export async function readUsed(
  context: Context,
  { projectId, name }: { projectId: string; name: string },
  jobs: Pick<AutomationJobs, 'usedTokens'>,
): Promise<Used> {
  const day = startOfDay(context);
  const rows = await context.database
    .selectFrom('automation_runs')
    .select(['job_id', 'finished_at'])
    .where('project_id', '=', projectId)
    .where('automation', '=', name)
    .where('state', 'in', ['started', 'messaged'])
    // A job of the day before may still work.
    .where('finished_at', '>=', new Date(day.getTime() - dayMs).toISOString())
    .execute();
  const since = day.toISOString();
  const jobIds = [...new Set(rows.flatMap(({ job_id: id }) => id ?? []))];
  return {
    runs: rows.filter(({ finished_at: at }) => at !== null && at >= since).length,
    tokens: jobIds.length === 0 ? 0 : await jobs.usedTokens(context, jobIds, since),
  };
}

/** Why a run waits until the next day; undefined if it need not. */
export function budgetReason({ maxRuns, maxTokens }: Budget, used: Used): string | undefined {
  if (used.runs >= maxRuns)
    return `The budget of ${maxRuns} runs per day is used. It is renewed at 00:00 UTC.`;
  if (maxTokens !== null && used.tokens >= maxTokens) {
    return `The budget of ${maxTokens} tokens per day is used. It is renewed at 00:00 UTC.`;
  }
  return undefined;
}

export function nextDay(context: Pick<Context, 'clock'>): string {
  return new Date(startOfDay(context).getTime() + dayMs).toISOString();
}

function startOfDay({ clock }: Pick<Context, 'clock'>): Date {
  return new Date(Math.floor(clock.now().getTime() / dayMs) * dayMs);
}
