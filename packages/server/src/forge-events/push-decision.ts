/** Decides whether a push concerns the docs of a project. */
import type { PushDetails } from './payloads/event-content.ts';
import { isSameRepository } from './repository-address.ts';

export interface PushedEvent {
  ref: string | null;
  before: string | null;
  after: string | null;
  repository: string | null;
  details: PushDetails;
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
