/** Where the head commit of a pull request is fetched. */
import type { ForgeKind } from '../ports/forge.ts';
import type { PrFacts } from '../ports/forge-review.ts';

export interface HeadSource {
  repository: string;
  ref: string;
  /** Fetched even if the ref has moved on. */
  commit: string;
  /** The branch of a stranger. */
  isFork: boolean;
  /** Whether the credential of the project is used. It is never sent to the repository of a fork. */
  isAnonymous: boolean;
}

/** The refs that forges keep in the repository that a pull request is for. */
const refsOf: Readonly<Record<ForgeKind, ((number: number) => string) | null>> = {
  github: (number) => `refs/pull/${number}/head`,
  gitea: (number) => `refs/pull/${number}/head`,
  gitlab: (number) => `refs/merge-requests/${number}/head`,
  'bitbucket-data-center': (number) => `refs/pull-requests/${number}/from`,
  bitbucket: null,
  bare: null,
};

/** Null if the repository of a fork was deleted. */
export function headSource(
  kind: ForgeKind,
  { number, head, headCommit: commit, headRepository, isFork }: PrFacts,
  repository: string,
): HeadSource | null {
  if (!isFork) return { repository, ref: head, commit, isFork, isAnonymous: false };
  const ref = refsOf[kind]?.(number);
  if (ref !== undefined) return { repository, ref, commit, isFork, isAnonymous: false };
  if (headRepository === null) return null;
  return { repository: headRepository, ref: head, commit, isFork, isAnonymous: true };
}
