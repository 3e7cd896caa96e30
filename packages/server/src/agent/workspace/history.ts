/**
 * Compares the histories of two branches. It fetches commits without files into a separate repository, so the
 * workspace stays shallow for the push.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, runGit } from '../../git/run.ts';
import type { Remote } from '../../git/remote.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { fetchTree, refusesSingleObjects, treeOf } from './fetch.ts';
import type { Repository } from './repository.ts';

const maxCommits = 300;
/** The second depth is for bases with many commits a day. */
const depths = [maxCommits, 10_000];

export interface Branches {
  /** The tip of the job's branch. */
  tip: string;
  /** The tip of the base branch. */
  base: string;
  /** The commit of the base branch where the work began. */
  start: string;
}

export interface Relation {
  /** Undefined if the recent commits of the branches have no common ancestor. */
  forkPoint: string | undefined;
  /** The base branch no longer contains `start`. */
  isRewritten: boolean;
}

export async function relate(
  repo: Repository,
  { tip, base, start }: Branches,
  { folder, credential, signal }: { folder: string; credential: GitCredential | null; signal: AbortSignal },
): Promise<Relation> {
  const repository = join(folder, 'history.git');
  const git = (args: string[], remote?: Remote) => runGit(args, { folder, repository, remote, signal });
  try {
    await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], { folder, signal });
    for (const depth of depths) {
      const fetch = ['fetch', '--quiet', `--depth=${depth}`, '--filter=tree:0', '--no-tags', '--'];
      const [remote, ofTip] = [await repo.reach(credential), await repo.reachHead(credential)];
      const isFork = remote.url !== ofTip.url;
      await git([...fetch, remote.url, base, ...(isFork ? [] : [tip])], remote);
      if (isFork) await git([...fetch, ofTip.url, tip], ofTip);
      const forkPoint = await answered(git(['merge-base', tip, base]));
      if (forkPoint === null) continue;
      const isKept = await answered(git(['merge-base', '--is-ancestor', start, base]));
      return { forkPoint, isRewritten: isKept === null };
    }
    return { forkPoint: undefined, isRewritten: false };
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

/** `merge-base` exits with 1 for no, and with 128 for a commit that is not in the fetched history. */
async function answered(command: Promise<Buffer>): Promise<string | null | undefined> {
  try {
    return String(await command).trim();
  } catch (error) {
    if (error instanceof GitError && error.status === 1) return null;
    if (error instanceof GitError && error.status === 128) return undefined;
    throw error;
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
