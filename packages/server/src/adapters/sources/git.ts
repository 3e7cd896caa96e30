/**
 * Fetches one commit without history and checks out its files. Hooks, filters, links and submodules of the
 * repository have no effect.
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
  /** Replaces the ref when known. */
  commit: string | null;
  workFolder: string;
  signal: AbortSignal;
}

const maxFiles = 100_000;
const maxTreeBytes = 2_000_000_000;

interface Checkout {
  tree: string;
  commit: string;
  committedAt: string | null;
}

export async function fetchCommit(request: GitFetch): Promise<Checkout> {
  try {
    return await fetchAndCheckOut(request).catch(async (error: unknown) => {
      if (!(error instanceof GitError && /\.lock': File exists/.test(error.complaint))) throw error;
      // Each folder has one fetch at a time, so a lock file was left by a killed process.
      await rm(request.workFolder, { recursive: true, force: true, maxRetries: 5 });
      return fetchAndCheckOut(request);
    });
  } catch (error) {
    throw error instanceof GitError && !isDiskFull(error) ? explain(error, request) : error;
  }
}

/** After an earlier checkout only the difference is fetched and written. */
async function fetchAndCheckOut(request: GitFetch): Promise<Checkout> {
  const { remote, workFolder, signal } = request;
  const repository = join(workFolder, 'repository.git');
  const tree = treeIn(workFolder);
  const place = { folder: workFolder, repository, tree, signal };
  const hasCheckout = await isCompleteCheckout(workFolder);
  if (!hasCheckout) {
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
      ...fetchOptions,
      ...(remote.protocol === 'file' ? localFetchOptions : []),
      '--',
      remote.url,
      `+${wanted}:${lastFetched}`,
    ],
    { ...place, remote },
  );
  const [logLine, listing] = await Promise.all([
    runGit(['log', '-1', '--format=%H %ct', 'FETCH_HEAD', '--'], place),
    runGit(['ls-tree', '-r', '-l', '-z', 'FETCH_HEAD'], place),
  ]);
  const [commit = '', seconds = ''] = String(logLine).trim().split(' ');
  refuseHugeTree(String(listing));
  const completeMarker = join(workFolder, 'laid-out');
  await rm(completeMarker, { force: true });
  if (hasCheckout) await runGit(['read-tree', '--reset', '-u', commit], place);
  else {
    await runGit(['read-tree', commit], place);
    await runGit(['checkout-index', '--all', '--force', '--quiet', '--index'], place);
  }
  await markIndexNewer(join(repository, 'index'));
  await writeFile(completeMarker, commit);
  return { tree, commit, committedAt: dateOf(seconds) };
}

/**
 * Git rereads files whose mtime equals that of the index. Only git writes here, so the index can be newer.
 */
async function markIndexNewer(index: string): Promise<void> {
  const later = new Date(Date.now() + 2000);
  await utimes(index, later, later);
}

function treeIn(workFolder: string): string {
  return join(workFolder, 'tree');
}

/** Git negotiates by refs; without one the server would send everything again. */
const lastFetched = 'refs/docyard/last-fetched';

const fetchOptions = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules'];
/** Local fetches need no delta compression. */
const localFetchOptions = ['--upload-pack=git -c pack.window=0 -c pack.compression=1 upload-pack'];

/** Git searches every pack for each object. */
const maxPacks = 60;

/** Whether the last checkout was completed. */
async function isCompleteCheckout(workFolder: string): Promise<boolean> {
  const packs = await readdir(join(workFolder, 'repository.git/objects/pack')).catch(() => undefined);
  return packs !== undefined && packs.length <= maxPacks && existsSync(join(workFolder, 'laid-out'));
}

/** A commit may claim any time. */
function dateOf(secondsText: string): string | null {
  const seconds = Number(secondsText);
  const isInCalendar = Number.isInteger(seconds) && seconds >= 0 && seconds < Date.UTC(9999, 0) / 1000;
  return isInCalendar ? new Date(seconds * 1000).toISOString() : null;
}

/** A small repository can describe billions of files, so count before the checkout. */
function refuseHugeTree(listing: string): void {
  let files = 0;
  let bytes = 0;
  for (const entry of listing.split('\0')) {
    const [, size] = /^\S+ \S+ \S+ +(\d+|-)\t/.exec(entry) ?? [];
    if (size === undefined) continue;
    files += 1;
    bytes += Number(size) || 0;
  }
  if (files > maxFiles || bytes > maxTreeBytes) {
    throw new SourceError('too_large', `The repository contains ${files} files and ${bytes} bytes.`);
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
            'Open the address in a browser without signing in.',
          )
        : new SourceError(
            missing,
            'The repository does not exist, or the credential of the project is not accepted.',
            'Check the address and set the credential again.',
          );
    case 'too_large':
      return new SourceError('too_large', 'The repository contains too many files.');
    default:
      return new SourceError('source_unavailable', `git could not fetch the repository: ${message}`);
  }
}
