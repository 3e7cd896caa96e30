/**
 * The place where one agent job works: a bare repository, and beside it the files of the docs folder at one commit. It
 * knows git and nothing of models, jobs or pull requests; whoever opens it closes it.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { EgressPolicy } from '../../egress/addresses.ts';
import { checkRef, parseAddress } from '../../git/address.ts';
import { GitError } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';
import type { DiffFile, FileChange, Tree } from '../contract.ts';
import { fetchBase, fetchCommit, layOut, layOutAgain, refusesSingleFiles, type Base } from './fetch.ts';
import { fetchTreeBehind, findForkPoint } from './history.ts';
import { makeCommit, pushCommit, remoteBranch, type NewCommit, type Push } from './publish.ts';
import { createRepository, entryAt, modes, type Repository } from './repository.ts';
import { compare, snapshot } from './snapshot.ts';
import { openTree } from './tree.ts';

export interface WorkspaceOptions {
  /** Of this job alone. It is emptied now, and gone after `close`. */
  folder: string;
  source: { repository: string; ref: string | null; directory: string | null; allowLocal: boolean };
  /** The commit an earlier attempt pinned; the same one is fetched again. */
  commit: string | null;
  /** For reading. Pushes bring their own. */
  credential: GitCredential | null;
  egress: EgressPolicy;
  signal: AbortSignal;
}

/** Every call throws a GitError, a SourceError when the address may not be reached, or the reason of the signal. */
export interface Workspace {
  readonly base: Base;
  readonly tree: Tree;
  /** The name of the git tree that the files make now; a change of one byte is another name. */
  snapshot(): Promise<string>;
  /** Makes the files those of the base with these changes, and proves it by the name of the tree. */
  restore(changes: readonly FileChange[], expectedTree: string): Promise<void>;
  /** What is different now from the base, or from a commit behind it. */
  diff(since?: string): Promise<{ files: DiffFile[]; patch: string }>;
  /** Shows the files of a commit behind the base for as long as `work` takes; what was changed must be restored after. */
  lookBack<T>(commit: string, work: () => Promise<T>): Promise<T>;
  /** Where another branch, which ends with this commit, left that of the base; undefined when that was long ago. */
  forkPoint(tip: string): Promise<string | undefined>;
  commit(wanted: NewCommit): Promise<string>;
  push(push: Push): Promise<void>;
  /** The commit of a branch of the remote repository as it is now. */
  remoteBranch(branch: string, credential?: GitCredential | null): Promise<string | undefined>;
  /** A small text file of another ref (null for the default branch), by its path in the repository, and its commit. */
  fileAt(ref: string | null, path: string): Promise<{ commit: string; content: string | undefined }>;
  close(): Promise<void>;
}

export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { folder, source, credential, egress, signal } = options;
  const address = parseAddress(source);
  const repo = await createRepository({
    folder,
    // Changes can be proposed to a repository only, so a plain folder is taken for one.
    address: address.kind === 'folder' ? { kind: 'local-git', path: address.path } : address,
    directory: source.directory,
    egress,
    signal,
  });
  try {
    const base = await fetchBase(repo, { ref: source.ref, commit: options.commit, credential });
    const { submodules, links } = await layOut(repo, base);
    const docsFolder = join(repo.tree, source.directory ?? '');
    const isPointer = (path: string) => isKeptInLfs(repo, path);
    return makeWorkspace(options, repo, base, openTree({ folder: docsFolder, submodules, links, isPointer }));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function makeWorkspace(options: WorkspaceOptions, repo: Repository, base: Base, tree: Tree): Workspace {
  const { credential: usual } = options;
  const trees = new Map([[base.commit, base.tree]]);
  const treeBehind = async (commit: string): Promise<string> => {
    const known = trees.get(commit) ?? (await fetchTreeBehind(repo, base.commit, commit, usual));
    trees.set(commit, known);
    return known;
  };
  return {
    base,
    tree,
    snapshot: () => snapshot(repo, base.tree),
    async restore(changes, expectedTree) {
      await layOutAgain(repo, base.tree);
      await applyChanges(tree, changes);
      const made = await snapshot(repo, base.tree);
      if (made === expectedTree) return;
      throw new GitError('failed', `The files came out as ${made}, but ${expectedTree} was recorded.`);
    },
    diff: async (since = base.commit) =>
      compare(repo, await treeBehind(since), await snapshot(repo, base.tree)),
    async lookBack(commit, work) {
      if (commit === base.commit) return work();
      await layOut(repo, { tree: await treeBehind(commit) });
      const seen = await work();
      await layOutAgain(repo, base.tree);
      return seen;
    },
    forkPoint: (tip) => findForkPoint(repo, [tip, base.commit], options),
    commit: (wanted) => makeCommit(repo, wanted),
    push: (push) => pushCommit(repo, push),
    remoteBranch: (branch, credential = usual) => remoteBranch(repo, branch, credential),
    fileAt: (ref, path) => fileAt(repo, ref, path, usual),
    close: () => rm(options.folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The last word on each path counts. Removals come first, because a folder may have taken the place of a file. */
async function applyChanges(tree: Tree, changes: readonly FileChange[]): Promise<void> {
  const last = [...new Map(changes.map(({ path, content }) => [path, content]))];
  // Not by reading: what was removed may be a film that no tool could read.
  const present = new Set((await tree.list()).map(({ path }) => path));
  for (const [path, content] of last) {
    if (content === null && present.has(path)) await tree.remove(path);
  }
  for (const [path, content] of last) {
    if (content !== null) await tree.write(path, content);
  }
}

/** What `.gitattributes` of the repository says of a path, whether or not the file is there. */
async function isKeptInLfs(repo: Repository, path: string): Promise<boolean> {
  const full = repo.directory === null ? path : `${repo.directory}/${path}`;
  const answer = await repo.git(['check-attr', '--cached', '-z', 'filter', '--', full]);
  return answer.toString().split('\0')[2] === 'lfs';
}

const mostFileBytes = 1_000_000;

async function fileAt(
  repo: Repository,
  ref: string | null,
  path: string,
  credential: GitCredential | null,
): Promise<{ commit: string; content: string | undefined }> {
  checkRef(ref);
  const commit = await fetchCommit(repo, ref ?? 'HEAD', { credential, files: 'none' });
  const entry = await entryAt(repo, commit, path);
  if (entry?.type !== 'blob' || entry.mode === modes.link) return { commit, content: undefined };
  // The file itself was not sent along; git asks for it when it is read.
  const remote = await repo.reach(credential);
  const read = () => repo.git(['cat-file', 'blob', entry.oid], { remote, outputBytes: mostFileBytes });
  const bytes = await read().catch(async (error: unknown) => {
    if (!refusesSingleFiles(error)) throw error;
    await fetchCommit(repo, ref ?? 'HEAD', { credential, files: 'all-again' });
    return read();
  });
  return { commit, content: bytes.toString() };
}
