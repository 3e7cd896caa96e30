/** What readers of deployments did, as their sites report it: stored, deleted, and kept for a limited time. */
import type { ReportReadings } from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import type { AccessScope } from '../access-scope.ts';
import type { Actor, Context } from '../context.ts';
import { inTransaction, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { findDeployment } from './records.ts';

type AnalyticsContext = Pick<Context, 'database' | 'clock' | 'config'>;

const dayMs = 86_400_000;
/** Counts and votes of one deployment. */
const defaultMaxRows = 500_000;

interface ReportScope extends AccessScope {
  maxRows?: number;
}

/** Counts are totals, so a repeated report changes nothing. */
export async function reportReadings(
  context: AnalyticsContext,
  { name, source, counts, feedback }: ReportReadings,
  { organizationId, projectId, maxRows = defaultMaxRows }: ReportScope,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const deployment = await database
      .selectFrom('deployments')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('owner', '=', projectId ?? '')
      .where('name', '=', name)
      .executeTakeFirst();
    if (deployment === undefined)
      throw new Problem('not_found', `There is no deployment ${name}. Send a report of the site first.`);
    const { id } = deployment;
    const today = dayOf(context.clock.now().getTime());
    if (!(await makeRoom(database, { deploymentId: id, today, maxRows }))) return;
    const isKept = isWithinRetention(context);
    const countRows = counts.filter(isKept).map((each) => ({ ...each, deployment_id: id, source }));
    const distinct = new Map(
      countRows.map((row) => [[row.day, row.metric, row.reader, row.name].join('\n'), row]),
    );
    if (distinct.size > 0)
      await database
        .insertInto('deployment_counts')
        .values([...distinct.values()])
        .onConflict((conflict) =>
          conflict
            .columns(['deployment_id', 'day', 'metric', 'name', 'reader', 'source'])
            .doUpdateSet((eb) => ({ count: eb.ref('excluded.count') }))
            .whereRef('excluded.count', '>', 'deployment_counts.count'),
        )
        .execute();
    const votes = new Map(feedback.filter(isKept).map((each) => [each.id, each]));
    if (votes.size === 0) return;
    await database
      .insertInto('deployment_feedback')
      .values(
        [...votes.values()].map(({ id: voteId, day, path, isHelpful, comment }) => ({
          deployment_id: id,
          id: voteId,
          day,
          path,
          is_helpful: Number(isHelpful),
          comment,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['deployment_id', 'id'])
          .doUpdateSet((eb) => ({ comment: eb.ref('excluded.comment') }))
          .where('deployment_feedback.comment', 'is', null),
      )
      .execute();
  });
}

interface Room {
  deploymentId: string;
  today: string;
  maxRows: number;
}

/** Deletes the oldest days of a deployment with too many rows. False if only those of today are left. */
async function makeRoom(database: Database, { deploymentId, today, maxRows }: Room): Promise<boolean> {
  for (;;) {
    const sizes = await Promise.all(tables.map((table) => sizeOf(database, table, deploymentId)));
    if (sizes.reduce((sum, { count }) => sum + count, 0) < maxRows) return true;
    const oldest = sizes.flatMap(({ oldestDay: day }) => (day === null ? [] : [day])).toSorted()[0];
    if (oldest === undefined || oldest >= today) return false;
    for (const table of tables)
      await database
        .deleteFrom(table)
        .where('deployment_id', '=', deploymentId)
        .where('day', '<=', oldest)
        .execute();
  }
}

const tables = ['deployment_counts', 'deployment_feedback'] as const;

async function sizeOf(database: Database, table: (typeof tables)[number], deploymentId: string) {
  const { count, oldestDay } = await database
    .selectFrom(table)
    .select((eb) => [eb.fn.countAll<number | string>().as('count'), eb.fn.min('day').as('oldestDay')])
    .where('deployment_id', '=', deploymentId)
    .executeTakeFirstOrThrow();
  return { count: Number(count), oldestDay: oldestDay as string | null };
}

/** A clock of a site may be ahead. */
function isWithinRetention(context: AnalyticsContext): (row: { day: string }) => boolean {
  const oldest = oldestDay(context);
  const tomorrow = dayOf(context.clock.now().getTime() + dayMs);
  return ({ day }) => day >= oldest && day <= tomorrow;
}

function oldestDay({ clock, config }: Pick<AnalyticsContext, 'clock' | 'config'>): string {
  return dayOf(clock.now().getTime() - config.retention.analyticsDays * dayMs);
}

export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export async function deleteAnalytics(
  context: Pick<Context, 'database' | 'clock'>,
  { deploymentId, actor }: { deploymentId: string; actor: Actor },
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { id, name } = await findDeployment(inside, { deploymentId, reach: actor });
    await database.deleteFrom('deployment_counts').where('deployment_id', '=', id).execute();
    await database.deleteFrom('deployment_feedback').where('deployment_id', '=', id).execute();
    await recordAudit(inside, { actor, action: 'deployment.clear', object: id, details: { name } });
  });
}

export async function sweepAnalytics(context: AnalyticsContext): Promise<void> {
  const oldest = oldestDay(context);
  await context.database.deleteFrom('deployment_counts').where('day', '<', oldest).execute();
  await context.database.deleteFrom('deployment_feedback').where('day', '<', oldest).execute();
}
