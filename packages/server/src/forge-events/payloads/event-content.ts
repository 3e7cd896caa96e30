/** What is stored of an event, whichever forge sent it. */
import type { ForgeEvent } from '@docyard/api';

export interface PushDetails {
  /** Addresses of the repository, in every form that the forge reports. */
  repositoryUrls: string[];
  defaultBranch: string | null;
  /** Null when the list is missing or may be incomplete. */
  changedPaths: string[] | null;
}

export interface PullRequestDetails {
  /** Addresses of the repository that the pull request is for. */
  repositoryUrls: string[];
  action: 'opened' | 'updated' | 'edited' | 'review_requested' | 'reopened' | 'closed' | 'merged';
  pullRequest: PullRequestContent;
}

export interface PullRequestContent {
  number: number;
  url: string | null;
  title: string;
  /** Cut to a maximum length. */
  body: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  /** Null when the forge does not report the name. */
  author: string | null;
  headBranch: string;
  /** Bitbucket Cloud reports the first twelve digits. */
  headCommit: string;
  isFork: boolean;
  /** Empty when the fork was deleted. */
  headRepositoryUrls: string[];
  baseBranch: string;
  mergeCommit: string | null;
  reviewers: string[];
}

/** A comment, or a review with or without a text. */
export interface CommentDetails {
  repositoryUrls: string[];
  pullRequestNumber: number;
  comment: CommentContent;
}

export interface CommentContent {
  id: string;
  /** What a reply refers to. Null when replies are plain comments. */
  threadId: string | null;
  author: string | null;
  /** Stays the same when the account is renamed. */
  authorId: string | null;
  isBot: boolean;
  /** Cut to a maximum length. */
  body: string;
  url: string | null;
  /** The file and line that the comment is about. */
  path: string | null;
  line: number | null;
  /** Null for a comment outside a review. */
  reviewState: 'approved' | 'changes_requested' | 'commented' | null;
}

export type EventDetails = PushDetails | PullRequestDetails | CommentDetails;

export interface EventContent {
  kind: ForgeEvent['kind'];
  /** The pushed ref, or the branch of a pull request. */
  ref: string | null;
  /** Null for a new branch. */
  before: string | null;
  /** Null for a deleted branch. */
  after: string | null;
  repository: string | null;
  actor: string | null;
  details: EventDetails | null;
  /** Set when there is nothing to do. */
  ignoredBecause: string | null;
}

/** Null for a change without an effect, such as a new label. */
export type ReadContent = EventContent[] | null;
