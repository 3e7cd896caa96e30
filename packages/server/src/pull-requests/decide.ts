/** Decides what a pull request needs, from what the forge says now. */
import type { ProjectPullRequests } from '@docyard/api';
import type { ChangedPaths, PrFacts } from '../ports/forge-review.ts';
import type { PullRequestRecord } from './records.ts';

export type Decision =
  | { kind: 'build' }
  | { kind: 'approval' }
  | { kind: 'skip'; reason: string }
  /** Closed, merged or deleted. */
  | { kind: 'remove' };

export interface DecisionInput {
  /** Undefined if the forge has no such pull request. */
  facts: Pick<PrFacts, 'state' | 'isFork' | 'headCommit'> | undefined;
  known: Pick<PullRequestRecord, 'approved_commit'>;
  settings: Pick<ProjectPullRequests, 'enabled' | 'forks'>;
  directory: string | null;
  /** Null if they were not asked for. */
  changed: ChangedPaths | null;
}

export function decide({ facts, known, settings, directory, changed }: DecisionInput): Decision {
  if (facts === undefined || facts.state !== 'open') return { kind: 'remove' };
  if (!settings.enabled) return { kind: 'skip', reason: 'Previews are disabled for the project.' };
  if (isOutside(directory, changed)) {
    return { kind: 'skip', reason: `The pull request changes nothing below ${directory}.` };
  }
  if (!facts.isFork || settings.forks === 'build') return { kind: 'build' };
  if (settings.forks === 'off') return { kind: 'skip', reason: 'The project builds no forks.' };
  return known.approved_commit === facts.headCommit ? { kind: 'build' } : { kind: 'approval' };
}

function isOutside(directory: string | null, changed: ChangedPaths | null): boolean {
  if (directory === null || changed === null || !changed.isComplete) return false;
  return !changed.paths.some((path) => path.startsWith(`${directory}/`));
}
