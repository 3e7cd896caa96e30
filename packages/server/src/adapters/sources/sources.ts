/** Fetches a source, or only some of its files: a commit over https, a commit of a local repository, or a local folder. */
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import type { PolicyFor } from '../../egress/rules.ts';
import { checkDirectory, checkRef, parseAddress, type Address } from '../../git/address.ts';
import { openRemote, type Remote } from '../../git/remote.ts';
import {
  SourceError,
  type BranchHead,
  type FetchedSource,
  type SourceChange,
  type SourceFiles,
  type SourceComplaint,
  type SourceRequest,
  type Sources,
} from '../../ports/sources.ts';
import { fetchCommit } from './git.ts';
import { readBranchHead } from './head.ts';
import { fetchHistory } from './history.ts';
import { readCommitChange } from './read-change.ts';
import { readCommitFiles, readFolderFiles } from './read-files.ts';

export class GitAndFolderSources implements Sources {
  readonly #policyFor: PolicyFor;

  constructor(policyFor: PolicyFor) {
    this.#policyFor = policyFor;
  }

  refuse(request: Omit<SourceRequest, 'commit' | 'credential'>): SourceComplaint | undefined {
    return (
      complaintAbout('ref', () => checkRef(request.ref)) ??
      complaintAbout('directory', () => checkDirectory(request.directory)) ??
      complaintAbout('repository', () => parseAddress(request))
    );
  }

  async readFiles(
    request: SourceRequest,
    { paths, maxBytes }: { paths: readonly string[]; maxBytes: number },
    { workFolder, signal }: { workFolder: string; signal: AbortSignal },
  ): Promise<SourceFiles> {
    const address = parseAddress(request);
    if (address.kind === 'folder') return readFolderFiles(address.path, paths, maxBytes);
    const remote = await this.#open(address, request);
    return readCommitFiles({ ...request, remote, paths, maxBytes, workFolder, signal });
  }

  async readChange(
    request: SourceRequest & { commit: string },
    { workFolder, signal }: { workFolder: string; signal: AbortSignal },
  ): Promise<SourceChange> {
    const address = parseAddress(request);
    if (address.kind === 'folder') throw new SourceError('source_not_found', 'A folder has no commits.');
    const remote = await this.#open(address, request);
    return readCommitChange({ remote, commit: request.commit, workFolder, signal });
  }

  #open(address: Exclude<Address, { kind: 'folder' }>, request: SourceRequest): Promise<Remote> {
    const { tenant, credential = null } = request;
    return openRemote(address, this.#policyFor('source', tenant), credential);
  }

  async fetch(request: SourceRequest, workFolder: string, signal: AbortSignal): Promise<FetchedSource> {
    const address = parseAddress(request);
    if (address.kind === 'folder') {
      const folder = await insideFolder(address.path, request.directory);
      return { folder, commit: null, committedAt: null, readHistory: null };
    }
    if (address.kind === 'local-git') await insideFolder(address.path, null);
    const { ref, directory } = request;
    const remote = await this.#open(address, request);
    const { tree, ...made } = await fetchCommit({ remote, ref, commit: request.commit, workFolder, signal });
    return {
      folder: await insideFolder(tree, directory),
      ...made,
      readHistory: () => fetchHistory({ remote, ref, directory, commit: made.commit, workFolder, signal }),
    };
  }

  async readHead(
    { credential = null, tenant, ...given }: Omit<SourceRequest, 'commit' | 'directory'>,
    signal: AbortSignal,
  ): Promise<BranchHead> {
    const address = parseAddress({ ...given, directory: null });
    if (address.kind === 'folder') {
      throw new SourceError(
        'source_refused',
        'A folder cannot be polled.',
        'Use the file:// URL of a git repository.',
      );
    }
    if (address.kind === 'local-git') await insideFolder(address.path, null);
    const remote = await openRemote(address, this.#policyFor('source', tenant), credential);
    return readBranchHead(remote, given.ref, signal);
  }
}

function complaintAbout(field: SourceComplaint['field'], check: () => unknown): SourceComplaint | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { message, hint } = error;
    return { field, message: hint === undefined ? message : `${message} ${hint}` };
  }
}

/** Refuses a link that leaves the source. */
async function insideFolder(root: string, directory: string | null): Promise<string> {
  const wanted = directory === null ? root : join(root, directory);
  const found = await lstat(wanted).catch(() => undefined);
  if (found === undefined || !(found.isDirectory() || found.isSymbolicLink())) {
    const what = directory === null ? `The folder ${root}` : `The folder ${directory} of the source`;
    throw new SourceError('source_not_found', `${what} does not exist.`, 'Check `source` of the project.');
  }
  const [realRoot, real] = await Promise.all([realpath(root), realpath(wanted)]);
  const path = relative(realRoot, real);
  if (path.startsWith('..') || isAbsolute(path)) {
    throw new SourceError('source_refused', `The folder ${directory} is outside the source.`);
  }
  return real;
}
