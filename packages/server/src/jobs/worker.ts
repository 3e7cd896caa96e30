/**
 * Claims delivered jobs and runs each with the runner of its kind. Every attempt ends with the row completed,
 * failed or queued again.
 */
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { jobKinds, type Delivered, type JobKind } from '../ports/queue.ts';
import { JobFailedError } from './failure.ts';
import { observeAttempt, type SettledOutcome } from './job-metrics.ts';
import {
  decide,
  endingOf,
  isStorageUnavailable,
  persistWaitSeconds,
  reconcileEverySeconds,
  type Ending,
  type StopReason,
} from './retry-policy.ts';
import * as store from './store.ts';
import { enqueueJob } from './transitions.ts';

export interface RunnerInput {
  job: store.Job;
  /** Aborted with a `JobStoppedError` when the job is canceled, times out, or the worker stops. */
  signal: AbortSignal;
  log: Logger;
  report(progress: store.Progress): Promise<void>;
  /** Repeats idempotent work until the storage is available again. */
  retryOnStorage<T>(work: () => Promise<T>): Promise<T>;
}

export interface Outcome {
  result: unknown;
  pageCount: number;
  bundleBytes?: number;
}

/** Throws a JobFailedError to fail the job with a reason; any other error is reported as `internal`. */
export type Runner = (context: Context, input: RunnerInput) => Promise<Outcome>;
export type Runners = Record<JobKind, Runner>;

