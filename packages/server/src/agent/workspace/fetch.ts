/**
 * Fetches one commit without history or tags, of a large repository only the docs files, and checks them out
 * after counting them.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import { SourceError } from '../../ports/sources.ts';
import { entryAt, headOf, modes, parseEntries, type Repository, type TreeEntry } from './repository.ts';

const maxFiles = 100_000;
const maxBytes = 2_000_000_000;

export interface Base {
  commit: string;
  tree: string;
  /** The target of the change; null if no ref was given and the repository has no default branch. */
  branch: string | null;
}

export interface Wanted {
  ref: string | null;
  commit: string | null;
  credential: GitCredential | null;
  /** The commit is on the branch of the job. */
  isHead?: boolean | undefined;
}

export async function fetchBase(repo: Repository, wanted: Wanted): Promise<Base> {
  const { credential } = wanted;
  const { branch, name } = await branchOf(repo, wanted);
  const origin = wanted.isHead ? headOf(repo) : repo;
  return { ...(await fetchTree(origin, wanted.commit ?? name, credential)), branch };
}

export async function fetchTree(
  repo: Repository,
  ref: string,
  credential: GitCredential | null,
): Promise<Pick<Base, 'commit' | 'tree'>> {
  // If all files are needed, a filter would only cost a second request.
  const files = repo.needsAllFiles ? 'all' : 'none';
  const commit = await fetchCommit(repo, ref, { credential, files });
  const tree = await treeOf(repo, commit);
  await fetchDocs(repo, tree, credential).catch(async (error: unknown) => {
    if (!refusesSingleObjects(error)) throw error;
    await fetchCommit(repo, ref, { credential, files: 'all-again' });
  });
  return { commit, tree };
}

export async function treeOf(repo: Repository, commit: string): Promise<string> {
  return String(await repo.git(['rev-parse', '--verify', `${commit}^{tree}`])).trim();
}

/** Protocol v0 servers refuse single objects unless they are the tip of a branch. */
export function refusesSingleObjects(error: unknown): boolean {
  return error instanceof GitError && error.problem === 'ref_not_found';
}

const filters = {
  none: ['--filter=blob:none'],
  all: [],
  'all-again': ['--refetch', '--no-filter'],
};

