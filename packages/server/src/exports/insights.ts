/** Statistics about the exports of the last days, aggregated by the database. */
import type { FailureCode, Insights } from '@docyard/api';
import { sql, type ExpressionBuilder, type RawBuilder } from 'kysely';
import type { Context } from '../context.ts';
import { isPostgres, type Database, type Tables } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { jobsWithin, projectsWithin, type AccessScope } from '../access-scope.ts';
import { resultOf } from './record.ts';

type ExportInsights = Omit<Insights, 'webhooks'>;

interface Range {
  reach: AccessScope;
  since: Date;
}

const dayMs = 86_400_000;
const maxProjects = 8;
const maxFindings = 20;

export async function readInsights(
  { database, clock }: Pick<Context, 'database' | 'clock'>,
  { days, projectId, ...input }: { days: number; projectId: string | undefined; reach: AccessScope },
): Promise<ExportInsights> {
  const reach = await narrowScope(database, input.reach, projectId);
  const now = clock.now();
  const since = new Date(Math.floor(now.getTime() / dayMs) * dayMs - (days - 1) * dayMs);
  const range = { reach, since };
  const [counts, medians, projects] = await Promise.all([
    countByDay(database, range),
    readMedians(database, range),
    readProjects(database, range),
  ]);
  const sumOf = (matches: (row: DayCount) => boolean) =>
    counts.filter(matches).reduce((sum, { count }) => sum + count, 0);
  return {
    since: since.toISOString(),
    totals: {
      completed: sumOf(({ status }) => status === 'completed'),
      failed: sumOf(isFailed),
      canceled: sumOf(isCanceled),
      unfinished: sumOf(({ status }) => status === 'queued' || status === 'running'),
    },
    medianSeconds: medians.overall,
    days: Array.from({ length: days }, (_, index) => {
      const date = new Date(since.getTime() + index * dayMs).toISOString().slice(0, 10);
      return {
        date,
        completed: sumOf(({ day, status }) => day === date && status === 'completed'),
        failed: sumOf((row) => row.day === date && isFailed(row)),
        canceled: sumOf((row) => row.day === date && isCanceled(row)),
        medianSeconds: medians.byDay.get(date) ?? null,
      };
    }),
    failures: failuresOf(counts.filter(isFailed)),
    projects,
  };
}

/** A project outside the access scope does not exist for the caller. */
async function narrowScope(
  database: Database,
  reach: AccessScope,
  projectId: string | undefined,
): Promise<AccessScope> {
  if (projectId === undefined) return reach;
  const found = await database
    .selectFrom('projects')
    .select('id')
    .where(projectsWithin(reach))
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (found === undefined)
    throw new Problem('not_found', 'There is no such project. List them with GET /v1/projects.');
  return { ...reach, projectId };
}

interface DayCount {
  day: string;
  status: string;
  code: string | null;
  count: number;
}

function isCanceled({ status, code }: DayCount): boolean {
  return status === 'failed' && code === 'canceled';
}

function isFailed(row: DayCount): boolean {
  return row.status === 'failed' && !isCanceled(row);
}

function exportsIn(database: Database, { reach, since }: Range) {
  return database
    .selectFrom('jobs')
    .where(jobsWithin(reach))
    .where('kind', '=', 'export')
    .where('created_at', '>=', since.toISOString());
}

const dayOf = sql<string>`substr(created_at, 1, 10)`;

