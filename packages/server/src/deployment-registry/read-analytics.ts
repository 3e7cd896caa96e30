/** Sums up what readers of deployments did. */
import type { Analytics, ReaderKind, ReadingMetric, ReadingRow } from '@docyard/api';
import { deploymentsWithin, type AccessScope } from '../access-scope.ts';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Database } from '../ports/database.ts';
import { dayOf } from './analytics.ts';

export interface AnalyticsFilter {
  reach: AccessScope;
  days?: number | undefined;
  deploymentId?: string | undefined;
  projectId?: string | undefined;
}

type ReadContext = Pick<Context, 'database' | 'clock'>;

const defaultDays = 30;
const maxListed = 50;
const maxComments = 100;
const dayMs = 86_400_000;

export async function readAnalytics(context: ReadContext, filter: AnalyticsFilter): Promise<Analytics> {
  const { database } = context;
  const days = daysOf(context, filter);
  const since = days[0] ?? '';
  const [views, searches, votes] = await Promise.all([
    viewsByDay(database, filter, since),
    searchesByMetric(database, filter, since),
    votesByPath(database, filter, since),
  ]);
  const [pages, emptySearches, missing, comments] = await Promise.all([
    topPages(database, filter, since),
    topNames(database, filter, { since, metric: 'empty_searches' }),
    topNames(database, filter, { since, metric: 'missing' }),
    newestComments(database, filter, since),
  ]);
  const dailyViews = days.map((date) => ({
    date,
    human: views.get(`${date} human`) ?? 0,
    agent: views.get(`${date} agent`) ?? 0,
  }));
  const votesOf = (isHelpful: 0 | 1) =>
    votes.filter((row) => row.isHelpful === isHelpful).reduce((all, { count }) => all + count, 0);
  return {
    since,
    totals: {
      human: dailyViews.reduce((all, each) => all + each.human, 0),
      agent: dailyViews.reduce((all, each) => all + each.agent, 0),
      searches: searches.get('searches') ?? 0,
      emptySearches: searches.get('empty_searches') ?? 0,
      helpful: votesOf(1),
      notHelpful: votesOf(0),
    },
    days: dailyViews,
    pages,
    ratings: ratingsOf(votes),
    emptySearches: emptySearches.map(({ name: text, count }) => ({ text, count })),
    missing: missing.map(({ name: path, count }) => ({ path, count })),
    comments,
  };
}

async function viewsByDay(database: Database, filter: AnalyticsFilter, since: string) {
  const rows = await countsOf(database, filter, since)
    .where('counts.metric', '=', 'views')
    .select((eb) => ['counts.day', 'counts.reader', eb.fn.sum<number | string>('counts.count').as('count')])
    .groupBy(['counts.day', 'counts.reader'])
    .execute();
  return new Map(rows.map(({ day, reader, count }) => [`${day} ${reader}`, Number(count)]));
}

async function searchesByMetric(database: Database, filter: AnalyticsFilter, since: string) {
  const rows = await countsOf(database, filter, since)
    .where('counts.metric', 'in', ['searches', 'empty_searches'])
    .select((eb) => ['counts.metric', eb.fn.sum<number | string>('counts.count').as('count')])
    .groupBy('counts.metric')
    .execute();
  return new Map(rows.map(({ metric, count }) => [metric, Number(count)]));
}

