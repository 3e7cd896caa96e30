/**
 * Merges the base branch into the branch of a job. The repository has no history, so the merge compares stand-in
 * commits with the trees of the fork point and of both sides.
 */
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { fetchTree, type Base } from './fetch.ts';
import { fetchTreeBehind } from './history.ts';
import { addSignature, createCommit, type Identity } from './push.ts';
import type { Repository } from './repository.ts';

export interface Merge {
  /** The commit to merge into the checked out one. */
  base: string;
  forkPoint: string;
  message: string;
  author: Identity;
  committer: Identity;
  /** ISO 8601, from the journal, so that a repeated merge is identical. */
  date: string;
  /** Added to the commit without a check. */
  signature?: string | undefined;
}

export interface Merged {
  /** The merge commit; the branch as it was if there are conflicts. */
  result: Pick<Base, 'commit' | 'tree'>;
  /** Paths in the repository; null if the merge is clean. */
  conflicts: string[] | null;
  /** The trees of the commits that were fetched. */
  trees: [commit: string, tree: string][];
}

export async function mergeInto(
  repo: Repository,
  branch: Pick<Base, 'commit' | 'tree'>,
  merge: Merge,
  credential: GitCredential | null,
): Promise<Merged> {
  const base = await fetchTree(repo, merge.base, credential);
  const forkTree = await fetchTreeBehind(repo, merge.base, merge.forkPoint, credential);
  const trees: Merged['trees'] = [
    [merge.base, base.tree],
    [merge.forkPoint, forkTree],
  ];
  const { author, committer, date, signature } = merge;
  const create = (tree: string, parents: string[], message: string) =>
    createCommit(repo, { tree, parents, message, author, committer, date });
  const ancestor = await create(forkTree, [], 'Fork point');
  const sides = [
    await create(branch.tree, [ancestor], 'Branch'),
    await create(base.tree, [ancestor], 'Base'),
  ];
  const { tree, conflicts } = await mergeTrees(repo, sides, credential);
  if (conflicts !== null) return { result: branch, conflicts, trees };
  const unsigned = await create(tree, [branch.commit, merge.base], merge.message);
  const commit = signature === undefined ? unsigned : await addSignature(repo, unsigned, signature);
  return { result: { commit, tree }, conflicts, trees };
}

/** Files outside the docs folder that both sides changed are fetched on demand. */
async function mergeTrees(
  repo: Repository,
  sides: readonly string[],
  credential: GitCredential | null,
): Promise<{ tree: string; conflicts: string[] | null }> {
  const remote = await repo.reach(credential);
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ...sides];
  try {
    return { tree: String(await repo.git(args, { remote })).trim(), conflicts: null };
  } catch (error) {
    const [tree = '', ...files] = error instanceof GitError ? error.output.trim().split('\n') : [];
    const isConflict = error instanceof GitError && error.status === 1 && /^[0-9a-f]{40,64}$/.test(tree);
    if (!isConflict) throw error;
    return { tree, conflicts: files };
  }
}
