import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EgressPolicy } from '../../egress/addresses.ts';
import { checkRef, parseAddress, type Address } from '../../git/address.ts';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import type { DiffFile, FileChange, Tree } from '../contract.ts';
import { fetchBase, fetchCommit, checkOut, checkOutTree, refusesSingleObjects, type Base } from './fetch.ts';
import { fetchTreeBehind, relate, type Relation } from './history.ts';
import { mergeInto, type Merge, type Merged } from './merge.ts';
import {
  addSignature,
  createCommit,
  pushCommit,
  readCommit,
  remoteBranch,
  type NewCommit,
  type Push,
} from './push.ts';
import {
  createRepository,
  entryAt,
  headOf,
  modes,
  parseEntries,
  type Repository,
  type TreeEntry,
} from './repository.ts';
import { compare, snapshot } from './snapshot.ts';
import { openTree } from './tree.ts';

export interface WorkspaceOptions {
  /** Used by this job only; emptied on open, removed by `close`. */
  folder: string;
  source: { repository: string; ref: string | null; directory: string | null; allowLocal: boolean };
  commit: string | null;
  /** The commit is on the branch of the job, which is in the fork if there is one. */
  isHead?: boolean | undefined;
  /** The URL of the fork that has the branches of jobs. */
  fork?: string | undefined;
  /** Merged into the commit; the merge becomes the base of the workspace. */
  merge?: Merge | undefined;
  /** For reading. Pushes pass a credential. */
  credential: GitCredential | null;
  egress: EgressPolicy;
  signal: AbortSignal;
}

/** Every method throws GitError, SourceError if the address is not allowed, or the reason of the signal. */
export interface Workspace {
  readonly base: Base;
  /** Paths in the repository that prevented the merge. The base is then the commit without it. */
  readonly conflicts: string[] | null;
  readonly tree: Tree;
  snapshot(): Promise<string>;
  /** Resets the files to the base, applies the changes and verifies the tree hash. */
  restore(changes: readonly FileChange[], expectedTree: string): Promise<void>;
  /** Compares with the base, or with an ancestor of it. */
  diff(since?: string): Promise<{ files: DiffFile[]; patch: string }>;
  /** Checks out an ancestor of the base while `work` runs. Changes must be restored afterwards. */
  checkOutDuring<T>(commit: string, work: () => Promise<T>): Promise<T>;
  /** Relates the branch that ends at `tip` and began at `start` to the base. */
  relate(tip: string, start: string): Promise<Relation>;
  commit(wanted: NewCommit): Promise<string>;
  readCommit(commit: string): Promise<string>;
  /** Resolves with the signed commit. */
  addSignature(commit: string, signature: string): Promise<string>;
  push(push: Push): Promise<void>;
  remoteBranch(branch: string, credential?: GitCredential | null): Promise<string | undefined>;
  /** Reads files of another ref; null is the default branch. */
  openRef(ref: string | null): Promise<RefFiles>;
  close(): Promise<void>;
}

/** Small text files of one commit, by their path in the repository. Links are not followed. */
export interface RefFiles {
  readonly commit: string;
  read(path: string): Promise<string | undefined>;
  /** The paths of all files below a folder. */
  list(folder: string): Promise<string[]>;
}

