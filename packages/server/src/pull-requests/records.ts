/** The records of pull requests: read, listed, approved and built again. Nothing here connects to another host. */
import { randomBytes } from 'node:crypto';
import type { ForgePullRequest } from '@docyard/api';
import { sql, type Selectable } from 'kysely';
import { pullRequestsWithin, type AccessScope } from '../access-scope.ts';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readPage, type ListPage, type PageRequest } from '../paging.ts';
import { inTransaction, type PullRequestRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { previewAddress } from './addresses.ts';

export type PullRequestRecord = Selectable<PullRequestRow>;

type RecordContext = Pick<Context, 'database' | 'clock'>;
type ViewContext = Pick<Context, 'database' | 'config'>;

const tokenBytes = 24;

export interface SeenPullRequest {
  organizationId: string;
  projectId: string;
  number: number;
  url: string | null;
  title: string;
  author: string | null;
  isFork: boolean;
  headBranch: string;
  headCommit: string;
  baseBranch: string;
}

/**
 * Makes the pull request due. What an event says may be outdated, so a known row keeps what the forge said when it was
 * asked.
 */
export async function markDue(context: RecordContext, seen: SeenPullRequest): Promise<void> {
  const now = nowText(context);
  await context.database
    .insertInto('pull_requests')
    .values({
      id: newId('pul'),
      organization_id: seen.organizationId,
      project_id: seen.projectId,
      number: seen.number,
      token: randomBytes(tokenBytes).toString('base64url'),
      url: seen.url,
      title: seen.title,
      author: seen.author,
      forge_state: 'open',
      is_fork: seen.isFork ? 1 : 0,
      head_branch: seen.headBranch,
      head_commit: seen.headCommit,
      base_branch: seen.baseBranch,
      approved_commit: null,
      approved_by: null,
      state: 'pending',
      reason: null,
      job_id: null,
      job_commit: null,
      shown_job_id: null,
      shown_commit: null,
      base_job_id: null,
      comment_url: null,
      has_comment: 0,
      published: null,
      revision: 1,
      attempts: 0,
      next_at: now,
      claim: null,
      claimed_until: null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'number']).doUpdateSet({
        revision: sql<number>`pull_requests.revision + 1`,
        attempts: 0,
        next_at: now,
      }),
    )
    .execute();
}

export async function isKnown(
  { database }: Pick<Context, 'database'>,
  { projectId, number }: { projectId: string; number: number },
): Promise<boolean> {
  const row = await database
    .selectFrom('pull_requests')
    .select('id')
    .where('project_id', '=', projectId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row !== undefined;
}

async function findPullRequest(
  { database }: Pick<Context, 'database'>,
  where: { id: string; reach: AccessScope },
): Promise<PullRequestRecord> {
  const row = await database
    .selectFrom('pull_requests')
    .selectAll()
    .where('id', '=', where.id)
    .where(pullRequestsWithin(where.reach))
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new Problem('not_found', 'There is no such pull request. List them with GET /v1/pull-requests.');
}

export async function readPullRequest(
  context: ViewContext,
  where: { id: string; reach: AccessScope },
): Promise<ForgePullRequest> {
  return viewPullRequest(context, await findPullRequest(context, where));
}

export async function listPullRequests(
  context: ViewContext,
  input: PageRequest & {
    reach: AccessScope;
    projectId?: string | undefined;
    state?: ForgePullRequest['state'] | undefined;
  },
): Promise<ListPage<ForgePullRequest>> {
  let query = context.database.selectFrom('pull_requests').selectAll().where(pullRequestsWithin(input.reach));
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  if (input.state !== undefined) query = query.where('forge_state', '=', input.state);
  return readPage(input, query, (row) => viewPullRequest(context, row));
}

/** Only the named commit may be built: the branch of a fork belongs to a stranger. */
export async function approvePullRequest(
  context: RecordContext & ViewContext,
  input: { id: string; headCommit: string; actor: Actor },
): Promise<ForgePullRequest> {
  const { actor, headCommit } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const known = await findPullRequest(inside, { id: input.id, reach: actor });
    if (known.head_commit !== headCommit) {
      const message = `The branch has the commit ${known.head_commit} now. Review it, and approve that one.`;
      throw new Problem('version_conflict', message);
    }
    await change(inside, known.id, { approved_commit: headCommit, approved_by: actor.name });
    const details = { number: known.number, commit: headCommit };
    await recordAudit(inside, { actor, action: 'pull_request.approve', object: known.id, details });
    return readPullRequest(inside, { id: known.id, reach: actor });
  });
}

/** The next worker cancels the export of the previous build, because it is no longer wanted. */
export async function rebuildPullRequest(
  context: RecordContext & ViewContext,
  input: { id: string; actor: Actor },
): Promise<ForgePullRequest> {
  const { actor } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const known = await findPullRequest(inside, { id: input.id, reach: actor });
    await change(inside, known.id, { job_id: null, job_commit: null });
    const details = { number: known.number };
    await recordAudit(inside, { actor, action: 'pull_request.rebuild', object: known.id, details });
    return readPullRequest(inside, { id: known.id, reach: actor });
  });
}

async function change(
  context: RecordContext,
  id: string,
  values: Partial<Pick<PullRequestRecord, 'approved_commit' | 'approved_by' | 'job_id' | 'job_commit'>>,
): Promise<void> {
  const now = nowText(context);
  await context.database
    .updateTable('pull_requests')
    .set((eb) => ({
      ...values,
      revision: eb('revision', '+', 1),
      attempts: 0,
      reason: null,
      next_at: now,
      updated_at: now,
    }))
    .where('id', '=', id)
    .execute();
}

function viewPullRequest({ config }: Pick<Context, 'config'>, row: PullRequestRecord): ForgePullRequest {
  return {
    id: row.id,
    projectId: row.project_id,
    number: row.number,
    url: row.url,
    title: row.title,
    author: row.author,
    state: row.forge_state as ForgePullRequest['state'],
    isFork: row.is_fork === 1,
    headBranch: row.head_branch,
    headCommit: row.head_commit,
    baseBranch: row.base_branch,
    approvedCommit: row.approved_commit,
    approvedBy: row.approved_by,
    preview: {
      state: row.state as ForgePullRequest['preview']['state'],
      reason: row.reason,
      url: row.shown_job_id === null ? null : previewAddress(config, row.token),
      commit: row.shown_commit,
      jobId: row.job_id,
      comparedWith: row.base_job_id,
    },
    commentUrl: row.comment_url,
    nextAttemptAt: row.next_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
