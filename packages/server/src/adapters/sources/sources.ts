/** Fetches a source: a commit over https, a commit of a local repository, or a local folder. */
import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import type { PolicyFor } from '../../egress/rules.ts';
import { checkDirectory, checkRef, parseAddress } from '../../git/address.ts';
import { openRemote } from '../../git/remote.ts';
import {
  SourceError,
  type BranchHead,
  type FetchedSource,
  type SourceComplaint,
  type SourceRequest,
  type Sources,
} from '../../ports/sources.ts';
import { fetchCommit } from './git.ts';
import { readBranchHead } from './head.ts';
import { fetchHistory } from './history.ts';

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

  async fetch(request: SourceRequest, workFolder: string, signal: AbortSignal): Promise<FetchedSource> {
    const address = parseAddress(request);
    if (address.kind === 'folder') {
      const folder = await insideFolder(address.path, request.directory);
      return { folder, commit: null, committedAt: null, readHistory: null };
    }
    if (address.kind === 'local-git') await insideFolder(address.path, null);
    const { ref, directory, credential = null } = request;
    const remote = await openRemote(address, this.#policyFor('source', request.tenant), credential);
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
