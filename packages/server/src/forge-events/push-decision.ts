/** Decides whether a push concerns the docs of a project. */
import type { EventDetails } from './payloads.ts';

export interface PushedEvent {
  ref: string | null;
  before: string | null;
  after: string | null;
  repository: string | null;
  details: EventDetails;
}

interface TrackedSource {
  repository: string;
  /** Null for the default branch. */
  ref: string | null;
  directory: string | null;
}

const branchPrefix = 'refs/heads/';

/** Why the push has no effect. Undefined when it has one, also when that is unknown. */
export function reasonToIgnore(event: PushedEvent, source: TrackedSource): string | undefined {
  const { ref, before, after, details } = event;
  if (ref === null || !ref.startsWith(branchPrefix)) return 'Only pushes to a branch start an export.';
  const branch = ref.slice(branchPrefix.length);
  if (after === null) return `The branch ${branch} was deleted.`;
  if (before === after) return 'The push changed nothing.';
  if (!details.repositoryUrls.some((url) => isSameRepository(url, source.repository))) {
    return `The push was to ${event.repository ?? 'another repository'}. The project has ${source.repository}.`;
  }
  const tracked = trackedBranch(source.ref, details.defaultBranch);
  if (tracked !== null && tracked !== branch) return `The project follows ${tracked}, not ${branch}.`;
  return isOutside(source.directory, details.changedPaths)
    ? `The push changed nothing below ${source.directory}.`
    : undefined;
}

/** Null when the default branch is unknown. */
function trackedBranch(ref: string | null, defaultBranch: string | null): string | null {
  if (ref === null || ref === 'HEAD') return defaultBranch;
  return ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : ref;
}

function isOutside(directory: string | null, changedPaths: string[] | null): boolean {
  if (directory === null || changedPaths === null) return false;
  return !changedPaths.some((path) => path.startsWith(`${directory}/`));
}

/** Forges report `https` and `ssh` addresses, with and without `.git`, or only project and name. */
function isSameRepository(reported: string, configured: string): boolean {
  const known = placeOf(configured);
  if (known === undefined) return false;
  const given = placeOf(reported);
  if (given !== undefined) return given === known;
  const path = withoutSuffix(reported);
  return path.includes('/') && known.endsWith(`/${path}`);
}

/** Host and path. Undefined for a local path. */
function placeOf(address: string): string | undefined {
  const [, sshHost, sshPath] = /^[\w.-]+@([\w.-]+):(?!\/\/)(.+)$/.exec(address) ?? [];
  if (sshHost !== undefined && sshPath !== undefined)
    return `${sshHost.toLowerCase()}/${withoutSuffix(sshPath)}`;
  const url = URL.parse(address);
  if (url === null || url.host === '') return undefined;
  // Bitbucket Data Center has `scm` only in http addresses.
  return `${url.hostname.toLowerCase()}/${withoutSuffix(url.pathname.replace(/^\/scm\//, '/'))}`;
}

function withoutSuffix(path: string): string {
  return path
    .toLowerCase()
    .split('/')
    .filter(Boolean)
    .join('/')
    .replace(/\.git$/, '');
}