/** The reason of an aborted signal. Only after `stopping` does another worker continue the job. */
export class JobStoppedError extends Error {
  override name = 'AbortError';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The job was stopped (${reason}).`);
    this.reason = reason;
  }
}

const cancelCheckSeconds = 1;
const maxAgentSeconds = 4 * 3600;

interface Attempt {
  stop(): void;
  ended: Promise<void>;
}

export class Worker {
  readonly #context: Context;
  readonly #runners: Runners;
  readonly #afterJob: () => void;
  readonly #stops = new Set<(reason: StopReason) => void>();
  readonly #attempts = new Map<string, Attempt>();
  #reconcileTimer: NodeJS.Timeout | undefined;
  #stopping = false;

  /** `afterJob` is called whenever a job has ended. */
  constructor(context: Context, runners: Runners, afterJob: () => void = () => {}) {
    this.#context = context;
    this.#runners = runners;
    this.#afterJob = afterJob;
  }

  /** Recovers jobs of a lost process, fills the queue from the rows, and starts to consume. */
  async start(): Promise<void> {
    const { queue, config, log } = this.#context;
    await this.#reconcile();
    const concurrency = { export: config.exportConcurrency, agent: config.agentConcurrency };
    for (const kind of jobKinds) {
      await queue.consume(kind, concurrency[kind], (delivery) => this.#handle(delivery));
    }
    const reconcile = () => {
      this.#reconcile().catch((error: unknown) => log.warn({ err: error }, 'jobs could not be reconciled'));
    };
    this.#reconcileTimer = setInterval(reconcile, reconcileEverySeconds * 1000);
  }

  /** Reconciles queue and rows: a running job without a delivery is lost, a queued one is enqueued again. */
  async #reconcile(): Promise<void> {
    const { database, queue } = this.#context;
    const open = await database
      .selectFrom('jobs')
      .selectAll()
      .where('status', 'in', ['queued', 'running'])
      .orderBy('sequence')
      .execute();
    const held = await queue.held(open.map(({ id }) => id));
    for (const job of open) {
      if (held.has(job.id) || this.#stopping) continue;
      if (job.status === 'running') await this.#settleUnattended(job, 'worker_lost');
      else await enqueueJob(this.#context, job);
    }
  }

  /** Returns running jobs to the queue. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#reconcileTimer);
    for (const stop of this.#stops) stop('stopping');
    await this.#context.queue.stop();
  }

  async #handle(delivery: Delivered): Promise<void> {
    const { jobId, attempt } = delivery;
    try {
      await this.#endEarlierAttempt(jobId);
      const job = await this.#persist(() => store.claimJob(this.#context, jobId, attempt));
      if (job === undefined) {
        if (delivery.isRedelivery) await this.#persist(() => this.#settleRedelivered(delivery));
      } else if (job.cancel_requested_at === null) {
        await this.#run(job);
      } else {
        await this.#persist(() => this.#settleUnattended(job, 'canceled'));
      }
    } catch (error) {
      this.#context.log.error({ err: error, jobId }, 'job could not be settled');
    }
  }

  /**
   * The queue considered this worker lost and delivers its job again. Two attempts must not share a work
   * folder.
   */
  async #endEarlierAttempt(jobId: string): Promise<void> {
    const earlier = this.#attempts.get(jobId);
    earlier?.stop();
    await earlier?.ended;
  }

  /** The previous holder of this delivery is gone. A row that is still running was not settled. */
  async #settleRedelivered({ jobId, attempt }: Delivered): Promise<void> {
    const job = await this.#context.database
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', jobId)
      .where('status', '=', 'running')
      .where('attempt', '=', attempt + 1)
      .executeTakeFirst();
    if (job !== undefined) await this.#settleUnattended(job, 'worker_lost');
  }

  async #run(job: store.Job): Promise<void> {
    const log = this.#logOf(job);
    const controller = new AbortController();
    let reason: StopReason | undefined;
    const stop = (given: StopReason) => {
      reason ??= given;
      controller.abort(new JobStoppedError(given));
    };
    const release = this.#watch(job, stop);
    const ended = Promise.withResolvers<void>();
    this.#attempts.set(job.id, { stop: () => stop('stopping'), ended: ended.promise });
    const observed = observeAttempt(this.#context, job);
    try {
      const runner = this.#runners[job.kind as JobKind];
      log.info('job started');
      const outcome = await runner(this.#context, {
        job,
        signal: controller.signal,
        log,
        report: (progress) => {
          observed.phase(progress.phase);
          return this.#report(job, progress, stop, log);
        },
        retryOnStorage: (work) => this.#persist(work),
      });
      const completed = await this.#persist(() => store.completeJob(this.#context, job, outcome));
      if (completed === undefined) {
        reason = 'canceled';
        throw new Error('The job was canceled before its result was written.');
      }
      const { pageCount: pages, bundleBytes } = outcome;
      observed.ended('completed', { pages, ...(bundleBytes === undefined ? {} : { bundleBytes }) });
      log.info({ pageCount: pages }, 'job completed');
    } catch (error) {
      const ending = endingOf(error, reason);
      observed.ended(await this.#persist(() => this.#settle(job, ending)));
    } finally {
      release();
      this.#attempts.delete(job.id);
      ended.resolve();
      this.#afterJob();
    }
  }

  /** Progress reports are dropped while the storage is unavailable. */
  async #report(
    job: store.Job,
    progress: store.Progress,
    stop: (reason: StopReason) => void,
    log: Logger,
  ): Promise<void> {
    const save = () => store.reportProgress(this.#context, job, progress);
    try {
      // The commit is reported only once.
      const isClaimed = await (progress.commit === undefined ? save() : this.#persist(save));
      if (!isClaimed) stop('stopping');
    } catch (error) {
      if (!isStorageUnavailable(error)) throw error;
      log.warn({ err: error }, 'progress not kept');
    }
  }

  /**
   * Stops the attempt on a cancellation, or when another worker has the job. Polls as well, because
   * notifications may be lost.
   */
  #watch(job: store.Job, stop: (reason: StopReason) => void): () => void {
    const { database, changes, log } = this.#context;
    const check = () => {
      database
        .selectFrom('jobs')
        .select(['status', 'attempt', 'cancel_requested_at'])
        .where('id', '=', job.id)
        .executeTakeFirst()
        .then((row) => {
          if (row?.status !== 'running' || row.attempt !== job.attempt) stop('stopping');
          else if (row.cancel_requested_at !== null) stop('canceled');
        })
        .catch((error: unknown) => log.debug({ err: error }, 'cannot read the row of a running job'));
    };
    const timer = setInterval(check, cancelCheckSeconds * 1000);
    const deadline = setTimeout(() => stop('timeout'), this.#maxSeconds(job) * 1000);
    const unlisten = changes.listen(job.id, check);
    this.#stops.add(stop);
    if (this.#stopping) stop('stopping');
    return () => {
      clearInterval(timer);
      clearTimeout(deadline);
      unlisten();
      this.#stops.delete(stop);
    };
  }

  /** Settles an attempt that no runner of this process works on. */
  async #settleUnattended(job: store.Job, cause: 'canceled' | 'worker_lost'): Promise<void> {
    const outcome = await this.#settle(job, { cause });
    if (outcome !== 'superseded') this.#context.measures.jobEnded({ kind: job.kind as JobKind, outcome });
  }

  /** Requeues or fails a job whose attempt has no result, with one log line. */
  async #settle(job: store.Job, { cause, error }: Ending): Promise<SettledOutcome> {
    const log = this.#logOf(job);
    const { losses, outcome, failure } = decide(job, { cause, error }, this.#maxSeconds(job));
    const release = outcome === 'lost' ? store.releaseLostJob : store.releaseJob;
    const result = error instanceof JobFailedError ? error.result : undefined;
    const row = await (failure === undefined
      ? release(this.#context, job)
      : store.failJob(this.#context, job, failure, result));
    if (row === undefined) {
      log.info({ cause }, 'attempt already settled');
      return 'superseded';
    }
    const level = outcome === 'internal' ? 'error' : losses > job.losses ? 'warn' : 'info';
    const fields = { cause, losses, outcome, ...(level === 'info' ? {} : { err: error }) };
    log[level](fields, failure === undefined ? 'job requeued' : 'job failed');
    return outcome;
  }

  /** Agents enforce their own time limits; this bound is a fallback. */
  #maxSeconds({ kind }: store.Job): number {
    return kind === 'agent' ? maxAgentSeconds : this.#context.config.exportTimeoutSeconds;
  }

  #logOf({ id, attempt }: store.Job): Logger {
    return this.#context.log.child({ jobId: id, attempt });
  }

  /** Retries while the database cannot be written, so that no ending is lost. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    const { first, max } = persistWaitSeconds;
    for (let waitSeconds = first; ; waitSeconds = Math.min(waitSeconds * 2, max)) {
      try {
        return await write();
      } catch (error) {
        // The next process settles the row.
        if (!isStorageUnavailable(error) || this.#stopping) throw error;
        this.#context.log.warn({ err: error }, 'database not writable, trying again');
        await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
      }
    }
  }
}
