/**
 * Makes a commit of a tree and brings it to a branch of the remote repository. Both can be repeated: the same input is the
 * same commit, and a push goes through only while the branch is where we left it, so that nobody's work is overwritten.
 */
import { checkRef } from '../../git/address.ts';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import type { Repository } from './repository.ts';

export interface Person {
  name: string;
  email: string;
}

export interface NewCommit {
  tree: string;
  parent: string;
  message: string;
  author: Person;
  committer: Person;
  /** As recorded in the journal, so that a repetition makes the same commit. ISO 8601; seconds count. */
  date: string;
}

export interface Push {
  commit: string;
  branch: string;
  /** Where the branch is believed to be; null when it must not be there. */
  expected: string | null;
  credential: GitCredential | null;
}

export async function makeCommit(repo: Repository, wanted: NewCommit): Promise<string> {
  const date = `${Math.floor(Date.parse(wanted.date) / 1000)} +0000`;
  const message = wanted.message.replaceAll('\0', '');
  const written = await repo.git(['commit-tree', '-p', wanted.parent, '-F', '-', wanted.tree], {
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

/** Throws a GitError: push_conflict when somebody else moved the branch, push_rejected in the words of the host. */
export async function pushCommit(repo: Repository, push: Push): Promise<void> {
  checkRef(push.branch);
  const remote = await repo.reach(push.credential);
  const ref = `refs/heads/${push.branch}`;
  const lease = `--force-with-lease=${ref}:${push.expected ?? ''}`;
  // Not thin: the base of a difference may be a file that was never fetched.
  const args = ['push', '--porcelain', '--no-verify', '--no-thin', '--no-follow-tags', lease];
  try {
    await repo.git([...args, '--', remote.url, `${push.commit}:${ref}`], { remote });
  } catch (error) {
    throw error instanceof GitError ? explainPush(error, push.branch) : error;
  }
}

/** The commit of a branch as it is now; undefined when there is no such branch. */
export async function remoteBranch(
  repo: Repository,
  branch: string,
  credential: GitCredential | null,
): Promise<string | undefined> {
  checkRef(branch);
  const remote = await repo.reach(credential);
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
    return new GitError('push_conflict', `Somebody else changed the branch ${branch}: ${reason}.`);
  }
  const words = [...error.complaint.matchAll(/^remote: *(\S[^\n]*)$/gm)].map(([, text]) => text);
  const told = words.length === 0 ? reason : `${reason}: ${words.join(' ')}`;
  return new GitError('push_rejected', `The host refused the push to ${branch}: ${told.slice(0, 1000)}`);
}
