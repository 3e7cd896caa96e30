/** Receives reports of sites and returns pending instructions. */
import type { DeploymentReceipt, ReportDeployment } from '@docyard/api';
import { nowText, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { acquireLocks, inTransaction, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import { afterReport, pendingInstruction } from './instructions.ts';
import { lockDeployment, reportOf, servedRelease, type DeploymentRecord } from './records.ts';

const maxDeployments = 200;

export async function reportDeployment(
  context: Pick<Context, 'database' | 'clock' | 'secrets'>,
  report: ReportDeployment,
  reach: AccessScope,
): Promise<DeploymentReceipt> {
  const row = await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    await lockDeployment(database, { organizationId: reach.organizationId, name: report.name });
    const known = await findByName(database, report.name, reach);
    return known === undefined ? insert(inside, report, reach) : update(inside, known, report);
  });
  return { deploymentId: row.id, instruction: pendingInstruction(context, row, report.nonce) };
}

async function findByName(
  database: Database,
  name: string,
  { organizationId, projectId }: AccessScope,
): Promise<DeploymentRecord | undefined> {
  return database
    .selectFrom('deployments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('owner', '=', projectId ?? '')
    .where('name', '=', name)
    .executeTakeFirst();
}

async function insert(
  context: Pick<Context, 'database' | 'clock'>,
  report: ReportDeployment,
  reach: AccessScope,
): Promise<DeploymentRecord> {
  const { database } = context;
  const { organizationId, projectId } = reach;
  await acquireLocks(database, `deployments of ${organizationId}`);
  // Another process may have inserted it.
  const known = await findByName(database, report.name, reach);
  if (known !== undefined) return update(context, known, report);
  await refuseTooMany(database, organizationId);
  const now = nowText(context);
  return database
    .insertInto('deployments')
    .values({
      id: newId('dp'),
      organization_id: organizationId,
      project_id: projectId ?? (await projectOf(database, organizationId, report)),
      owner: projectId ?? '',
      name: report.name,
      report: JSON.stringify(report),
      report_seconds: report.reportSeconds,
      serving_since: sinceOf(report),
      instruction: null,
      first_seen_at: now,
      last_seen_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

async function refuseTooMany(database: Database, organizationId: string): Promise<void> {
  const { count } = await database
    .selectFrom('deployments')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (Number(count) < maxDeployments) return;
  throw new Problem(
    'deployment_limit',
    `An organization has at most ${maxDeployments} deployments. Remove those that no longer report.`,
  );
}

async function update(
  context: Pick<Context, 'database' | 'clock'>,
  known: DeploymentRecord,
  report: ReportDeployment,
): Promise<DeploymentRecord> {
  const { database } = context;
  const now = nowText(context);
  const hasSwitched = reportOf(known).current !== report.current;
  return database
    .updateTable('deployments')
    .set({
      report: JSON.stringify(report),
      report_seconds: report.reportSeconds,
      instruction: afterReport(known.instruction, report, now),
      last_seen_at: now,
      ...(hasSwitched ? { serving_since: report.current === null ? null : now } : {}),
      ...(known.owner === '' && hasSwitched
        ? { project_id: await projectOf(database, known.organization_id, report) }
        : {}),
    })
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The project of the served export, if it belongs to this organization. */
async function projectOf(
  database: Database,
  organizationId: string,
  report: ReportDeployment,
): Promise<string | null> {
  const jobId = servedRelease(report)?.jobId ?? null;
  if (jobId === null) return null;
  const job = await database
    .selectFrom('jobs')
    .select('project_id')
    .where('id', '=', jobId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return job?.project_id ?? null;
}

/** For the first report: a release that was rolled back to is served since the rollback. */
function sinceOf(report: ReportDeployment): string | null {
  return report.held?.at ?? servedRelease(report)?.installedAt ?? null;
}
