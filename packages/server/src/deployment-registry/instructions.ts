/** Instructions to sites: asked for here, delivered with the answer to a report, settled by a later report. */
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

interface Asked {
  deploymentId: string;
  actor: Actor;
}

export async function rollbackDeployment(
  context: InstructionContext,
  { release, ...asked }: Asked & { release: string | undefined },
): Promise<Deployment> {
  return instruct(context, asked, (row) => ({ action: 'rollback', release: targetOf(row, release) }));
}

export async function resumeDeployment(context: InstructionContext, asked: Asked): Promise<Deployment> {
  return instruct(context, asked, () => ({ action: 'resume', release: null }));
}

async function findLocked(
  context: InstructionContext,
  { deploymentId, actor }: Asked,
): Promise<DeploymentRecord> {
  const where = { deploymentId, reach: actor };
  const { organization_id: organizationId, name } = await findDeployment(context, where);
  await lockDeployment(context.database, { organizationId, name });
  return findDeployment(context, where);
}

async function instruct(
  context: InstructionContext,
  { deploymentId, actor }: Asked,
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

/** The releases are the newest first, and the one before the served one is the next older. */
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
  { deploymentId, actor }: Asked,
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

/** What the site is told now. The nonce of its report keeps an old answer from counting again. */
export function pendingOrder(
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

/** The instruction after a report, as it is kept. */
export function afterReport(kept: string | null, { finished }: ReportDeployment, now: string): string | null {
  if (kept === null || finished === null) return kept;
  const instruction = JSON.parse(kept) as DeploymentInstruction;
  if (instruction.id !== finished.id || instruction.status !== 'pending') return kept;
  const { ok, message } = finished;
  const settled: DeploymentInstruction = {
    ...instruction,
    status: ok ? 'done' : 'failed',
    finishedAt: now,
    message,
  };
  return JSON.stringify(settled);
}
