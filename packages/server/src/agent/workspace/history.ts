/**
 * Where a branch left another one, which is what a pull request of it is compared with. Only the newest commits are looked
 * at, without their files and apart from the workspace, so that nothing of it is in the way of a push.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, runGit } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { fetchTree, refusesSingleFiles, treeOf } from './fetch.ts';
import type { Repository } from './repository.ts';

/** Commits without files are small: these are some 100 kB. */
const mostCommits = 300;

/** Both commits must be ends of branches. Undefined when they have nothing in common among their newest commits. */
export async function findForkPoint(
  repo: Repository,
  [one, other]: [commit: string, other: string],
  { folder, credential, signal }: { folder: string; credential: GitCredential | null; signal: AbortSignal },
): Promise<string | undefined> {
  const repository = join(folder, 'history.git');
  const remote = await repo.reach(credential);
  const fetch = ['fetch', '--quiet', `--depth=${mostCommits}`, '--filter=tree:0', '--no-tags'];
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], { folder, signal });
    await runGit([...fetch, '--', remote.url, one, other], { folder, repository, remote, signal });
    const found = await runGit(['merge-base', one, other], { folder, repository, signal });
    return String(found).trim();
  } catch (error) {
    // It ends without a word when there is none.
    if (error instanceof GitError && error.problem === 'failed' && error.complaint === '') return undefined;
    throw error;
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

/** The tree of a commit that lies behind `tip`, with the files of its docs. */
export async function fetchTreeBehind(
  repo: Repository,
  tip: string,
  commit: string,
  credential: GitCredential | null,
): Promise<string> {
  try {
    return (await fetchTree(repo, commit, credential)).tree;
  } catch (error) {
    if (!refusesSingleFiles(error)) throw error;
    const remote = await repo.reach(credential);
    const fetch = ['fetch', '--quiet', `--depth=${mostCommits}`, '--refetch', '--no-filter', '--no-tags'];
    await repo.git([...fetch, '--no-recurse-submodules', '--', remote.url, tip], { remote });
    return treeOf(repo, commit);
  }
}
