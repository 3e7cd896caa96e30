/** The pull requests that the webhooks of every forge report. */

export type PullRequestAction = 'opened' | 'updated' | 'edited' | 'closed' | 'merged' | 'reopened';

export interface PullRequest {
  /** The `http(s)` address of the repository, ending with `.git`. */
  repository: string;
  number?: number;
  title?: string;
  body?: string;
  author?: string;
  draft?: boolean;
  headBranch?: string;
  headCommit: string;
  /** The address of the fork; null for a fork that was deleted. */
  fork?: string | null;
  baseBranch?: string;
  mergeCommit?: string;
}

interface Sending {
  secret: string;
  deliveryId?: string;
}

export interface PullRequestChange extends PullRequest, Sending {
  action: PullRequestAction;
  actor?: string;
}

export interface PullRequestComment extends PullRequest, Sending {
  comment: {
    id: number;
    body: string;
    author?: string;
    isBot?: boolean;
    path?: string;
    line?: number;
    /** Makes it a review. */
    review?: 'approved' | 'changes_requested' | 'commented';
  };
}

export interface Named {
  name: string;
  payload: object;
}

export type Whole<T extends PullRequest> = T &
  Required<Omit<PullRequest, 'mergeCommit'>> & { mergeCommit: string | null };

export function withDefaults<T extends PullRequest>(given: T): Whole<T> {
  return {
    number: 7,
    title: 'Describe the new flag',
    body: '',
    author: 'ada',
    draft: false,
    headBranch: 'topic',
    baseBranch: 'main',
    mergeCommit: null,
    ...given,
    fork: given.fork === undefined ? given.repository : given.fork,
  };
}

export type Change = Whole<PullRequestChange>;
export type Comment = Whole<PullRequestComment>;

export const isClosing = ({ action }: Change) => action === 'closed' || action === 'merged';
export const stateIn = <T>(change: Change | Comment, [open, closed, merged]: [T, T, T]): T => {
  if (!('action' in change) || !isClosing(change)) return open;
  return change.action === 'merged' ? merged : closed;
};

export type Json = Record<string, unknown>;
