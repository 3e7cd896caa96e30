/**
 * Commits a tree and pushes it to a branch. Both are idempotent: equal input makes the same commit, and the
 * lease of the push prevents overwriting the work of others.
 */
import { checkRef } from '../../git/address.ts';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import type { Repository } from './repository.ts';

export interface Identity {
  name: string;
  email: string;
}

export interface NewCommit {
  tree: string;
  /** Two for a merge: the branch, then what was merged into it. */
  parents: readonly string[];
  message: string;
  author: Identity;
  committer: Identity;
  /** ISO 8601, from the journal, so that a repeated commit is identical; fractions of a second are dropped. */
  date: string;
}

export interface Push {
  commit: string;
  branch: string;
  /** The lease: the expected commit of the branch; null if the branch must not exist. */
  expected: string | null;
  /** The commit of the base branch that the commit builds on, needed for a fork that lacks it. */
  base?: string | undefined;
  credential: GitCredential | null;
}

export async function createCommit(repo: Repository, wanted: NewCommit): Promise<string> {
  const date = `${Math.floor(Date.parse(wanted.date) / 1000)} +0000`;
  const message = wanted.message.replaceAll('\0', '');
  const parents = wanted.parents.flatMap((parent) => ['-p', parent]);
  const written = await repo.git(['commit-tree', ...parents, '-F', '-', wanted.tree], {
    input: message.endsWith('\n') ? message : `${message}\n`,
    identity: {
      GIT_AUTHOR_NAME: wanted.author.name,
      GIT_AUTHOR_EMAIL: wanted.author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: wanted.committer.name,
      GIT_COMMITTER_EMAIL: wanted.committer.email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return String(written).trim();
}

/** The text that a signature covers. */
export async function readCommit(repo: Repository, commit: string): Promise<string> {
  return String(await repo.git(['cat-file', 'commit', commit]));
}

/** Makes the commit that git would make, so that equal input makes the same commit. */
export async function addSignature(repo: Repository, commit: string, signature: string): Promise<string> {
  const text = await readCommit(repo, commit);
  const end = text.indexOf('\n\n') + 1;
  const header = `gpgsig ${signature.trim().replaceAll('\n', '\n ')}\n`;
  const input = `${text.slice(0, end)}${header}${text.slice(end)}`;
  const written = await repo.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input });
  return String(written).trim();
}

/** Throws a GitError: push_conflict if the branch has moved, push_rejected with the reason of the host. */
export async function pushCommit(repo: Repository, push: Push): Promise<void> {
  try {
    await pushOnce(repo, push);
  } catch (error) {
    if (push.base === undefined || !isShallowRefusal(error)) throw error;
    await fetchHistory(repo, push.base, push.credential);
    await pushOnce(repo, push);
  }
}

async function pushOnce(repo: Repository, push: Push): Promise<void> {
  checkRef(push.branch);
  const remote = await repo.reachHead(push.credential);
  const ref = `refs/heads/${push.branch}`;
  const lease = `--force-with-lease=${ref}:${push.expected ?? ''}`;
  // A thin pack may need a base file that was never fetched.
  const args = ['push', '--porcelain', '--no-verify', '--no-thin', '--no-follow-tags', lease];
  try {
    await repo.git([...args, '--', remote.url, `${push.commit}:${ref}`], { remote });
  } catch (error) {
    throw error instanceof GitError ? explainPush(error, push.branch) : error;
  }
}

/** The fork lacks commits between its own state and the base branch, and a shallow repository cannot send them. */
function isShallowRefusal(error: unknown): boolean {
  return error instanceof GitError && /shallow update not allowed/.test(error.message);
}

async function fetchHistory(
  repo: Repository,
  commit: string,
  credential: GitCredential | null,
): Promise<void> {
  const remote = await repo.reach(credential);
  // Another ref may have been fetched without its files.
  const fetch = ['fetch', '--quiet', '--unshallow', '--refetch', '--no-filter', '--no-tags'];
  await repo.git([...fetch, '--no-recurse-submodules', '--', remote.url, commit], { remote });
}

export async function remoteBranch(
  repo: Repository,
  branch: string,
  credential: GitCredential | null,
): Promise<string | undefined> {
  checkRef(branch);
  const remote = await repo.reachHead(credential);
  const ref = `refs/heads/${branch}`;
  const lines = String(await repo.git(['ls-remote', '--', remote.url, ref], { remote })).split('\n');
  return lines.find((line) => line.endsWith(`\t${ref}`))?.split('\t')[0];
}

function explainPush(error: GitError, branch: string): GitError {
  const [, kind, reason = ''] =
    /^!\t[^\t\n]{1,500}\t\[(remote )?rejected\] \(([^\n]{0,2000})\)$/m.exec(error.output) ?? [];
  if (reason === '') return error;
  const moved = /stale info|fetch first|non-fast-forward|incorrect old value|cannot lock ref/.test(reason);
  if (kind === undefined || moved) {
    return new GitError('push_conflict', `The branch ${branch} was changed by another push: ${reason}.`);
  }
  const remoteLines = [...error.complaint.matchAll(/^remote: *(\S[^\n]*)$/gm)].map(([, text]) => text);
  const details = remoteLines.length === 0 ? reason : `${reason}: ${remoteLines.join(' ')}`;
  return new GitError('push_rejected', `The host rejected the push to ${branch}: ${details.slice(0, 1000)}`);
}
