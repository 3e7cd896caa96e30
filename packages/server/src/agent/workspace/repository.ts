/**
 * The bare repository of a workspace. The tree is a separate folder, so nothing that an agent writes becomes
 * git configuration.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EgressPolicy } from '../../egress/addresses.ts';
import type { Address } from '../../git/address.ts';
import { openRemote, type Remote } from '../../git/remote.ts';
import { runGit, type GitCommand } from '../../git/run.ts';
import type { GitCredential } from '../../ports/forge.ts';

export interface Repository {
  readonly tree: string;
  /** The docs folder; null for the root of the repository. */
  readonly directory: string | null;
  /** A push to a fork may have to send files outside the docs folder. */
  readonly needsAllFiles: boolean;
  git(args: readonly string[], more?: GitOptions): Promise<Buffer>;
  /** Resolves the host again, so that each command connects to addresses that were just checked. */
  reach(credential: GitCredential | null): Promise<Remote>;
  /** The same for the repository that has the branch of the job. */
  reachHead(credential: GitCredential | null): Promise<Remote>;
}

/** The repository that has the branch of the job, as the remote of every command. */
export function headOf(repo: Repository): Repository {
  return { ...repo, reach: repo.reachHead };
}

export type GitOptions = Pick<GitCommand, 'remote' | 'input' | 'identity' | 'seconds' | 'outputBytes'>;

type RemoteAddress = Exclude<Address, { kind: 'folder' }>;

export interface RepositoryOptions {
  folder: string;
  address: RemoteAddress;
  /** Has the branch of the job, if it is not in the repository itself. */
  fork: RemoteAddress | null;
  directory: string | null;
  egress: EgressPolicy;
  signal: AbortSignal;
}

/**
 * Overrides `.gitattributes` of the repository, so that no file is converted and no author can hide a change
 * from the diff. `filter` stays: it has no effect without configuration and marks the files in Git LFS.
 */
const attributes = '* -text -ident !working-tree-encoding !diff\n';

export async function createRepository(options: RepositoryOptions): Promise<Repository> {
  const { folder, signal } = options;
  const repository = join(folder, 'repository.git');
  const tree = join(folder, 'tree');
  await rm(folder, { recursive: true, force: true });
  await mkdir(tree, { recursive: true, mode: 0o700 });
  await runGit(['init', '--quiet', '--bare', '--template=', '--', repository], { folder, signal });
  await mkdir(join(repository, 'info'), { recursive: true });
  await writeFile(join(repository, 'info', 'attributes'), attributes);
  return {
    tree,
    directory: options.directory,
    needsAllFiles: options.directory === null || options.fork !== null,
    git: (args, more = {}) => runGit(args, { folder: tree, repository, tree, signal, ...more }),
    reach: (credential) => openRemote(options.address, options.egress, credential),
    reachHead: (credential) => openRemote(options.fork ?? options.address, options.egress, credential),
  };
}

export interface TreeEntry {
  mode: string;
  type: string;
  oid: string;
  path: string;
}

export const modes = { link: '120000', submodule: '160000' } as const;
export const plainModes: ReadonlySet<string> = new Set(['100644', '100755']);

export function parseEntries(listing: Buffer): TreeEntry[] {
  return listing
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, mode, type, oid, path] = /^(\d+) (\w+) (\w+)\t([^]*)$/.exec(line) ?? [];
      return mode === undefined || type === undefined || oid === undefined || path === undefined
        ? []
        : [{ mode, type, oid, path }];
    });
}

export async function entryAt(repo: Repository, tree: string, path: string): Promise<TreeEntry | undefined> {
  return parseEntries(await repo.git(['ls-tree', '-z', tree, '--', path])).find((each) => each.path === path);
}