export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { folder, source, credential, egress, signal } = options;
  const address = parseAddress(source);
  const repo = await createRepository({
    folder,
    address: asRepository(address),
    fork:
      options.fork === undefined ? null : asRepository(parseAddress({ ...source, repository: options.fork })),
    directory: source.directory,
    egress,
    signal,
  });
  try {
    const wanted = { ref: source.ref, commit: options.commit, credential };
    const fetched = await fetchBase(repo, { ...wanted, isHead: options.isHead });
    const merged = options.merge && (await mergeInto(repo, fetched, options.merge, credential));
    const base = { ...fetched, ...merged?.result };
    const { submodules, links } = await checkOut(repo, base);
    const docsFolder = join(repo.tree, source.directory ?? '');
    const isPointer = (path: string) => isStoredInLfs(repo, path);
    const files = openTree({ folder: docsFolder, submodules, links, isPointer });
    return makeWorkspace(options, repo, { base, files, fetched, merged });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Changes can be proposed only to a repository, so a plain folder is treated as one. */
export function asRepository(address: Address): Exclude<Address, { kind: 'folder' }> {
  return address.kind === 'folder' ? { kind: 'local-git', path: address.path } : address;
}

interface Opened {
  base: Base;
  files: Tree;
  /** The commit of the remote repository. */
  fetched: Base;
  merged: Merged | undefined;
}

function makeWorkspace(options: WorkspaceOptions, repo: Repository, opened: Opened): Workspace {
  const { credential: defaultCredential } = options;
  const { base, files: tree, fetched, merged } = opened;
  const origin = options.isHead ? headOf(repo) : repo;
  const trees = new Map([[base.commit, base.tree], ...(merged?.trees ?? [])]);
  const treeBehind = async (commit: string): Promise<string> => {
    const known =
      trees.get(commit) ?? (await fetchTreeBehind(origin, fetched.commit, commit, defaultCredential));
    trees.set(commit, known);
    return known;
  };
  return {
    base,
    conflicts: merged?.conflicts ?? null,
    tree,
    snapshot: () => snapshot(repo, base.tree),
    async restore(changes, expectedTree) {
      await checkOutTree(repo, base.tree);
      await applyChanges(tree, changes);
      const made = await snapshot(repo, base.tree);
      if (made === expectedTree) return;
      throw new GitError('failed', `The restored tree is ${made}, but the journal recorded ${expectedTree}.`);
    },
    diff: async (since = base.commit) =>
      compare(repo, await treeBehind(since), await snapshot(repo, base.tree)),
    async checkOutDuring(commit, work) {
      if (commit === base.commit) return work();
      await checkOut(repo, { tree: await treeBehind(commit) });
      const seen = await work();
      await checkOutTree(repo, base.tree);
      return seen;
    },
    relate: (tip, start) => relate(repo, { tip, base: base.commit, start }, options),
    commit: (wanted) => createCommit(repo, wanted),
    readCommit: (commit) => readCommit(repo, commit),
    addSignature: (commit, signature) => addSignature(repo, commit, signature),
    push: (push) => pushCommit(repo, push),
    remoteBranch: (branch, credential = defaultCredential) => remoteBranch(repo, branch, credential),
    openRef: (ref) => openRef(repo, ref, defaultCredential),
    close: () => rm(options.folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The last change of each path wins. Removals run first, because a folder may replace a file. */
async function applyChanges(tree: Tree, changes: readonly FileChange[]): Promise<void> {
  const last = [...new Map(changes.map(({ path, content }) => [path, content]))];
  // Listing instead of reading: a removed file may be larger than the read limit.
  const present = new Set((await tree.list()).map(({ path }) => path));
  for (const [path, content] of last) {
    if (content === null && present.has(path)) await tree.remove(path);
  }
  for (const [path, content] of last) {
    if (content !== null) await tree.write(path, content);
  }
}

/** Follows `.gitattributes`, even if the file does not exist. */
async function isStoredInLfs(repo: Repository, path: string): Promise<boolean> {
  const full = repo.directory === null ? path : `${repo.directory}/${path}`;
  const answer = await repo.git(['check-attr', '--cached', '-z', 'filter', '--', full]);
  return answer.toString().split('\0')[2] === 'lfs';
}

const maxFileBytes = 1_000_000;

async function openRef(
  repo: Repository,
  ref: string | null,
  credential: GitCredential | null,
): Promise<RefFiles> {
  checkRef(ref);
  const commit = await fetchCommit(repo, ref ?? 'HEAD', { credential, files: 'none' });
  return {
    commit,
    async read(path) {
      const entry = await entryAt(repo, commit, path);
      if (entry === undefined || !isPlainFile(entry)) return undefined;
      // The partial clone fetches the file on demand.
      const remote = await repo.reach(credential);
      const read = () => repo.git(['cat-file', 'blob', entry.oid], { remote, outputBytes: maxFileBytes });
      const bytes = await read().catch(async (error: unknown) => {
        if (!refusesSingleObjects(error)) throw error;
        await fetchCommit(repo, ref ?? 'HEAD', { credential, files: 'all-again' });
        return read();
      });
      return bytes.toString();
    },
    async list(folder) {
      const entries = parseEntries(await repo.git(['ls-tree', '-r', '-z', commit, '--', `${folder}/`]));
      return entries.filter(isPlainFile).map(({ path }) => path);
    },
  };
}

function isPlainFile({ type, mode }: TreeEntry): boolean {
  return type === 'blob' && mode !== modes.link;
}
