/**
 * Finds the fork point of two branches. It fetches recent commits without files into a separate repository, so
 * the workspace stays shallow for the push.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, runGit } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { fetchTree, refusesSingleObjects, treeOf } from './fetch.ts';
import type { Repository } from './repository.ts';

const maxCommits = 300;

/** Both commits must be branch tips. Undefined if their recent commits have no common ancestor. */
export async function findForkPoint(
  repo: Repository,
  [one, other]: [commit: string, other: string],
  { folder, credential, signal }: { folder: string; credential: GitCredential | null; signal: AbortSignal },
): Promise<string | undefined> {
  const repository = join(folder, 'history.git');
  const remote = await repo.reach(credential);
  const fetch = ['fetch', '--quiet', `--depth=${maxCommits}`, '--filter=tree:0', '--no-tags'];
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], { folder, signal });
    await runGit([...fetch, '--', remote.url, one, other], { folder, repository, remote, signal });
    const found = await runGit(['merge-base', one, other], { folder, repository, signal });
    return String(found).trim();
  } catch (error) {
    // `merge-base` exits silently if there is no common ancestor.
    if (error instanceof GitError && error.problem === 'failed' && error.complaint === '') return undefined;
    throw error;
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

export async function fetchTreeBehind(
  repo: Repository,
  tip: string,
  commit: string,
  credential: GitCredential | null,
): Promise<string> {
  try {
    return (await fetchTree(repo, commit, credential)).tree;
  } catch (error) {
    if (!refusesSingleObjects(error)) throw error;
    const remote = await repo.reach(credential);
    const fetch = ['fetch', '--quiet', `--depth=${maxCommits}`, '--refetch', '--no-filter', '--no-tags'];
    await repo.git([...fetch, '--no-recurse-submodules', '--', remote.url, tip], { remote });
    return treeOf(repo, commit);
  }
}