async function countByDay(database: Database, range: Range): Promise<DayCount[]> {
  const code = failureCodeIn(database);
  const rows = await exportsIn(database, range)
    .select((eb) => [
      dayOf.as('day'),
      'status',
      code.as('code'),
      eb.fn.countAll<number | string>().as('count'),
    ])
    .groupBy([dayOf, 'status', code])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

function failureCodeIn(database: Database): RawBuilder<string | null> {
  return isPostgres(database)
    ? sql<string | null>`failure::json ->> 'code'`
    : sql<string | null>`json_extract(failure, '$.code')`;
}

function secondsRunning(database: Database): RawBuilder<number> {
  return isPostgres(database)
    ? sql<number>`extract(epoch from finished_at::timestamptz - started_at::timestamptz)::double precision`
    : sql<number>`(julianday(finished_at) - julianday(started_at)) * 86400`;
}

/**
 * A median is the mean of the one or two values whose doubled rank is between the count and the count + 2.
 */
async function readMedians(
  database: Database,
  range: Range,
): Promise<{ overall: number | null; byDay: Map<string, number> }> {
  const rows = await database
    .with('finished', () =>
      exportsIn(database, range)
        .select([dayOf.as('day'), secondsRunning(database).as('seconds')])
        .where('status', '=', 'completed')
        .where('started_at', 'is not', null)
        .where('finished_at', 'is not', null),
    )
    .with('ranked', (inner) =>
      inner
        .selectFrom('finished')
        .select([
          'day',
          'seconds',
          sql<number>`row_number() over (partition by day order by seconds)`.as('day_rank'),
          sql<number>`count(*) over (partition by day)`.as('day_count'),
          sql<number>`row_number() over (order by seconds)`.as('total_rank'),
          sql<number>`count(*) over ()`.as('total_count'),
        ]),
    )
    .selectFrom('ranked')
    .select([
      'day',
      sql<number>`avg(case when day_rank * 2 between day_count and day_count + 2 then seconds end)`.as(
        'median',
      ),
      sql<
        number | null
      >`sum(case when total_rank * 2 between total_count and total_count + 2 then seconds end)`.as('middle'),
      sql<
        number | string
      >`count(case when total_rank * 2 between total_count and total_count + 2 then 1 end)`.as('middles'),
    ])
    .groupBy('day')
    .execute();
  const middles = rows.reduce((sum, row) => sum + Number(row.middles), 0);
  const middle = rows.reduce((sum, row) => sum + (row.middle ?? 0), 0);
  return {
    overall: middles === 0 ? null : rounded(middle / middles),
    byDay: new Map(rows.map(({ day, median }) => [day, rounded(median)])),
  };
}

function rounded(seconds: number): number {
  return Math.max(0, Math.round(seconds * 1000) / 1000);
}

function failuresOf(counts: readonly DayCount[]): Insights['failures'] {
  const byCode = Map.groupBy(counts, ({ code }) => code ?? 'internal');
  return [...byCode]
    .map(([code, rows]) => ({
      code: code as FailureCode,
      count: rows.reduce((sum, { count }) => sum + count, 0),
    }))
    .toSorted((a, b) => b.count - a.count);
}

async function readProjects(database: Database, range: Range): Promise<Insights['projects']> {
  const isFailure = (eb: ExpressionBuilder<Tables, 'jobs'>) =>
    eb.and([eb('status', '=', 'failed'), eb(failureCodeIn(database), '!=', 'canceled')]);
  const active = await exportsIn(database, range)
    .select((eb) => [
      'project_id',
      eb.fn.max('sequence').as('newest'),
      eb.fn
        .sum<number | string>(eb.case().when('status', '=', 'completed').then(1).else(0).end())
        .as('completed'),
      eb.fn.sum<number | string>(eb.case().when(isFailure(eb)).then(1).else(0).end()).as('failed'),
    ])
    .groupBy('project_id')
    .orderBy('newest', 'desc')
    .limit(maxProjects)
    .execute();
  return Promise.all(
    active.map(async ({ project_id: projectId, completed, failed }) => ({
      projectId,
      ...(await nameOf(database, projectId)),
      completed: Number(completed),
      failed: Number(failed),
      findings: await lastFindings(database, projectId),
    })),
  );
}

function nameOf(database: Database, projectId: string): Promise<{ name: string; domain: string }> {
  return database
    .selectFrom('projects')
    .select(['name', 'domain'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}

async function lastFindings(
  database: Database,
  projectId: string,
): Promise<Insights['projects'][number]['findings']> {
  const rows = await database
    .selectFrom('jobs')
    .select(['id', 'created_at', 'result'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('preview_of', 'is', null)
    .orderBy('sequence', 'desc')
    .limit(maxFindings)
    .execute();
  return rows.toReversed().map((row) => {
    const { errors = 0, warnings = 0 } = resultOf(row) ?? {};
    return { jobId: row.id, createdAt: row.created_at, errors, warnings };
  });
}
