/**
 * Fetches one commit without history and lays its files out. Hooks, filters, links and submodules of the repository do
 * nothing.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '@docyard/site/disk';
import type { Remote } from '../../git/remote.ts';
import { GitError, runGit } from '../../git/run.ts';
import { SourceError } from '../../ports/sources.ts';

export interface GitFetch {
  remote: Remote;
  ref: string | null;
  /** Fetched in place of the ref when known. */
  commit: string | null;
  workFolder: string;
  signal: AbortSignal;
}

const mostFiles = 100_000;
const mostTreeBytes = 2_000_000_000;

interface LaidOut {
  tree: string;
  commit: string;
  committedAt: string | null;
}

export async function fetchCommit(request: GitFetch): Promise<LaidOut> {
  try {
    return await fetchAndLayOut(request).catch(async (error: unknown) => {
      if (!(error instanceof GitError && /\.lock': File exists/.test(error.complaint))) throw error;
      // A folder is one fetch's at a time: whoever has left this was killed, and so would be every fetch to come.
      await rm(request.workFolder, { recursive: true, force: true, maxRetries: 5 });
      return fetchAndLayOut(request);
    });
  } catch (error) {
    throw error instanceof GitError && !isDiskFull(error) ? explain(error, request) : error;
  }
}

/**
 * Where an earlier commit was laid out, only what differs is fetched and written: for one page of 10,000 a tenth of a second
 * instead of four.
 */
async function fetchAndLayOut(request: GitFetch): Promise<LaidOut> {
  const { remote, workFolder, signal } = request;
  const repository = join(workFolder, 'repository.git');
  const tree = treeIn(workFolder);
  const place = { folder: workFolder, repository, tree, signal };
  const isThere = await canGoOn(workFolder);
  if (!isThere) {
    await rm(workFolder, { recursive: true, force: true });
    await mkdir(tree, { recursive: true });
    await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], {
      folder: workFolder,
      signal,
    });
  }
  const wanted = request.commit ?? request.ref ?? 'HEAD';
  await runGit(
    [
      'fetch',
      ...howToFetch,
      ...(remote.protocol === 'file' ? onThisMachine : []),
      '--',
      remote.url,
      `+${wanted}:${lastFetched}`,
    ],
    { ...place, remote },
  );
  const [told, listing] = await Promise.all([
    runGit(['log', '-1', '--format=%H %ct', 'FETCH_HEAD', '--'], place),
    runGit(['ls-tree', '-r', '-l', '-z', 'FETCH_HEAD'], place),
  ]);
  const [commit = '', seconds = ''] = String(told).trim().split(' ');
  refuseHugeTree(String(listing));
  const laidOut = join(workFolder, 'laid-out');
  await rm(laidOut, { force: true });
  if (isThere) await runGit(['read-tree', '--reset', '-u', commit], place);
  else {
    await runGit(['read-tree', commit], place);
    await runGit(['checkout-index', '--all', '--force', '--quiet', '--index'], place);
  }
  await trustTimes(join(repository, 'index'));
  await writeFile(laidOut, commit);
  return { tree, commit, committedAt: dateOf(seconds) };
}

/**
 * Git reads a file again that was written in the same second as its index, since it might have changed after it: 80 ms for
 * 1,000 pages. Nobody writes here but git.
 */
async function trustTimes(index: string): Promise<void> {
  const later = new Date(Date.now() + 2000);
  await utimes(index, later, later);
}

function treeIn(workFolder: string): string {
  return join(workFolder, 'tree');
}

/** Git tells the other side what is here by its refs alone: without one it is sent everything again. */
const lastFetched = 'refs/docyard/last-fetched';

const howToFetch = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules'];
/**
 * Nobody waits for the network here, so the other side need not look for what its objects have in common: 10,000 pages that
 * were not packed before take 3.7 s of a processor that way, and 11.5 otherwise.
 */
const onThisMachine = ['--upload-pack=git -c pack.window=0 -c pack.compression=1 upload-pack'];

/** Each fetch leaves a file or two; whoever has this many looks through all of them for every object. */
const mostPacks = 60;

/** Whether what lies there was finished: a process may have been killed at any moment of it. */
async function canGoOn(workFolder: string): Promise<boolean> {
  const packs = await readdir(join(workFolder, 'repository.git/objects/pack')).catch(() => undefined);
  return packs !== undefined && packs.length <= mostPacks && existsSync(join(workFolder, 'laid-out'));
}

/** A commit may claim any time, also one that no calendar has. */
function dateOf(secondsText: string): string | null {
  const seconds = Number(secondsText);
  const isInCalendar = Number.isInteger(seconds) && seconds >= 0 && seconds < Date.UTC(9999, 0) / 1000;
  return isInCalendar ? new Date(seconds * 1000).toISOString() : null;
}

/** A repository of a few kilobytes can describe billions of files: count before anything is laid out. */
function refuseHugeTree(listing: string): void {
  let files = 0;
  let bytes = 0;
  for (const entry of listing.split('\0')) {
    const [, size] = /^\S+ \S+ \S+ +(\d+|-)\t/.exec(entry) ?? [];
    if (size === undefined) continue;
    files += 1;
    bytes += Number(size) || 0;
  }
  if (files > mostFiles || bytes > mostTreeBytes) {
    throw new SourceError('too_large', `The repository holds ${files} files and ${bytes} bytes.`);
  }
}

function explain({ problem, message }: GitError, request: GitFetch): SourceError {
  const missing = 'source_not_found';
  switch (problem) {
    case 'ref_not_found': {
      const wanted = request.ref ?? request.commit ?? 'HEAD';
      return new SourceError(missing, `The repository has no ${wanted}.`, 'Check the name of the branch.');
    }
    case 'auth':
    case 'not_found':
      return request.remote.credential === null
        ? new SourceError(
            missing,
            'The repository does not exist or needs credentials.',
            'Check the address in a browser without being signed in.',
          )
        : new SourceError(
            missing,
            'The repository does not exist, or the credential of the project does not open it.',
            'Check the address, and set the credential again.',
          );
    case 'too_large':
      return new SourceError('too_large', 'The repository holds too many files.');
    default:
      return new SourceError('source_unavailable', `git could not fetch the repository: ${message}`);
  }
}
