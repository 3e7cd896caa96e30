/** Fetches the files of a context repository at one commit and writes them into a folder that only tools read. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { SourceError } from '../../ports/sources.ts';
import { isAgentFile } from '../engine/agent-files.ts';
import { fetchBlobs, fetchCommit, refusesSingleObjects } from '../workspace/fetch.ts';
import { pathRefusal } from '../workspace/path-guard.ts';
import { parseEntries, plainModes, type Repository, type TreeEntry } from '../workspace/repository.ts';

const maxFiles = 50_000;
const maxBytes = 500_000_000;
/** Larger files are generated or data. */
const maxFileBytes = 1_000_000;

export interface WantedCode {
  name: string;
  /** A commit, a branch or `HEAD`. */
  ref: string;
  /** Empty for the whole repository. */
  paths: readonly string[];
  credential: GitCredential | null;
}

/** Resolves with the commit. */
export async function fetchCode(repo: Repository, wanted: WantedCode, folder: string): Promise<string> {
  const { ref, paths, credential, name } = wanted;
  const commit = await fetchCommit(repo, ref, { credential, files: 'none' });
  const listing = await repo.git(['ls-tree', '-r', '-z', commit, '--', ...paths]);
  const entries = parseEntries(listing).filter(isReadable);
  if (entries.length === 0) throw empty(name, paths);
  if (entries.length > maxFiles) throw tooLarge(name, `${entries.length} files`);
  const missing = missingIn(await objectSizes(repo), entries);
  await fetchBlobs(repo, missing, credential).catch(async (error: unknown) => {
    if (!refusesSingleObjects(error)) throw error;
    await fetchCommit(repo, ref, { credential, files: 'all-again' });
  });
  await writeFiles(repo, name, entries, join(folder, name));
  return commit;
}

/** A link could name any file of this machine, and a submodule has no files. */
function isReadable({ mode, path }: TreeEntry): boolean {
  return plainModes.has(mode) && pathRefusal(path) === undefined && !isAgentFile(path);
}

async function writeFiles(
  repo: Repository,
  name: string,
  entries: readonly TreeEntry[],
  folder: string,
): Promise<void> {
  const sizes = await objectSizes(repo);
  const kept = entries.filter(({ oid }) => (sizes.get(oid) ?? Infinity) <= maxFileBytes);
  const bytes = kept.reduce((sum, { oid }) => sum + (sizes.get(oid) ?? 0), 0);
  if (bytes > maxBytes) throw tooLarge(name, `${bytes} bytes`);
  await mkdir(folder, { recursive: true });
  await repo.git(['read-tree', '--empty']);
  const input = kept.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`).join('');
  await repo.git(['update-index', '-z', '--index-info'], { input });
  await repo.git(['checkout-index', '--all', '--force', '--quiet', `--prefix=${folder}/`]);
}

export function missingIn(sizes: ReadonlyMap<string, number>, entries: readonly TreeEntry[]): string[] {
  return [...new Set(entries.map(({ oid }) => oid).filter((oid) => !sizes.has(oid)))];
}

/** Of the objects that were fetched. Asking for a single one would make git fetch it. */
export async function objectSizes(repo: Repository): Promise<Map<string, number>> {
  const lines = await repo.git([
    'cat-file',
    '--batch-all-objects',
    '--unordered',
    '--batch-check=%(objectname) %(objectsize)',
  ]);
  return new Map(
    lines
      .toString()
      .trim()
      .split('\n')
      .map((line): [string, number] => {
        const [oid = '', size] = line.split(' ');
        return [oid, Number(size)];
      }),
  );
}

function empty(name: string, paths: readonly string[]): SourceError {
  const where = paths.length === 0 ? '' : ` below ${paths.join(', ')}`;
  return new SourceError(
    'source_not_found',
    `The context repository ${name} has no files${where}.`,
    'Check `agent.contextRepositories` of the project.',
  );
}

function tooLarge(name: string, what: string): GitError {
  return new GitError(
    'too_large',
    `The context repository ${name} is too large: ${what}. Set \`paths\` in \`agent.contextRepositories\`.`,
  );
}