async function votesByPath(database: Database, filter: AnalyticsFilter, since: string): Promise<VoteCount[]> {
  const rows = await feedbackOf(database, filter, since)
    .select((eb) => [
      'votes.path',
      'votes.is_helpful as isHelpful',
      eb.fn.countAll<number | string>().as('count'),
    ])
    .groupBy(['votes.path', 'votes.is_helpful'])
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

async function newestComments(
  database: Database,
  filter: AnalyticsFilter,
  since: string,
): Promise<Analytics['comments']> {
  const rows = await feedbackOf(database, filter, since)
    .where('votes.comment', 'is not', null)
    .select(['votes.day', 'votes.path', 'votes.is_helpful', 'votes.comment', 'votes.deployment_id'])
    .orderBy('votes.day', 'desc')
    .orderBy('votes.id')
    .limit(maxComments)
    .execute();
  return rows.map(({ day, path, is_helpful: isHelpful, comment, deployment_id: deploymentId }) => ({
    day,
    path,
    isHelpful: isHelpful === 1,
    comment: comment ?? '',
    deploymentId,
  }));
}

/** Every count and vote, by day. */
export async function* eachReading(
  context: ReadContext,
  filter: AnalyticsFilter,
): AsyncGenerator<ReadingRow, void, undefined> {
  const { database } = context;
  for (const day of daysOf(context, filter)) {
    const counts = await countsOf(database, filter, day)
      .where('counts.day', '=', day)
      .select((eb) => [
        'deployments.name as deployment',
        'counts.metric',
        'counts.name',
        'counts.reader',
        eb.fn.sum<number | string>('counts.count').as('count'),
      ])
      .groupBy(['deployments.name', 'counts.metric', 'counts.name', 'counts.reader'])
      .orderBy('deployments.name')
      .orderBy('counts.metric')
      .orderBy('counts.name')
      .orderBy('counts.reader')
      .execute();
    for (const row of counts) yield { day, ...row, count: Number(row.count), comment: null };
    const votes = await feedbackOf(database, filter, day)
      .where('votes.day', '=', day)
      .select(['deployments.name as deployment', 'votes.path', 'votes.is_helpful', 'votes.comment'])
      .orderBy('deployments.name')
      .orderBy('votes.path')
      .orderBy('votes.id')
      .execute();
    for (const { deployment, path: name, is_helpful: isHelpful, comment } of votes)
      yield {
        day,
        deployment,
        metric: isHelpful === 1 ? 'helpful' : 'not_helpful',
        name,
        reader: 'human',
        count: 1,
        comment,
      };
  }
}

function daysOf({ clock }: ReadContext, { days = defaultDays }: AnalyticsFilter): string[] {
  const now = clock.now().getTime();
  return Array.from({ length: days }, (_, index) => dayOf(now - (days - 1 - index) * dayMs));
}

/** The deployments of the filter that the caller may read. */
function matching(database: Database, { reach, deploymentId, projectId }: AnalyticsFilter) {
  let query = database.selectFrom('deployments').where(deploymentsWithin(reach));
  if (deploymentId !== undefined) query = query.where('deployments.id', '=', deploymentId);
  if (projectId !== undefined) query = query.where('deployments.project_id', '=', projectId);
  return query;
}

function countsOf(database: Database, filter: AnalyticsFilter, since: string) {
  return matching(database, filter)
    .innerJoin('deployment_counts as counts', 'counts.deployment_id', 'deployments.id')
    .where('counts.day', '>=', since);
}

function feedbackOf(database: Database, filter: AnalyticsFilter, since: string) {
  return matching(database, filter)
    .innerJoin('deployment_feedback as votes', 'votes.deployment_id', 'deployments.id')
    .where('votes.day', '>=', since);
}

async function topPages(database: Database, filter: AnalyticsFilter, since: string) {
  const by = (reader: ReaderKind) =>
    sql<number | string>`sum(case when counts.reader = ${reader} then counts.count else 0 end)`;
  const rows = await countsOf(database, filter, since)
    .where('counts.metric', '=', 'views')
    .select(['counts.name as path', by('human').as('human'), by('agent').as('agent')])
    .groupBy('counts.name')
    .orderBy((eb) => eb.fn.sum('counts.count'), 'desc')
    .orderBy('counts.name')
    .limit(maxListed)
    .execute();
  return rows.map(({ path, human, agent }) => ({ path, human: Number(human), agent: Number(agent) }));
}

async function topNames(
  database: Database,
  filter: AnalyticsFilter,
  { since, metric }: { since: string; metric: ReadingMetric },
) {
  const rows = await countsOf(database, filter, since)
    .where('counts.metric', '=', metric)
    .select((eb) => ['counts.name', eb.fn.sum<number | string>('counts.count').as('count')])
    .groupBy('counts.name')
    .orderBy('count', 'desc')
    .orderBy('counts.name')
    .limit(maxListed)
    .execute();
  return rows.map(({ name, count }) => ({ name, count: Number(count) }));
}

interface VoteCount {
  path: string;
  isHelpful: number;
  count: number;
}

function ratingsOf(votes: readonly VoteCount[]): Analytics['ratings'] {
  const byPath = new Map<string, Analytics['ratings'][number]>();
  for (const { path, isHelpful, count } of votes) {
    const rating = byPath.get(path) ?? { path, helpful: 0, notHelpful: 0 };
    rating[isHelpful === 1 ? 'helpful' : 'notHelpful'] += count;
    byPath.set(path, rating);
  }
  return [...byPath.values()]
    .toSorted((a, b) => b.notHelpful - a.notHelpful || b.helpful - a.helpful)
    .slice(0, maxListed);
}
