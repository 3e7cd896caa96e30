/**
 * Polls the branch of a project once. The new commit and its event are stored in one transaction, so that a crash
 * neither loses a push nor repeats it.
 */
import { createHash } from 'node:crypto';
import { nowText, type Context } from '../context.ts';
import { knownForge } from '../git/forge-hosts.ts';
import { inTransaction, type SourcePollRow } from '../ports/database.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError, type BranchHead } from '../ports/sources.ts';
import { readAgentSettings } from '../projects/agent-settings.ts';
import { readExportSettings } from '../projects/export-settings.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { borrowGitCredential } from '../projects/forge.ts';
import { polledName, storeDelivery } from './events.ts';
import type { EventContent } from './payloads/event-content.ts';

const maxPollSeconds = 30;
/** Longer than a poll. Afterwards another process polls. */
const leaseSeconds = 60;
const maxBackoffSeconds = 3600;
/** Spreads projects that were changed at the same time. */
const jitterShare = 0.1;
const maxProblemLength = 500;

interface Claim {
  project: ProjectRecord;
  poll: SourcePollRow;
  /** The `next_at` of the claimed row. */
  lease: string;
  allowLocal: boolean;
}

type Outcome = { head: BranchHead } | { problem: string };

export async function pollProject(context: Context, projectId: string, signal: AbortSignal): Promise<void> {
  const claim = await claimPoll(context, projectId);
  if (claim === undefined) return;
  const outcome = await readHead(context, claim, signal);
  signal.throwIfAborted();
  await settlePoll(context, claim, outcome);
}

/** Undefined when the poll is not due, or another process has claimed it. */
async function claimPoll(context: Context, projectId: string): Promise<Claim | undefined> {
  const now = context.clock.now();
  const poll = await context.database
    .selectFrom('source_polls')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('next_at', '<=', now.toISOString())
    .executeTakeFirst();
  if (poll === undefined) return undefined;
  const lease = new Date(now.getTime() + leaseSeconds * 1000).toISOString();
  if (!(await updatePoll(context, poll, { next_at: lease }))) return undefined;
  const project = await context.database
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (project === undefined) return undefined;
  const { local_sources } = await context.database
    .selectFrom('organizations')
    .select('local_sources')
    .where('id', '=', project.organization_id)
    .executeTakeFirstOrThrow();
  return { project, poll, lease, allowLocal: local_sources === 1 };
}

async function updatePoll(
  context: Pick<Context, 'database'>,
  { project_id, next_at }: Pick<SourcePollRow, 'project_id' | 'next_at'>,
  values: Partial<SourcePollRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await context.database
    .updateTable('source_polls')
    .set(values)
    .where('project_id', '=', project_id)
    .where('next_at', '=', next_at)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

async function readHead(
  context: Context,
  { project, allowLocal }: Claim,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { id: projectId, organization_id: organizationId, repository, ref } = project;
  const deadline = AbortSignal.timeout(maxPollSeconds * 1000);
  const signal = AbortSignal.any([stopping, deadline]);
  try {
    const tenant = { organizationId, projectId };
    const credential = await borrowGitCredential(context, { ...tenant, repository }, signal);
    const source = { repository, ref, allowLocal, tenant, credential };
    return { head: await context.sources.readHead(source, signal) };
  } catch (error) {
    if (error instanceof SourceError || error instanceof ForgeError) {
      return { problem: [error.message, error.hint].filter(Boolean).join(' ') };
    }
    stopping.throwIfAborted();
    if (deadline.aborted)
      return { problem: `The repository did not answer within ${maxPollSeconds} seconds.` };
    context.log.warn({ err: error, projectId }, 'the source could not be polled');
    return { problem: 'An internal error occurred. See the log.' };
  }
}

async function settlePoll(context: Context, claim: Claim, outcome: Outcome): Promise<void> {
  const { project, poll, lease } = claim;
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { polling } = await readExportSettings(inside, project.id);
    const failures = 'problem' in outcome ? poll.failures + 1 : 0;
    const values = {
      polled_at: nowText(context),
      next_at: nextPoll(context, polling.intervalSeconds, failures),
      failures,
    };
    const claimed = { project_id: project.id, next_at: lease };
    if ('problem' in outcome) {
      const problem = outcome.problem.slice(0, maxProblemLength);
      await updatePoll(inside, claimed, { ...values, problem });
      return;
    }
    const { branch, commit } = outcome.head;
    const { repository, ref } = project;
    const known = { repository, ref, branch, commit_id: commit, problem: null };
    if (!(await updatePoll(inside, claimed, { ...values, ...known }))) return;
    const isSameSource = poll.repository === repository && poll.ref === ref;
    if (isSameSource && poll.commit_id !== null && poll.commit_id !== commit)
      await storePush(inside, claim, outcome.head);
  });
}

function nextPoll(context: Pick<Context, 'clock'>, intervalSeconds: number, failures: number): string {
  const maxSeconds = Math.max(intervalSeconds, maxBackoffSeconds);
  const seconds = Math.min(intervalSeconds * 2 ** failures, maxSeconds);
  const delayMs = seconds * 1000 * (1 + jitterShare * Math.random());
  return new Date(context.clock.now().getTime() + delayMs).toISOString();
}

async function storePush(context: Context, { project, poll }: Claim, head: BranchHead): Promise<void> {
  const { repository, ref } = project;
  const { forge } = await readAgentSettings(context, project.id);
  const event: EventContent = {
    kind: 'push',
    ref: `refs/heads/${head.branch}`,
    before: poll.commit_id,
    after: head.commit,
    repository,
    actor: null,
    details: {
      repositoryUrls: [repository],
      defaultBranch: ref === null || ref === 'HEAD' ? head.branch : null,
      changedPaths: null,
    },
    ignoredBecause: null,
  };
  await storeDelivery(context, {
    organizationId: project.organization_id,
    projectId: project.id,
    forge: forge?.kind ?? knownForge(URL.parse(repository)?.host ?? '') ?? 'bare',
    name: polledName,
    // A branch can return to an earlier commit, so the time of the previous poll is included.
    deliveryId: `poll:${digest([repository, event.ref, event.before, event.after, poll.polled_at])}`,
    events: [event],
  });
}

function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
