/** Decides which automations an event starts. Nothing here reads a database or a repository. */
import type { AutomationDefinition } from '@docyard/api';
import { isSameRepository } from '../forge-events/repository-address.ts';
import { matchesPattern } from '../path-pattern.ts';
import type { EventDetails } from './events.ts';
import { triggerOf, type TriggerKind } from './template.ts';

/** `unrelated` events leave no run. */
export type Decision = 'run' | 'unrelated' | { skippedBecause: string };

interface Occurrence {
  kind: TriggerKind;
  details: EventDetails;
}

const defaultMinNewErrors = 1;

export function decide(
  automation: AutomationDefinition,
  { kind, details }: Occurrence,
  docsRepository: string,
): Decision {
  if (triggerOf(automation) !== kind) return 'unrelated';
  const { merged, failedCheck } = automation.on;
  if (merged !== undefined && details.change !== undefined) {
    return decideMerged(merged, details.change, docsRepository);
  }
  if (failedCheck !== undefined) {
    const { minNewErrors = defaultMinNewErrors } = failedCheck;
    const found = details.newErrors ?? 0;
    if (found >= minNewErrors) return 'run';
    return { skippedBecause: `The export has ${found} new errors, fewer than ${minNewErrors}.` };
  }
  return 'run';
}

function decideMerged(
  { repository, branch, paths }: NonNullable<AutomationDefinition['on']['merged']>,
  change: NonNullable<EventDetails['change']>,
  docsRepository: string,
): Decision {
  const configured = repositoryUrl(repository, docsRepository);
  if (!change.repositoryUrls.some((url) => isSameRepository(url, configured))) return 'unrelated';
  if (branch !== undefined && branch !== change.branch) {
    return { skippedBecause: `The pull request was merged into ${change.branch}, not ${branch}.` };
  }
  const { changedPaths = null } = change;
  if (paths === undefined || changedPaths === null) return 'run';
  const isInside = changedPaths.some((path) => paths.some((pattern) => matchesPattern(pattern, path)));
  return isInside ? 'run' : { skippedBecause: `The pull request changed nothing in ${paths.join(', ')}.` };
}

/** The pages with enough negative votes, which the patterns name. */
export function exceedingPages(
  { minNegative, paths }: NonNullable<AutomationDefinition['on']['feedback']>,
  counts: readonly (readonly [path: string, count: number])[],
): string[] {
  const isNamed = (path: string): boolean =>
    paths === undefined || paths.some((each) => matchesPattern(each, path.replace(/^\//, '')));
  return counts.filter(([path, count]) => count >= minNegative && isNamed(path)).map(([path]) => path);
}

/** A path is on the host of the docs. */
export function repositoryUrl(repository: string, docsRepository: string): string {
  if (URL.canParse(repository)) return repository;
  const docs = URL.parse(docsRepository);
  return docs === null || docs.host === ''
    ? `https://unknown.invalid/${repository}`
    : `${docs.origin}/${repository}`;
}

/** The files of a diff that the patterns name. */
export function narrowPatch(patch: string, patterns: readonly string[] | undefined): string {
  if (patterns === undefined) return patch;
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => {
      const paths = [...part.matchAll(/^(?:---|\+\+\+) [ab]\/(.+)$/gm)].map(([, path]) => path ?? '');
      return paths.some((path) => patterns.some((pattern) => matchesPattern(pattern, path)));
    })
    .join('');
}