/** Servers without filter support send all files. */
export async function fetchCommit(
  repo: Repository,
  ref: string,
  { credential, files }: { credential: GitCredential | null; files: keyof typeof filters },
): Promise<string> {
  const remote = await repo.reach(credential);
  const args = ['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', ...filters[files]];
  await repo.git([...args, '--', remote.url, ref], { remote });
  return String(await repo.git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'])).trim();
}

/** One request for all missing files; git would otherwise fetch each file separately. */
async function fetchDocs(
  repo: Repository,
  baseTree: string,
  credential: GitCredential | null,
): Promise<void> {
  const docs = await docsTree(repo, baseTree);
  const listing = await repo.git(['rev-list', '--objects', '--missing=print', '--no-object-names', docs]);
  const missing = [...listing.toString().matchAll(/^\?(\w+)$/gm)].map(([, oid]) => oid);
  if (missing.length === 0) return;
  const attributes = await attributesAbove(repo, baseTree);
  missing.push(...attributes.map(({ oid }) => oid));
  await fetchBlobs(repo, missing, credential);
}

export async function fetchBlobs(
  repo: Repository,
  oids: readonly (string | undefined)[],
  credential: GitCredential | null,
): Promise<void> {
  if (oids.length === 0) return;
  const remote = await repo.reach(credential);
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  await repo.git([...args, '--filter=blob:none', '--stdin', '--', remote.url], {
    remote,
    input: `${oids.join('\n')}\n`,
  });
}

async function branchOf(repo: Repository, wanted: Wanted): Promise<{ branch: string | null; name: string }> {
  const remote = await repo.reach(wanted.credential);
  const short = wanted.ref?.replace(/^refs\/heads\//, '') ?? null;
  const full = `refs/heads/${short}`;
  const patterns = short === null ? ['HEAD'] : ['HEAD', full];
  const lines = String(await repo.git(['ls-remote', '--symref', '--', remote.url, ...patterns], { remote }));
  if (short !== null && lines.split('\n').some((line) => line.endsWith(`\t${full}`))) {
    return { branch: short, name: full };
  }
  const [, standard = null] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(lines) ?? [];
  return { branch: standard, name: wanted.ref ?? 'HEAD' };
}

export interface CheckedOut {
  submodules: Set<string>;
  links: Set<string>;
}

/** Checks out the docs of a commit. Uses no network. */
export async function checkOut(repo: Repository, base: Pick<Base, 'tree'>): Promise<CheckedOut> {
  const docs = await docsTree(repo, base.tree);
  const entries = parseEntries(await repo.git(['ls-tree', '-r', '-z', docs]));
  if (entries.length > maxFiles) throw tooLarge(`${entries.length} files`);
  await refuseHugeFiles(repo, entries);
  await checkOutTree(repo, base.tree);
  const pathsOf = (mode: string) =>
    new Set(entries.filter((each) => each.mode === mode).map(({ path }) => path));
  return { submodules: pathsOf(modes.submodule), links: pathsOf(modes.link) };
}

export async function checkOutTree(repo: Repository, baseTree: string): Promise<void> {
  for (const name of await readdir(repo.tree))
    await rm(join(repo.tree, name), { recursive: true, force: true });
  const docs = await docsTree(repo, baseTree);
  await repo.git(['read-tree', '--empty']);
  const prefix = repo.directory === null ? [] : [`--prefix=${repo.directory}/`];
  await repo.git(['read-tree', ...prefix, docs]);
  const attributes = await attributesAbove(repo, baseTree);
  const lines = attributes.map(({ mode, oid, path }) => `${mode} ${oid}\t${path}\0`);
  await repo.git(['update-index', '-z', '--index-info'], { input: lines.join('') });
  await repo.git(['checkout-index', '--all', '--index', '--force', '--quiet']);
  if (repo.directory !== null) await mkdir(join(repo.tree, repo.directory), { recursive: true });
}

async function docsTree(repo: Repository, baseTree: string): Promise<string> {
  if (repo.directory === null) return baseTree;
  const entry = await entryAt(repo, baseTree, repo.directory);
  if (entry?.type === 'tree') return entry.oid;
  throw new SourceError(
    'source_not_found',
    `The folder ${repo.directory} of the source does not exist.`,
    'Check `source` of the project.',
  );
}

/** `.gitattributes` above the docs folder decide which of its files are in Git LFS. */
async function attributesAbove(repo: Repository, baseTree: string): Promise<TreeEntry[]> {
  const names = repo.directory?.split('/') ?? [];
  const paths = names.map((_, index) => [...names.slice(0, index), '.gitattributes'].join('/'));
  const found = await Promise.all(paths.map((path) => entryAt(repo, baseTree, path)));
  return found.filter((entry) => entry?.type === 'blob' && entry.mode !== modes.link) as TreeEntry[];
}

/** A small pack can expand to any size. */
async function refuseHugeFiles(repo: Repository, entries: TreeEntry[]): Promise<void> {
  const blobs = entries.filter(({ type }) => type === 'blob').map(({ oid }) => oid);
  const sizes = await repo.git(['cat-file', '--batch-check=%(objectsize)'], { input: blobs.join('\n') });
  const bytes = String(sizes)
    .split('\n')
    .reduce((sum, size) => sum + (Number(size) || 0), 0);
  if (bytes > maxBytes) throw tooLarge(`${bytes} bytes`);
}

function tooLarge(what: string): GitError {
  return new GitError('too_large', `The docs folder is too large: ${what}.`);
}
