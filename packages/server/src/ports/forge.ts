/**
 * Pull requests on the host of a repository. A forge never merges, approves or closes one, and its errors contain no
 * secrets.
 */
import type { forgeKinds } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import type { ForgeReview } from './forge-review.ts';

/** `gitea` also stands for Forgejo; `bitbucket` is the cloud service; `bare` is git without pull requests. */
export type ForgeKind = (typeof forgeKinds)[number];

export type ForgeCredential =
  /** With a user name, the token is sent as that user's password where the forge requires it. */
  | { type: 'token'; token: string; username?: string | undefined }
  /** A GitHub App. The key is PEM; without an installation id, the installation is looked up. */
  | { type: 'app'; appId: string; privateKey: string; installationId?: string | undefined };

export interface ForgeSettings {
  kind: ForgeKind;
  /** The URL that git uses. */
  repository: string;
  /**
   * The URL of the API, such as `https://git.example.com/api/v3`; null for the default URL on the repository's host.
   */
  apiBase: string | null;
  /** `auto`, a namespace on the forge or the URL of a fork on the same host; branches are pushed there. */
  fork?: string | null;
  credential: ForgeCredential | null;
  /** Without a tenant, only hosts that are allowed for every organization can be reached. */
  tenant?: Tenant;
}

export interface Forges {
  /** Throws a ForgeError when the settings can never work. Does not connect. */
  open(settings: ForgeSettings): Forge;
  /**
   * Detects the forge by its host name, else by requests to it; `bare` for an unknown host. Throws a ForgeError when
   * the host does not answer, because treating it as `bare` would omit the pull request.
   */
  detect(repository: string, signal: AbortSignal, tenant?: Tenant): Promise<ForgeKind>;
}

/** Every call throws a ForgeError or the reason of the signal, nothing else. */
export interface Forge extends ForgeReview {
  readonly kind: ForgeKind;
  /**
   * The URL of the fork, null if branches are pushed to the repository itself. Creates the fork `auto` if it is missing and waits
   * until it is ready. The other calls need settings with the URL.
   */
  openFork(signal: AbortSignal): Promise<string | null>;
  /** Ignores closed and merged pull requests. */
  findPr(head: string, signal: AbortSignal): Promise<ForgePr | undefined>;
  /** Returns an existing open pull request unchanged. Undefined when the forge has no pull requests. */
  createPr(wanted: NewPr, signal: AbortSignal): Promise<ForgePr | undefined>;
  updatePr(number: number, change: PrChange, signal: AbortSignal): Promise<ForgePr>;
  prState(number: number, signal: AbortSignal): Promise<ForgePr>;
  /**
   * Adds what the forge supports (`forgeFields`). A refused part becomes a note and prevents no other part. A
   * repeated call changes nothing.
   */
  addDetails(number: number, details: PrDetails, signal: AbortSignal): Promise<string[]>;
  /** Null when the forge does not report it; git does. */
  defaultBranch(signal: AbortSignal): Promise<string | null>;
  /** Called just before git needs it, because tokens of an app are short-lived. Null without a credential. */
  gitCredential(signal: AbortSignal): Promise<GitCredential | null>;
}

export interface PrText {
  title: string;
  body: string;
}

export interface PrChange extends PrText {
  /** True converts it to a draft. Marking it ready is left to users. */
  draft?: boolean;
}

export interface NewPr extends PrText {
  head: string;
  base: string;
  draft: boolean;
}

/** Names as the forge knows them. */
export interface PrDetails {
  labels: readonly string[];
  reviewers: readonly string[];
  teams: readonly string[];
  assignees: readonly string[];
}

export interface ForgePr {
  number: number;
  /** The web page; always http or https. */
  url: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  head: string;
  base: string;
}

export interface GitCredential {
  /** The value of the Authorization header. */
  authorization: string;
  /** The plain secret in it, for masking output. */
  secret: string;
}

export type ForgeProblem =
  | 'auth'
  | 'not_found'
  | 'already_exists'
  | 'rate_limited'
  | 'unavailable'
  | 'rejected';

export class ForgeError extends Error {
  override name = 'ForgeError';
  readonly problem: ForgeProblem;
  readonly hint: string | undefined;
  /** Set when the forge reported how long to wait. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    problem: ForgeProblem,
    message: string,
    more: { hint?: string | undefined; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message);
    this.problem = problem;
    this.hint = more.hint;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
