/** What previews and reviews of pull requests need from a forge; part of `Forge`. */

export interface ForgeReview {
  /** The account that writes comments; null if the credential has none, as access tokens of Bitbucket Cloud. */
  ownAccount(signal: AbortSignal): Promise<ForgeAccount | null>;
  /** Whether the account can push to the repository. Unknown accounts cannot. */
  canWrite(account: ForgeAccount, signal: AbortSignal): Promise<boolean>;
  readPr(number: number, signal: AbortSignal): Promise<PrFacts>;
  /** The paths before and after the change; bounded. */
  listChangedPaths(number: number, signal: AbortSignal): Promise<ChangedPaths>;
  /** Updates the comment of this account that begins with the marker, or creates it. */
  putComment(number: number, comment: MarkedComment, signal: AbortSignal): Promise<ForgeComment>;
  /**
   * Like `putComment`, as an answer in the thread of a comment. Where the forge has no threads for it, the answer is
   * a comment on the pull request.
   */
  replyTo(
    number: number,
    to: CommentReference,
    reply: MarkedComment,
    signal: AbortSignal,
  ): Promise<ForgeComment>;
  /** A repeated call updates the status with the same key of the commit. */
  putStatus(commit: string, status: CommitStatus, signal: AbortSignal): Promise<StatusResult>;
}

export interface ForgeAccount {
  /** Stays the same when the account is renamed; on Bitbucket Cloud the UUID in braces. */
  id: string;
  /** The name in mentions. */
  login: string;
}

export interface PrFacts {
  number: number;
  /** The web page; always http or https. */
  url: string;
  title: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  /** Branches, without `refs/heads/`. */
  head: string;
  base: string;
  headCommit: string;
  /** The tip of the base branch, or the fork point if the forge reports only that; null if it reports none. */
  baseCommit: string | null;
  /** The URL that git uses; null if the repository was deleted. */
  headRepository: string | null;
  /** Also true if the head repository was deleted. */
  isFork: boolean;
  /** Null for a deleted account. */
  author: ForgeAccount | null;
  /** Whether the head merges without conflicts; null while the forge has not computed it. */
  isMergeable: boolean | null;
}

export interface ChangedPaths {
  paths: string[];
  /** False if the forge lists more files than are read. */
  isComplete: boolean;
}

/**
 * The adapter writes the marker at the start of the body, where readers do not see it: as an HTML comment, on
 * Bitbucket, which shows those, as a link definition. A comment of another account with the marker is never changed.
 */
export interface MarkedComment {
  /** Such as `preview`; ASCII letters, digits and `.:/_-`. */
  marker: string;
  /** Markdown. Truncated to the limit of the forge. */
  body: string;
}

export interface CommentReference {
  /** `line`: on lines of a file. `review`: the text of a whole review. */
  kind: 'comment' | 'line' | 'review';
  id: string;
  /** The discussion on GitLab. */
  thread: string | null;
}

export interface ForgeComment {
  id: string;
  url: string | null;
}

export interface CommitStatus {
  /** Identifies the status of a commit, such as `docyard/preview`. */
  key: string;
  /** A forge without `neutral` shows `success`. */
  state: 'pending' | 'success' | 'failure' | 'neutral';
  title: string;
  /** One line; truncated to the limit of the forge. */
  description: string;
  targetUrl: string | null;
  annotations: readonly StatusAnnotation[];
}

export interface StatusAnnotation {
  /** Relative to the root of the repository. */
  path: string;
  startLine: number;
  level: 'notice' | 'warning' | 'failure';
  message: string;
}

export interface StatusResult {
  /** How many annotations the forge shows at the lines. */
  annotations: number;
  /** One for each part that the forge refused. */
  notes: string[];
}
