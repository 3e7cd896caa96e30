/** Reads the newest commit of a branch without fetching it. */
import type { Remote } from '../../git/remote.ts';
import { GitError, runGit } from '../../git/run.ts';
import { SourceError, type BranchHead } from '../../ports/sources.ts';

const maxSeconds = 60;
const maxOutputBytes = 1_000_000;
const branchPrefix = 'refs/heads/';

export async function readBranchHead(
  remote: Remote,
  ref: string | null,
  signal: AbortSignal,
): Promise<BranchHead> {
  const name = ref === 'HEAD' ? null : ref;
  const branch = name?.startsWith(branchPrefix) ? name.slice(branchPrefix.length) : name;
  const pattern = branch === null ? 'HEAD' : `${branchPrefix}${branch}`;
  const listed = await listRefs(remote, pattern, signal);
  const commit = commitOf(listed, pattern);
  if (commit === undefined) {
    throw new SourceError(
      'source_not_found',
      branch === null ? 'The repository has no commits.' : `The repository has no branch ${branch}.`,
      branch === null ? 'Push a commit.' : 'Only branches are polled. Check `source.ref` of the project.',
    );
  }
  const [, main] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed) ?? [];
  const found = branch ?? main;
  if (found !== undefined) return { branch: found, commit };
  throw new SourceError(
    'source_not_found',
    'The repository does not report its main branch.',
    'Set `source.ref` of the project.',
  );
}

async function listRefs(remote: Remote, pattern: string, signal: AbortSignal): Promise<string> {
  const command = ['ls-remote', '--symref', '--', remote.url, pattern];
  // Not a repository, so that git reads no configuration around the working directory.
  const place = { folder: '/', repository: '/dev/null' };
  const limits = { seconds: maxSeconds, outputBytes: maxOutputBytes };
  try {
    return String(await runGit(command, { ...place, ...limits, remote, signal }));
  } catch (error) {
    throw error instanceof GitError ? explain(error, remote) : error;
  }
}

/** A pattern also matches longer names that end with it. */
function commitOf(listed: string, name: string): string | undefined {
  for (const line of listed.split('\n')) {
    const [commit = '', ref] = line.split('\t');
    if (ref === name && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) return commit;
  }
  return undefined;
}

function explain({ problem, message }: GitError, remote: Remote): SourceError {
  if (problem !== 'auth' && problem !== 'not_found')
    return new SourceError('source_unavailable', `git could not read the repository: ${message}`);
  return remote.credential === null
    ? new SourceError(
        'source_not_found',
        'The repository does not exist or needs credentials.',
        'Add a credential to the project.',
      )
    : new SourceError(
        'source_not_found',
        'The repository does not exist, or the credential of the project is not accepted.',
        'Check the address and set the credential again.',
      );
}
