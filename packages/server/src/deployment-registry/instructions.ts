/**
 * Instructions to sites: created by a caller, delivered in the response to a report, and settled by a later
 * report.
 */
import type {
  Deployment,
  DeploymentInstruction,
  DeploymentReceipt,
  ReportDeployment,
  SignedInstruction,
} from '@docyard/api';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import {
  findDeployment,
  lockDeployment,
  reportOf,
  viewDeployment,
  viewInstruction,
  type DeploymentRecord,
} from './records.ts';

type InstructionContext = Pick<Context, 'database' | 'clock'>;

interface InstructionRequest {
  deploymentId: string;
  actor: Actor;
}

export async function rollbackDeployment(
  context: InstructionContext,
  { release, ...request }: InstructionRequest & { release: string | undefined },
): Promise<Deployment> {
  return instruct(context, request, (row) => ({ action: 'rollback', release: targetOf(row, release) }));
}

export async function resumeDeployment(
  context: InstructionContext,
  request: InstructionRequest,
): Promise<Deployment> {
  return instruct(context, request, () => ({ action: 'resume', release: null }));
}

async function findLocked(
  context: InstructionContext,
  { deploymentId, actor }: InstructionRequest,
): Promise<DeploymentRecord> {
  const where = { deploymentId, reach: actor };
  const { organization_id: organizationId, name } = await findDeployment(context, where);
  await lockDeployment(context.database, { organizationId, name });
  return findDeployment(context, where);
}

async function instruct(
  context: InstructionContext,
  { deploymentId, actor }: InstructionRequest,
  choose: (row: DeploymentRecord) => Pick<DeploymentInstruction, 'action' | 'release'>,
): Promise<Deployment> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const row = await findLocked(inside, { deploymentId, actor });
    refuseUncontrolled(row);
    const { action, release } = choose(row);
    const instruction: DeploymentInstruction = {
      id: newId('di'),
      action,
      release,
      status: 'pending',
      requestedAt: nowText(context),
      requestedBy: actor.name,
      finishedAt: null,
      message: null,
    };
    const changed = await database
      .updateTable('deployments')
      .set({ instruction: JSON.stringify(instruction) })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const details = { name: row.name, ...(release === null ? {} : { release }) };
    await recordAudit(inside, { actor, action: `deployment.${action}`, object: row.id, details });
    return viewDeployment(context, changed);
  });
}

function refuseUncontrolled(row: DeploymentRecord): void {
  if (reportOf(row).acceptsInstructions) return;
  throw new Problem(
    'deployment_uncontrolled',
    `${row.name} does not follow instructions. Set report.rollback in its settings, or run docyard site rollback on its machine.`,
  );
}

/** Releases are sorted from newest to oldest. */
function targetOf(row: DeploymentRecord, wanted: string | undefined): string {
  const { current, releases } = reportOf(row);
  const served = releases.findIndex(({ id }) => id === current);
  const target = wanted ?? releases[served + 1]?.id;
  const isKept = releases.some(({ id }) => id === target);
  if (target !== undefined && isKept && target !== current) return target;
  const message =
    target === undefined
      ? 'The site keeps no release before the served one.'
      : target === current
        ? `${target} is the release that is served.`
        : `The site keeps no release ${target}. GET /v1/deployments/${row.id} lists its releases.`;
  throw new Problem('invalid_request', message, { details: [{ path: 'release', message }] });
}

export async function cancelInstruction(
  context: InstructionContext,
  { deploymentId, actor }: InstructionRequest,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const row = await findLocked(inside, { deploymentId, actor });
    if (viewInstruction(context, row)?.status !== 'pending') return;
    await database.updateTable('deployments').set({ instruction: null }).where('id', '=', row.id).execute();
    const details = { name: row.name };
    await recordAudit(inside, { actor, action: 'deployment.withdraw', object: row.id, details });
  });
}

/** The nonce of the report prevents the replay of an older response. */
export function pendingInstruction(
  context: Pick<Context, 'clock' | 'secrets'>,
  row: DeploymentRecord,
  nonce: string,
): DeploymentReceipt['instruction'] {
  const instruction = viewInstruction(context, row);
  if (instruction?.status !== 'pending') return null;
  const { id, action, release } = instruction;
  const signed: SignedInstruction = { deployment: row.name, nonce, id, action, release };
  const text = JSON.stringify(signed);
  const signature = context.secrets.signer.sign(Buffer.from(text), `docyard instruction ${id}`);
  return { text, signature };
}

/** The stored instruction after a report. */
export function afterReport(
  stored: string | null,
  { finished }: ReportDeployment,
  now: string,
): string | null {
  if (stored === null || finished === null) return stored;
  const instruction = JSON.parse(stored) as DeploymentInstruction;
  if (instruction.id !== finished.id || instruction.status !== 'pending') return stored;
  const { ok, message } = finished;
  const settled: DeploymentInstruction = {
    ...instruction,
    status: ok ? 'done' : 'failed',
    finishedAt: now,
    message,
  };
  return JSON.stringify(settled);
}
