/**
 * Brings one pull request to what the forge says now: the export of its head, the comment, the status. Each step can be
 * repeated, so that a worker continues after a crash wherever the last one stopped.
 */
import { createHash } from 'node:crypto';
import type { ProjectPullRequests } from '@docyard/api';
import { isFinal } from '../jobs/lifecycle.ts';
import { deleteJob, requestCancel } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import type { ChangedPaths, PrFacts } from '../ports/forge-review.ts';
import { ForgeError, type Forge } from '../ports/forge.ts';
import { openProjectForge } from '../projects/forge.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import { readPullRequestSettings } from '../projects/pull-request-settings.ts';
import { changeClaimed, release, type Change } from './claims.ts';
import { decide, type Decision } from './decide.ts';
import type { PreviewOutcome, Work } from './outcome.ts';
import { headSource } from './head-source.ts';
import { publicationOf, type Publication } from './publication.ts';
import { readOutcome } from './read-outcome.ts';
import type { PullRequestRecord } from './records.ts';

/** No preview can be started now. */
export class StartRefusedError extends Error {
  override name = 'StartRefusedError';
  /** Null if it never can. */
  readonly retryAfterSeconds: number | null;

  constructor(reason: string, retryAfterSeconds: number | null) {
    super(reason);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const waitForCanceledSeconds = 5;

interface Observed {
  project: ProjectRecord;
  settings: ProjectPullRequests;
  /** Undefined while previews are disabled. */
  forge: Forge | undefined;
  /** Undefined if the forge has no such pull request, or was not asked. */
  facts: PrFacts | undefined;
  changed: ChangedPaths | null;
}

export async function reconcile(work: Work): Promise<void> {
  const { context, parts } = work;
  const observed = await observe(work);
  parts.onStep?.('asked', work.pull);
  const { facts, settings, project, changed } = observed;
  const { directory } = project;
  const decision = decide({ facts, known: work.pull, settings, directory, changed });
  let pull = await applyDecision(work, observed, decision);
  parts.onStep?.('decided', pull);
  const outcome = pull.job_id === null ? null : await readOutcome(work, { pull, facts });
  pull = await showNewest(work, pull, outcome);
  parts.onStep?.('shown', pull);
  const isTidy = await removeUnwanted(work, pull);
  parts.onStep?.('tidied', pull);
  const given = { config: context.config, project, settings, facts, changed, pull, decision, outcome };
  const published = await publish({ ...work, pull }, observed, publicationOf(given));
  parts.onStep?.('published', pull);
  const wait = new Date(context.clock.now().getTime() + waitForCanceledSeconds * 1000).toISOString();
  await release(context, work.pull, {
    ...stateOf(decision, outcome),
    ...published,
    attempts: 0,
    next_at: isTidy ? null : wait,
  });
}

async function observe({ context, pull, signal }: Work): Promise<Observed> {
  const { organization_id: organizationId, project_id: projectId, number } = pull;
  const project = await context.database
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  const settings = await readPullRequestSettings(context, projectId);
  if (!settings.enabled && pull.has_comment === 0)
    return { project, settings, forge: undefined, facts: undefined, changed: null };
  const { repository } = project;
  const forge = await openProjectForge(
    context,
    { organizationId, projectId, repository, fork: null },
    signal,
  );
  const facts = await forge.readPr(number, signal).catch((error: unknown) => {
    if (error instanceof ForgeError && error.problem === 'not_found') return undefined;
    throw error;
  });
  const changed = facts?.state === 'open' ? await forge.listChangedPaths(number, signal) : null;
  return { project, settings, forge, facts, changed };
}

/** The export and the row that names it are written together, so there is never a second one. */
async function applyDecision(
  { context, parts, pull }: Work,
  { project, facts, forge }: Observed,
  decision: Decision,
): Promise<PullRequestRecord> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const held = await changeClaimed(inside, pull, facts === undefined ? {} : columnsOf(facts));
    switch (decision.kind) {
      case 'remove':
      case 'skip':
        return changeClaimed(inside, pull, { ...noJob, ...nothingShown });
      case 'approval':
        return changeClaimed(inside, pull, noJob);
      case 'build': {
        if (facts === undefined || forge === undefined) throw new Error('The forge was not asked.');
        if (held.job_id !== null && held.job_commit === facts.headCommit) return held;
        const source = headSource(forge.kind, facts, project.repository);
        if (source === null) throw new StartRefusedError('The repository of the fork was deleted.', null);
        const started = await parts.startPreview(inside, { pull: held, project, source });
        if ('retryAfterSeconds' in started)
          throw new StartRefusedError(started.reason, started.retryAfterSeconds);
        if ('failedBecause' in started) throw new StartRefusedError(started.failedBecause, null);
        return changeClaimed(inside, pull, {
          job_id: started.jobId,
          job_commit: facts.headCommit,
          state: 'building',
          reason: null,
        });
      }
    }
  });
}

