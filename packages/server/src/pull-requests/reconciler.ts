/** Works on due pull requests, in any number of processes. */
import type { Context } from '../context.ts';
import { ForgeError } from '../ports/forge.ts';
import { isPostgres } from '../ports/database.ts';
import { ClaimLostError, claimDue, release, releaseAll, releaseUnchanged } from './claims.ts';
import type { PreviewParts } from './outcome.ts';
import { reconcile, StartRefusedError } from './reconcile.ts';
import type { PullRequestRecord } from './records.ts';

const maxConcurrent = 4;
/** Less than a claim lasts. */
const maxSeconds = 75;
const firstRetrySeconds = 30;
const maxRetrySeconds = 1800;
const maxAttempts = 10;

export class PullRequestReconciler {
  readonly #context: Context;
  readonly #parts: PreviewParts;
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, parts: PreviewParts, { pollSeconds = 1 } = {}) {
    this.#context = context;
    this.#parts = parts;
    this.#pollSeconds = pollSeconds;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Work in flight is aborted and due again at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The process stops.'));
    this.#wake();
    await this.#running;
  }

  /** Returns how many pull requests were due. */
  async processDue(): Promise<number> {
    const claimed = await claimDue(this.#context, maxConcurrent);
    await Promise.all(claimed.map((pull) => this.#reconcile(pull)));
    return claimed.length;
  }

  async #run(): Promise<void> {
    const context = this.#context;
    // With SQLite there is one process, so claims are those of a killed one.
    if (!isPostgres(context.database)) await releaseAll(context).catch(() => undefined);
    while (!this.#stopping.signal.aborted) {
      const count = await this.processDue().catch((error: unknown) => {
        context.log.warn({ err: error }, 'pull requests could not be read');
        return 0;
      });
      if (count < maxConcurrent) await this.#pause();
    }
  }

  async #reconcile(pull: PullRequestRecord): Promise<void> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(maxSeconds * 1000)]);
    try {
      await reconcile({ context: this.#context, parts: this.#parts, pull, signal });
    } catch (error) {
      await this.#settle(pull, error).catch((cause: unknown) => {
        // The claim expires.
        this.#context.log.warn(
          { err: cause, pullRequestId: pull.id },
          'a pull request could not be released',
        );
      });
    }
  }

  async #settle(pull: PullRequestRecord, error: unknown): Promise<void> {
    if (error instanceof ClaimLostError) return;
    if (this.#stopping.signal.aborted) return releaseUnchanged(this.#context, pull);
    const { reason, seconds, isAttempt } = explain(error, pull.attempts);
    if (!(error instanceof ForgeError || error instanceof StartRefusedError))
      this.#context.log.warn({ err: error, pullRequestId: pull.id }, 'a pull request could not be processed');
    const isLast = seconds === null || (isAttempt && pull.attempts + 1 >= maxAttempts);
    const next_at = new Date(this.#context.clock.now().getTime() + (seconds ?? 0) * 1000).toISOString();
    await release(this.#context, pull, {
      reason,
      attempts: pull.attempts + (isAttempt ? 1 : 0),
      ...(isLast ? { state: 'failed', next_at: null } : { next_at }),
    });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#pollSeconds * 1000);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#stopping.signal.aborted) this.#wake();
    });
  }
}

interface Explained {
  reason: string;
  /** Null if another attempt is useless. */
  seconds: number | null;
  isAttempt: boolean;
}

function explain(error: unknown, attempts: number): Explained {
  if (error instanceof StartRefusedError)
    return { reason: error.message, seconds: error.retryAfterSeconds, isAttempt: false };
  const seconds = Math.min(firstRetrySeconds * 2 ** attempts, maxRetrySeconds);
  if (error instanceof ForgeError) {
    const reason = [error.message, error.hint ?? ''].join(' ').trim();
    return { reason, seconds: Math.max(seconds, error.retryAfterSeconds ?? 0), isAttempt: true };
  }
  return { reason: 'An internal error occurred. See the log.', seconds, isAttempt: true };
}
