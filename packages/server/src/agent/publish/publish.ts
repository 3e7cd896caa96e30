/**
 * Brings what was judged to the repository's host: a commit, a branch, a preview, a pull request. Each can be repeated
 * without a second effect. The credential is asked for just before it is used, and no model is near.
 */
import { nowText } from '../../context.ts';
import { GitError } from '../../git/run.ts';
import type { Forge } from '../../ports/forge.ts';
import type { PullRequest, Step } from '../contract.ts';
import { RunEnded } from '../ending.ts';
import { borrowCredential } from '../prepare.ts';
import { findStep, type StepOf } from '../replay.ts';
import type { AgentRun } from '../running.ts';
import { factsOf, readTemplate } from './facts.ts';
import { commitMessage, pullRequestText } from './text.ts';

const author = { name: 'Docyard agent', email: 'agent@docyard.invalid' };

/** The date is recorded, so that a repetition makes the same commit. */
export async function commit(run: AgentRun): Promise<undefined> {
  const { journal, context, workspace } = run;
  if (workspace === undefined) throw new Error('The workspace is not open.');
  const known = findStep(journal.steps, 'committed');
  const { baseCommit, branch } = stepOf(run, 'prepared');
  const date = known?.date ?? nowText(context);
  const made = await workspace.commit({
    tree: stepOf(run, 'loop-ended').tree,
    parent: baseCommit,
    message: commitMessage(await factsOf(run)),
    author,
    committer: author,
    date,
  });
  if (known === undefined) await journal.append({ kind: 'committed', commit: made, branch, date });
  else if (known.commit !== made) throw new Error('The commit came out differently on its repetition.');
}

export async function push(run: AgentRun): Promise<undefined> {
  const { journal, workspace } = run;
  if (findStep(journal.steps, 'pushed') !== undefined) return;
  if (workspace === undefined) throw new Error('The workspace is not open.');
  const { commit: made, branch } = stepOf(run, 'committed');
  const { branchHead: expected } = stepOf(run, 'prepared');
  const credential = await borrowCredential(run);
  try {
    // A push that went through before the journal could say so is not repeated.
    const current = await workspace.remoteBranch(branch, credential);
    if (current !== made) await workspace.push({ commit: made, branch, expected, credential });
  } catch (error) {
    throw error instanceof GitError ? pushFailed(error) : error;
  }
  run.onStep('branch pushed', run.job);
  await journal.append({ kind: 'pushed', commit: made });
}

function pushFailed({ problem, message }: GitError): RunEnded {
  if (problem === 'push_conflict') {
    return new RunEnded(
      'push_conflict',
      message,
      'Send a message: the agent then goes on from the branch as it is.',
    );
  }
  const hint = 'Check that the credential of the project may push, and that the branch is not protected.';
  return new RunEnded('forge_error', message, hint);
}

/** The export and the step that names it are written together, so that there is never a second one. */
export async function preview(run: AgentRun): Promise<undefined> {
  const { journal, context, request } = run;
  if (findStep(journal.steps, 'previewed') !== undefined) return;
  const { branch } = stepOf(run, 'prepared');
  await journal.appendWith(async (database) => {
    const source = { ...request.source, ref: branch };
    const made = await run.startPreview({ ...context, database }, { ofJob: run.job, source });
    return { kind: 'previewed', exportId: made?.id ?? null };
  });
}

export async function propose(run: AgentRun): Promise<undefined> {
  const { journal } = run;
  if (findStep(journal.steps, 'proposed') !== undefined) return;
  const forge = await run.openForge();
  const pullRequest = await openPullRequest(run, forge);
  run.onStep('pull request made', run.job);
  await journal.append({ kind: 'proposed', pullRequest });
}

async function openPullRequest(run: AgentRun, forge: Forge): Promise<PullRequest> {
  const { signal } = run.input;
  const { branch: head, baseBranch: base } = stepOf(run, 'prepared');
  const none: PullRequest = { url: null, number: null, state: 'none', draft: false, branch: head };
  if (forge.kind === 'bare') return none;
  const template = await readTemplate(run, forge.kind);
  const text = pullRequestText({ ...(await factsOf(run)), template });
  const known = await forge.findPr(head, signal);
  const made =
    known === undefined
      ? await forge.createPr({ head, base, draft: isDraft(run), ...text }, signal)
      : await forge.updatePr(known.number, { ...text, draft: isDraft(run) }, signal);
  if (made === undefined) return none;
  const { url, number, state, draft } = made;
  return { url, number, state, draft, branch: head };
}

/** Whoever asked may want a draft; only a clean judgement of finished work may be anything else. */
function isDraft(run: AgentRun): boolean {
  const isClean = stepOf(run, 'judged').verdict.outcome === 'pass';
  return run.request.draft === true || !isClean || stepOf(run, 'loop-ended').reason !== 'done';
}

function stepOf<Kind extends Step['kind']>(run: AgentRun, kind: Kind): StepOf<Kind> {
  const step = findStep(run.journal.steps, kind);
  if (step === undefined) throw new Error(`The journal has no step ${kind}.`);
  return step;
}
