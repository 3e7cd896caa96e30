/**
 * Brings the branch of a job up to date with its base branch before a follow-up: a clean merge is part of the branch,
 * and a conflict leaves the branch as it is.
 */
import { nowText } from '../context.ts';
import type { AgentRun } from './agent-run.ts';
import type { BaseUpdate } from './contract.ts';
import { defaultIdentity } from './publish/commit-identity.ts';
import { signCommit } from './publish/sign-commit.ts';
import type { StepOf } from './replay.ts';
import type { Relation } from './workspace/history.ts';
import type { Merge } from './workspace/merge.ts';
import type { Workspace } from './workspace/workspace.ts';

type Prepared = StepOf<'prepared'>;
type CleanMerge = Extract<BaseUpdate, { outcome: 'merged' }>;
type OpenWorkspace = (at: { commit: string | null; merge: Merge }) => Promise<Workspace>;

interface Outdated {
  /** The start of the run without the update. */
  prepared: Prepared;
  /** The tip of the base branch. */
  base: string;
  relation: Relation;
}

export async function updateFromBase(
  run: AgentRun,
  { prepared, base, relation }: Outdated,
  open: OpenWorkspace,
): Promise<Prepared> {
  const { forkPoint, isRewritten } = relation;
  if (forkPoint === undefined) return { ...prepared, baseUpdate: { outcome: 'unrelated', base } };
  if (isRewritten) return { ...prepared, baseUpdate: { outcome: 'rewritten', base } };
  const { identity = defaultIdentity } = prepared;
  const update: CleanMerge = { outcome: 'merged', base, forkPoint, date: nowText(run.context), identity };
  const workspace = await open({ commit: prepared.branchHead, merge: mergeOf(run, prepared, update) });
  run.workspace = workspace;
  const { conflicts } = workspace;
  if (conflicts !== null)
    return { ...prepared, baseUpdate: { outcome: 'conflicts', base, files: conflicts } };
  run.onStep('base merged', run.job);
  const { commit } = workspace.base;
  const merged = { ...prepared, baseCommit: commit, reviewCommit: base, baseUpdate: update };
  const signature = await signCommit(run, workspace, commit);
  if (signature === undefined) return merged;
  // The workspace is opened again at the signed commit.
  run.workspace = undefined;
  const baseCommit = await workspace.addSignature(commit, signature);
  return { ...merged, baseCommit, baseUpdate: { ...update, signature } };
}

/** The same input makes the same commit, so that a resumed run repeats the merge. */
export function mergeOf(
  { jobId }: Pick<AgentRun, 'jobId'>,
  { baseBranch, branch }: Pick<Prepared, 'baseBranch' | 'branch'>,
  { base, forkPoint, date, identity, signature }: CleanMerge,
): Merge {
  const message = `Merge ${baseBranch} into ${branch}\n\nAgent-Job: ${jobId}`;
  const { author, committer } = identity;
  return { base, forkPoint, message, author, committer, date, signature };
}

/** One line for events and the transcript; empty if the base branch has not moved. */
export function baseUpdateText({ baseBranch, branch, baseUpdate }: Prepared): string {
  if (baseUpdate === undefined) return '';
  const base = `${baseBranch} at ${baseUpdate.base.slice(0, 12)}`;
  switch (baseUpdate.outcome) {
    case 'merged':
      return `Merged ${base} into ${branch}`;
    case 'conflicts':
      return `Did not merge ${base} into ${branch}, because files conflict: ${baseUpdate.files.join(', ')}`;
    case 'rewritten':
      return `Did not merge ${base} into ${branch}, because its history was rewritten`;
    case 'unrelated':
      return `Did not merge ${base} into ${branch}, because they have no recent common commit`;
  }
}

const maxNamedFiles = 20;

/** Added to the task of the agent. */
export function noteForAgent({ baseBranch, baseUpdate }: Prepared): string | undefined {
  switch (baseUpdate?.outcome) {
    case undefined:
      return undefined;
    case 'merged':
      return `Note: the branch of this job was merged with ${baseBranch} before this run, so files may have changed since the earlier runs.`;
    case 'conflicts': {
      const named = baseUpdate.files.slice(0, maxNamedFiles).map((path) => JSON.stringify(path));
      return `Note: ${baseBranch} has changed since the branch of this job was made, and both changed the same places of ${named.join(', ')}. The branch was therefore not merged; you see its own files. A person has to resolve the conflicts. Do the task, and mention the conflicts in your summary.`;
    }
    case 'rewritten':
    case 'unrelated':
      return `Note: ${baseBranch} has changed since the branch of this job was made, but their histories cannot be merged. You see the files of the branch.`;
  }
}
