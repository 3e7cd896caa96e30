/** A bare repository with the commits and folders of a remote one, whose files are fetched when they are read. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Remote } from '../../git/remote.ts';
import { GitError, runGit } from '../../git/run.ts';
import { SourceError } from '../../ports/sources.ts';

export interface PartialFetch {
  remote: Remote;
  /** A ref or a commit. */
  wanted: string;
  depth: number;
  workFolder: string;
  signal: AbortSignal;
}

export interface PartialRepository {
  commit: string;
  /** May fetch files. */
  git(args: readonly string[], more?: { outputBytes?: number }): Promise<Buffer>;
}

const maxSeconds = 120;
const maxFileBytes = 500_000_000;

export async function openPartialRepository(request: PartialFetch): Promise<PartialRepository> {
  try {
    return await fetchInto(request);
  } catch (error) {
    throw error instanceof GitError ? explain(error) : error;
  }
}

async function fetchInto(request: PartialFetch): Promise<PartialRepository> {
  const { remote, wanted, depth, workFolder: folder, signal } = request;
  const repository = join(folder, 'repository.git');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], { folder, signal });
  const limits = { seconds: maxSeconds, fileBytes: maxFileBytes };
  const git: PartialRepository['git'] = (args, more = {}) =>
    runGit(args, { folder, repository, remote, signal, ...limits, ...more });
  const fetch = (...more: string[]) =>
    git(['fetch', '--quiet', `--depth=${depth}`, '--no-tags', '--no-recurse-submodules', ...more]);
  // A local repository is read completely: its settings may not allow filters.
  const filter = remote.protocol === 'file' ? [] : ['--filter=blob:none'];
  await fetch(...filter, '--', remote.url, wanted);
  const commit = String(await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).trim();
  return {
    commit,
    async git(args, more) {
      return git(args, more).catch(async (error: unknown) => {
        // Protocol v0 servers refuse single objects unless they are the tip of a branch.
        if (!(error instanceof GitError && error.problem === 'ref_not_found')) throw error;
        await fetch('--refetch', '--no-filter', '--', remote.url, wanted);
        return git(args, more);
      });
    },
  };
}

function explain({ problem, message }: GitError): SourceError {
  if (problem === 'auth' || problem === 'not_found' || problem === 'ref_not_found') {
    return new SourceError(
      'source_not_found',
      'The repository, branch or commit does not exist, or the credential of the project cannot read it.',
    );
  }
  return new SourceError('source_unavailable', `git could not read the repository: ${message}`);
}
