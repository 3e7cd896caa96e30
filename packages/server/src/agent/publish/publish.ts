/**
 * Publishes the judged change: a commit, a branch, a preview, a pull request. Every step is idempotent.
 * Credentials are requested just before use.
 */
import { nowText } from '../../context.ts';
import { GitError } from '../../git/run.ts';
import type { Forge } from '../../ports/forge.ts';
import type { PullRequest, Step } from '../contract.ts';
import { RunEndedError } from '../ending.ts';
import { borrowCredential } from '../prepare.ts';
import { findStep, type StepOf } from '../replay.ts';
import { changeOf, type AgentRun } from '../agent-run.ts';
import { defaultIdentity, withCoAuthors } from './commit-identity.ts';
import { factsOf, readTemplate } from './facts.ts';
import { addDetails, missingFields } from './pull-request-details.ts';
import { signCommit } from './sign-commit.ts';
import { commitMessage, pullRequestText } from './text.ts';

/** The recorded identity, date and signature make a repeated commit identical. */
export async function commit(run: AgentRun): Promise<undefined> {
  const { journal, context, workspace } = run;
  if (workspace === undefined) throw new Error('The workspace is not open.');
  const known = findStep(journal.steps, 'committed');
  const { baseCommit, branch, identity = defaultIdentity } = stepOf(run, 'prepared');
  const date = known?.date ?? nowText(context);
  const { tree } = stepOf(run, 'loop-ended');
  // Without changes, the merge of the base branch is the whole result.
  const isUnchanged = (await changeOf(run)).own.files.length === 0;
  const wanted = {
    tree,
    parents: [baseCommit],
    message: withCoAuthors(commitMessage(await factsOf(run)), identity),
    author: identity.author,
    committer: identity.committer,
    date,
  };
  const unsigned = isUnchanged ? baseCommit : await workspace.commit(wanted);
  const mustSign = known === undefined && !isUnchanged;
  const signature = mustSign ? await signCommit(run, workspace, unsigned) : known?.signature;
  const made = signature === undefined ? unsigned : await workspace.addSignature(unsigned, signature);
  const signed = signature === undefined ? {} : { signature };
  if (known === undefined) await journal.append({ kind: 'committed', commit: made, branch, date, ...signed });
  else if (known.commit !== made) throw new Error('The repeated commit differs from the recorded one.');
}

export async function push(run: AgentRun): Promise<undefined> {
  const { journal, workspace } = run;
  if (findStep(journal.steps, 'pushed') !== undefined) return;
  if (workspace === undefined) throw new Error('The workspace is not open.');
  const { commit: made, branch } = stepOf(run, 'committed');
  const { branchHead: expected, reviewCommit: base } = stepOf(run, 'prepared');
  const credential = await borrowCredential(run);
  try {
    // The push may have succeeded before a crash.
    const current = await workspace.remoteBranch(branch, credential);
    if (current !== made) await workspace.push({ commit: made, branch, expected, base, credential });
  } catch (error) {
    throw error instanceof GitError ? pushFailed(error) : error;
  }
  run.onStep('branch pushed', run.job);
  await journal.append({ kind: 'pushed', commit: made });
}

function pushFailed({ problem, message }: GitError): RunEndedError {
  if (problem === 'push_conflict') {
    return new RunEndedError(
      'push_conflict',
      message,
      'Send a message to the job: the agent continues from the current branch.',
    );
  }
  const hint = 'Check that the credential of the project can push and that the branch is not protected.';
  return new RunEndedError('forge_error', message, hint);
}

/** One transaction writes the export and its step, so there is never a second export. */
export async function preview(run: AgentRun): Promise<undefined> {
  const { journal, context, request } = run;
  if (findStep(journal.steps, 'previewed') !== undefined) return;
  const { branch, fork } = stepOf(run, 'prepared');
  await journal.appendWith(async (database) => {
    const source = { ...request.source, repository: fork ?? request.source.repository, ref: branch };
    const made = await run.startPreview({ ...context, database }, { ofJob: run.job, source });
    return { kind: 'previewed', exportId: made?.id ?? null };
  });
}

export async function propose(run: AgentRun): Promise<undefined> {
  const { journal } = run;
  if (findStep(journal.steps, 'proposed') !== undefined) return;
  const forge = await run.openForge();
  const { pullRequest, notes } = await openPullRequest(run, forge);
  run.onStep('pull request made', run.job);
  await journal.append({ kind: 'proposed', pullRequest, notes });
}

async function openPullRequest(
  run: AgentRun,
  forge: Forge,
): Promise<{ pullRequest: PullRequest; notes: string[] }> {
  const { signal } = run.input;
  const { branch: head, baseBranch: base } = stepOf(run, 'prepared');
  const none = {
    pullRequest: { url: null, number: null, state: 'none', draft: false, branch: head } as const,
    notes: missingFields(run, forge.kind),
  };
  if (forge.kind === 'bare') return none;
  const template = await readTemplate(run, forge.kind);
  const text = pullRequestText({ ...(await factsOf(run, forge.kind)), template });
  const known = await forge.findPr(head, signal);
  const made =
    known === undefined
      ? await forge.createPr({ head, base, draft: isDraft(run), ...text }, signal)
      : await forge.updatePr(known.number, { ...text, draft: isDraft(run) }, signal);
  if (made === undefined) return none;
  const { url, number, state, draft } = made;
  const notes = await addDetails(run, forge, number);
  return { pullRequest: { url, number, state, draft, branch: head }, notes };
}

function isDraft(run: AgentRun): boolean {
  const isClean = stepOf(run, 'judged').verdict.outcome === 'pass';
  return run.request.draft === true || !isClean || stepOf(run, 'loop-ended').reason !== 'done';
}

function stepOf<Kind extends Step['kind']>(run: AgentRun, kind: Kind): StepOf<Kind> {
  const step = findStep(run.journal.steps, kind);
  if (step === undefined) throw new Error(`The journal has no step ${kind}.`);
  return step;
}