const noJob = { job_id: null, job_commit: null };
const nothingShown = { shown_job_id: null, shown_commit: null, base_job_id: null };

function columnsOf(facts: PrFacts): Change {
  return {
    url: facts.url,
    title: facts.title,
    author: facts.author?.login ?? null,
    forge_state: facts.state,
    is_fork: facts.isFork ? 1 : 0,
    head_branch: facts.head,
    head_commit: facts.headCommit,
    base_branch: facts.base,
  };
}

async function showNewest(
  { context }: Work,
  pull: PullRequestRecord,
  outcome: PreviewOutcome | null,
): Promise<PullRequestRecord> {
  if (outcome?.kind !== 'ready') return pull;
  return changeClaimed(context, pull, {
    shown_job_id: pull.job_id,
    shown_commit: pull.job_commit,
    base_job_id: outcome.report.base?.jobId ?? null,
  });
}

/** Cancels exports that the row no longer names, and deletes those that have ended. False while some have not. */
async function removeUnwanted({ context, parts }: Work, pull: PullRequestRecord): Promise<boolean> {
  const wanted = [pull.job_id, pull.shown_job_id].filter((id) => id !== null);
  const all = await context.database
    .selectFrom('jobs')
    .selectAll()
    .where('preview_of', '=', pull.id)
    .where('organization_id', '=', pull.organization_id)
    .execute();
  const unwanted = all.filter(({ id }) => !wanted.includes(id));
  for (const job of unwanted)
    if (!isFinal(job.status) && job.cancel_requested_at === null) await requestCancel(context, job);
  const ended = unwanted.filter(({ status }) => isFinal(status)).map(({ id }) => id);
  for (const id of ended) await deleteJob(context, id);
  await parts.removeFiles(context, ended);
  return ended.length === unwanted.length;
}

type Published = Pick<Change, 'published' | 'comment_url' | 'has_comment' | 'reason'>;

/** The hash avoids requests that change nothing; a repeated request changes nothing either. */
async function publish(
  { pull, parts, signal }: Work,
  { forge, facts }: Observed,
  { comment, status }: Publication,
): Promise<Published> {
  if (forge === undefined || facts === undefined) return {};
  const published = createHash('sha256')
    .update(JSON.stringify([facts.headCommit, comment, status]))
    .digest('hex');
  if (published === pull.published) return {};
  const notes = status === null ? [] : (await forge.putStatus(facts.headCommit, status, signal)).notes;
  parts.onStep?.('status set', pull);
  const reason = notes.length === 0 ? {} : { reason: notes.join(' ') };
  if (comment === null) return { published, ...reason };
  const { url } = await forge.putComment(pull.number, comment, signal);
  parts.onStep?.('commented', pull);
  return { published, comment_url: url, has_comment: 1, ...reason };
}

function stateOf(decision: Decision, outcome: PreviewOutcome | null): Pick<Change, 'state' | 'reason'> {
  switch (decision.kind) {
    case 'remove':
      return { state: 'removed', reason: null };
    case 'skip':
      return { state: 'skipped', reason: decision.reason };
    case 'approval':
      return { state: 'approval', reason: 'The commit of the fork waits for approval.' };
    case 'build':
      if (outcome?.kind === 'failed') return { state: 'failed', reason: outcome.failure.message };
      return { state: outcome?.kind === 'ready' ? 'ready' : 'building', reason: null };
  }
}
