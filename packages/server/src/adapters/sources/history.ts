/**
 * Reads the dates of files and the name of the branch from the remote repository. Commits and folders are fetched without the
 * contents of files, into a repository beside the checkout, whose depth stays one.
 */
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lastChangesCommand, parseLastChanges, parseShallowCommits } from '../../git/last-changes.ts';
import type { Remote } from '../../git/remote.ts';
import { GitError, runGit } from '../../git/run.ts';
import type { SourceHistory } from '../../ports/sources.ts';

export interface HistoryFetch {
  remote: Remote;
  ref: string | null;
  commit: string;
  directory: string | null;
  workFolder: string;
  signal: AbortSignal;
}

/** Files that changed before these commits have no date. The same commit always gives the same dates. */
const maxCommits = 5000;

const limits = { seconds: 120, fileBytes: 500_000_000 };
const fetchOptions = [
  '--quiet',
  '--filter=blob:none',
  `--depth=${maxCommits}`,
  '--no-tags',
  '--no-recurse-submodules',
];
/** Local repositories may not allow filters in their own settings. */
const localFetchOptions = ['--upload-pack=git -c uploadpack.allowFilter=true upload-pack'];

/** A repository whose history cannot be read has no dates, and the reason is returned. */
export async function fetchHistory(request: HistoryFetch): Promise<SourceHistory> {
  let problem: string | null = null;
  const explain = (error: unknown): undefined => {
    if (!(error instanceof GitError)) throw error;
    problem ??= error.message;
  };
  const [changedOn = new Map<string, string>(), branch = null] = await Promise.all([
    readChanges(request).catch(explain),
    readBranch(request).catch(explain),
  ]);
  return { changedOn, branch, problem };
}

async function readChanges(request: HistoryFetch): Promise<Map<string, string>> {
  const repository = join(request.workFolder, 'history.git');
  if (!existsSync(repository)) return fetchChanges(request, repository);
  return fetchChanges(request, repository).catch(async (error: unknown) => {
    if (!(error instanceof GitError)) throw error;
    // A killed process may have left the repository incomplete.
    await rm(repository, { recursive: true, force: true, maxRetries: 5 });
    return fetchChanges(request, repository);
  });
}

async function fetchChanges(
  { remote, commit, directory, workFolder, signal }: HistoryFetch,
  repository: string,
): Promise<Map<string, string>> {
  const command = { folder: workFolder, signal, ...limits };
  if (!existsSync(repository))
    await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], command);
  const local = remote.protocol === 'file' ? localFetchOptions : [];
  await runGit(['fetch', ...fetchOptions, ...local, '--', remote.url, `+${commit}:refs/docyard/history`], {
    ...command,
    repository,
    remote,
  });
  const [log, shallow] = await Promise.all([
    runGit(lastChangesCommand({ commit, directory }), { ...command, repository }),
    readFile(join(repository, 'shallow'), 'utf8').catch(() => ''),
  ]);
  return parseLastChanges(String(log), parseShallowCommits(shallow));
}

/** Null for a tag or a commit, which cannot be edited. */
async function readBranch({ remote, ref, workFolder, signal }: HistoryFetch): Promise<string | null> {
  const command = ['ls-remote', '--symref', '--', remote.url, ref === null ? 'HEAD' : `refs/heads/${ref}`];
  const listed = String(await runGit(command, { folder: workFolder, signal, ...limits, remote }));
  if (ref !== null) return listed.endsWith(`\trefs/heads/${ref}\n`) ? ref : null;
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1] ?? null;
}
