/** Deployments: the last report of each site and the time since which it serves its release. */
import type { Deployment, DeploymentInstruction, DeploymentRelease, ReportDeployment } from '@docyard/api';
import type { Selectable } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { acquireLocks, inTransaction, type Database, type DeploymentRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { deploymentsWithin, type AccessScope } from '../access-scope.ts';

export type DeploymentRecord = Selectable<DeploymentRow>;

/** A site that misses this many reports is shown as not seen. */
const missedReports = 3;
const graceSeconds = 10;
/** A pending instruction expires, so that a site that returns later does not follow it. */
const instructionSeconds = 3600;

/** Reports and instructions both read and then change the row. */
export async function lockDeployment(
  transaction: Database,
  deployment: { organizationId: string; name: string },
): Promise<void> {
  await acquireLocks(transaction, `deployment ${deployment.organizationId} ${deployment.name}`);
}

export function reportOf({ report }: Pick<DeploymentRecord, 'report'>): ReportDeployment {
  return JSON.parse(report) as ReportDeployment;
}

export function servedRelease({ current, releases }: ReportDeployment): DeploymentRelease | null {
  return releases.find(({ id }) => id === current) ?? null;
}

export async function listDeployments(
  context: Pick<Context, 'database' | 'clock'>,
  input: PageRequest & { reach: AccessScope },
): Promise<{ data: Deployment[]; nextCursor: string | null }> {
  const query = context.database.selectFrom('deployments').selectAll().where(deploymentsWithin(input.reach));
  return readPage(input, query, (row) => viewDeployment(context, row));
}

export async function findDeployment(
  context: Pick<Context, 'database'>,
  { deploymentId, reach }: { deploymentId: string; reach: AccessScope },
): Promise<DeploymentRecord> {
  const row = await context.database
    .selectFrom('deployments')
    .selectAll()
    .where(deploymentsWithin(reach))
    .where('id', '=', deploymentId)
    .executeTakeFirst();
  if (row === undefined)
    throw new Problem('not_found', 'There is no such deployment. List them with GET /v1/deployments.');
  return row;
}

export async function deleteDeployment(
  context: Pick<Context, 'database' | 'clock'>,
  { deploymentId, actor }: { deploymentId: string; actor: Actor },
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { id, name } = await findDeployment(inside, { deploymentId, reach: actor });
    await database.deleteFrom('deployments').where('id', '=', id).execute();
    await recordAudit(inside, { actor, action: 'deployment.delete', object: id, details: { name } });
  });
}

export function viewDeployment(context: Pick<Context, 'clock'>, row: DeploymentRecord): Deployment {
  const report = reportOf(row);
  const { lastRefresh, held } = report;
  const silentMs = context.clock.now().getTime() - Date.parse(row.last_seen_at);
  const isSilent = silentMs > (missedReports * row.report_seconds + graceSeconds) * 1000;
  return {
    id: row.id,
    name: row.name,
    url: report.url,
    projectId: row.project_id,
    health: isSilent ? 'not_seen' : report.isReady ? 'ready' : 'not_ready',
    reason: report.reason,
    release: servedRelease(report),
    servingSince: row.serving_since,
    releases: report.releases,
    held,
    lastRefresh:
      lastRefresh === null
        ? null
        : { at: lastRefresh.at, outcome: lastRefresh.outcome, detail: lastRefresh.detail ?? null },
    acceptsInstructions: report.acceptsInstructions,
    instruction: viewInstruction(context, row),
    software: report.software,
    reportSeconds: row.report_seconds,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  };
}

export function viewInstruction(
  { clock }: Pick<Context, 'clock'>,
  { instruction }: Pick<DeploymentRecord, 'instruction'>,
): DeploymentInstruction | null {
  if (instruction === null) return null;
  const kept = JSON.parse(instruction) as DeploymentInstruction;
  const ageMs = clock.now().getTime() - Date.parse(kept.requestedAt);
  const hasExpired = kept.status === 'pending' && ageMs > instructionSeconds * 1000;
  return hasExpired ? { ...kept, status: 'expired' } : kept;
}
