/**
 * The host of a repository as a place for pull requests: find, open and update one, and lend what a push needs. It never
 * merges, approves or closes, and no error of it holds a secret.
 */
import type { forgeKinds } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';

/** `gitea` also stands for Forgejo; `bitbucket` is the cloud service; `bare` is git without pull requests. */
export type ForgeKind = (typeof forgeKinds)[number];

export type ForgeCredential =
  /** With a user name the token is that person's and is sent as a password where the forge wants it so. */
  | { type: 'token'; token: string; username?: string | undefined }
  /** A GitHub App. The key is PEM; the installation is looked up when it is not given. */
  | { type: 'app'; appId: string; privateKey: string; installationId?: string | undefined };

export interface ForgeSettings {
  kind: ForgeKind;
  /** The address of the repository, as git is given it. */
  repository: string;
  /** Where the API is, such as `https://git.example.com/api/v3`; null for the usual place on the repository's host. */
  apiBase: string | null;
  /** Null when the repository needs none. */
  credential: ForgeCredential | null;
  /** On whose behalf; without it only hosts that are allowed for everybody are reached. */
  tenant?: Tenant;
}

/** Held by the context, because features know no adapter. */
export interface Forges {
  /** Throws a ForgeError when the settings can never work; connects to nothing. */
  open(settings: ForgeSettings): Forge;
  /**
   * What kind of forge this repository is on, by its host, else by asking it; `bare` when it is none that is known.
   * Throws a ForgeError when the host cannot be asked: not to know is no reason to leave out the pull request.
   */
  detect(repository: string, signal: AbortSignal, tenant?: Tenant): Promise<ForgeKind>;
}

/** Every call throws a ForgeError only, or the reason of the signal. */
export interface Forge {
  readonly kind: ForgeKind;
  /** The open pull request of this branch. A closed or merged one does not count. */
  findPr(head: string, signal: AbortSignal): Promise<ForgePr | undefined>;
  /** Gives the open one when there is one already, as it is. Undefined when the forge has no pull requests. */
  createPr(wanted: NewPr, signal: AbortSignal): Promise<ForgePr | undefined>;
  updatePr(number: number, change: PrChange, signal: AbortSignal): Promise<ForgePr>;
  prState(number: number, signal: AbortSignal): Promise<ForgePr>;
  /** Null when the forge cannot tell; git can. */
  defaultBranch(signal: AbortSignal): Promise<string | null>;
  /** Asked for just before git needs it. Null when none is set. */
  gitCredential(signal: AbortSignal): Promise<GitCredential | null>;
}

export interface PrText {
  title: string;
  body: string;
}

export interface PrChange extends PrText {
  /** True makes a draft of it. Nothing here makes one ready: that is for people. */
  draft?: boolean;
}

export interface NewPr extends PrText {
  head: string;
  base: string;
  draft: boolean;
}

export interface ForgePr {
  number: number;
  /** The page for people; always http or https. */
  url: string;
  state: 'open' | 'closed' | 'merged';
  draft: boolean;
  head: string;
  base: string;
}

export interface GitCredential {
  /** The value of the Authorization header. */
  authorization: string;
  /** The secret in it, in plain, for whoever masks output. */
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
  /** When the forge said how long to wait. */
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
