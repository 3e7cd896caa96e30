/**
 * Takes deliveries from the queue, claims the job and runs it with the runner of its kind. It owns the endings:
 * whatever a runner does, the row ends completed, failed, or back in the queue.
 */
import type { Logger } from 'pino';
import type { Context } from '../context.ts';
import { jobKinds, type Delivered, type JobKind } from '../ports/queue.ts';
import { Problem } from '../problem.ts';
import { failureOf, JobFailure, RunnerLost } from './failure.ts';
import { observeAttempt, type AttemptOutcome } from './observing.ts';
import { maxLosses, persistWaitSeconds, reconcileEverySeconds } from './retries.ts';
import * as store from './store.ts';
import { enqueueJob } from './transitions.ts';

export interface RunnerInput {
  job: store.Job;
  /** Aborted with a `Stopped` when the job is canceled, takes too long, or the worker stops. */
  signal: AbortSignal;
  log: Logger;
  report(progress: store.Progress): Promise<void>;
  /** Does again what needs the database, until it is back from wherever it was. Only for what may be done twice. */
  insist<T>(work: () => Promise<T>): Promise<T>;
}

export interface Outcome {
  result: unknown;
  pageCount: number;
  /** Of an export. */
  bundleBytes?: number;
}

/** Throws a JobFailure for an ending with a reason; anything else is a fault of ours. */
export type Runner = (context: Context, input: RunnerInput) => Promise<Outcome>;
export type Runners = Record<JobKind, Runner>;

type StopReason = 'canceled' | 'timeout' | 'stopping';

/** Why a signal was aborted. Only `stopping` lets the job go on elsewhere. */
export class Stopped extends Error {
  override name = 'AbortError';
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The job was stopped (${reason}).`);
    this.reason = reason;
  }
}

const cancelCheckSeconds = 1;
const longestAgentSeconds = 4 * 3600;

/** What this process has in hand of one job. */
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
  #reconciling: NodeJS.Timeout | undefined;
  #stopping = false;

  /** `afterJob` is called each time a job has ended, for clean-up that need not wait for its turn. */
  constructor(context: Context, runners: Runners, afterJob: () => void = () => {}) {
    this.#context = context;
    this.#runners = runners;
    this.#afterJob = afterJob;
  }

  /** Settles what the last process left behind, fills the queue from the rows, and begins to work. */
  async start(): Promise<void> {
    const { queue, config, log } = this.#context;
    await this.#reconcile();
    const concurrency = { export: config.exportConcurrency, agent: config.agentConcurrency };
    for (const kind of jobKinds) {
      await queue.consume(kind, concurrency[kind], (delivery) => this.#handle(delivery));
    }
    const again = () => {
      this.#reconcile().catch((error: unknown) => log.warn({ err: error }, 'jobs could not be reconciled'));
    };
    this.#reconciling = setInterval(again, reconcileEverySeconds * 1000);
  }

  /**
   * Makes the queue agree with the rows: a running job that nobody has in hand is lost, a queued one waits in the
   * queue. Besides the start this repairs whatever went wrong between the two.
   */
  async #reconcile(): Promise<void> {
    const { database, queue, log } = this.#context;
    const open = await database
      .selectFrom('jobs')
      .selectAll()
      .where('status', 'in', ['queued', 'running'])
      .orderBy('sequence')
      .execute();
    const held = await queue.held(open.map(({ id }) => id));
    for (const job of open) {
      if (held.has(job.id) || this.#stopping) continue;
      if (job.status === 'running') await this.#settleLost(job, log.child({ jobId: job.id }));
      else await enqueueJob(this.#context, job);
    }
  }

  /** Hands running jobs back to the queue; the next process goes on with them. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#reconciling);
    for (const stop of this.#stops) stop('stopping');
    await this.#context.queue.stop();
  }

  async #handle(delivery: Delivered): Promise<void> {
    const { jobId, attempt } = delivery;
    const log = this.#context.log.child({ jobId });
    try {
      await this.#endEarlierAttempt(jobId);
      const job = await this.#persist(() => store.claimJob(this.#context, jobId, attempt));
      if (job === undefined) {
        if (delivery.isRedelivery) await this.#persist(() => this.#settleRedelivered(delivery, log));
      } else if (job.cancel_requested_at === null) {
        await this.#run(job, log);
      } else {
        await this.#persist(() => this.#failCanceled(job));
      }
    } catch (error) {
      log.error({ err: error }, 'job could not be settled');
    }
  }

  /** The queue took this worker for lost and hands it its own job again. Two attempts must not share a work folder. */
  async #endEarlierAttempt(jobId: string): Promise<void> {
    const earlier = this.#attempts.get(jobId);
    earlier?.stop();
    await earlier?.ended;
  }

  /** The worker that had this delivery is gone; the row still says running if it went before the end. */
  async #settleRedelivered({ jobId, attempt }: Delivered, log: Logger): Promise<void> {
    const job = await this.#context.database
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', jobId)
      .where('status', '=', 'running')
      .where('attempt', '=', attempt + 1)
      .executeTakeFirst();
    if (job !== undefined) await this.#settleLost(job, log);
  }

  async #run(job: store.Job, log: Logger): Promise<void> {
    const controller = new AbortController();
    let reason: StopReason | undefined;
    const stop = (why: StopReason) => {
      reason ??= why;
      controller.abort(new Stopped(why));
    };
    const release = this.#watch(job, stop);
    const ended = Promise.withResolvers<void>();
    this.#attempts.set(job.id, { stop: () => stop('stopping'), ended: ended.promise });
    const observed = observeAttempt(this.#context, job);
    try {
      const runner = this.#runners[job.kind as JobKind];
      log.info({ attempt: job.attempt }, 'job started');
      const outcome = await runner(this.#context, {
        job,
        signal: controller.signal,
        log,
        report: (progress) => {
          observed.phase(progress.phase);
          return this.#report(job, progress, stop, log);
        },
        insist: (work) => this.#persist(work),
      });
      const completed = await this.#persist(() => store.completeJob(this.#context, job, outcome));
      if (completed === undefined) {
        reason = 'canceled';
        throw new Error('The job was canceled while its ending was written.');
      }
      const { pageCount: pages, bundleBytes } = outcome;
      observed.ended('completed', { pages, ...(bundleBytes === undefined ? {} : { bundleBytes }) });
      log.info({ pageCount: pages }, 'job completed');
    } catch (error) {
      const outcome = await this.#persist(() => this.#settle(job, error, reason, log));
      observed.ended(outcome);
    } finally {
      release();
      this.#attempts.delete(job.id);
      ended.resolve();
      this.#afterJob();
    }
  }

  /** A disk that is full for a moment costs a progress report, not the job. */
  async #report(
    job: store.Job,
    progress: store.Progress,
    stop: (reason: StopReason) => void,
    log: Logger,
  ): Promise<void> {
    const keep = () => store.reportProgress(this.#context, job, progress);
    try {
      // The commit is told once, and the record of the job lacks it for ever if it is not kept.
      const held = await (progress.commit === undefined ? keep() : this.#persist(keep));
      if (!held) stop('stopping');
    } catch (error) {
      if (!isStorageAway(error)) throw error;
      log.warn({ err: error }, 'progress not kept');
    }
  }

  /**
   * What others decide arrives as a change of the row: a cancellation, or that the job was given to another worker. It is
   * announced, and found within a second where announcements do not reach.
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
        .catch((error: unknown) => log.debug({ err: error }, 'the row of a running job could not be read'));
    };
    const timer = setInterval(check, cancelCheckSeconds * 1000);
    const deadline = setTimeout(() => stop('timeout'), this.#longestSeconds(job) * 1000);
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

  /** Resolves with the outcome of the attempt. */
  async #settle(
    job: store.Job,
    error: unknown,
    reason: StopReason | undefined,
    log: Logger,
  ): Promise<AttemptOutcome> {
    if (reason === 'stopping') {
      await store.releaseJob(this.#context, { id: job.id, attempt: job.attempt });
      log.info('job handed back');
      return 'handed_back';
    }
    if (reason === undefined && (error instanceof RunnerLost || hasStorageFailed(error))) {
      log.warn({ err: error }, 'attempt was lost');
      await this.#settleLost(job, log, error);
      return 'lost';
    }
    const failure =
      reason === 'canceled'
        ? failureOf('canceled', 'The job was canceled.')
        : reason === 'timeout'
          ? failureOf('timeout', `The job took longer than ${this.#longestSeconds(job)} seconds.`)
          : error instanceof JobFailure
            ? error.failure
            : failureOf(
                'internal',
                'A fault in Docyard stopped the job. The log of the server has the details.',
              );
    if (failure.code === 'internal') log.error({ err: error }, 'job failed');
    else log.info({ failure: failure.code }, 'job failed');
    await store.failJob(this.#context, job, failure, error instanceof JobFailure ? error.result : undefined);
    return failure.code;
  }

  /** An agent keeps to the minutes of its own limits; this bound is for one that does not. */
  #longestSeconds({ kind }: store.Job): number {
    return kind === 'agent' ? longestAgentSeconds : this.#context.config.exportTimeoutSeconds;
  }

  /** Not through a fault of the job, or so it seems: it is tried again, but not for ever. */
  async #settleLost(job: store.Job, log: Logger, error?: unknown): Promise<void> {
    log.warn({ attempt: job.attempt }, 'worker was lost');
    if (job.cancel_requested_at !== null) {
      await this.#failCanceled(job);
    } else if (job.losses + 1 < maxLosses) {
      await store.releaseLostJob(this.#context, job);
    } else {
      await store.failJob(this.#context, job, failureAfterLosses(job, error));
    }
  }

  /** Marked while its worker was lost or stopped: there is nobody left to abort. */
  async #failCanceled(job: store.Job): Promise<void> {
    await store.failJob(this.#context, job, failureOf('canceled', 'The job was canceled.'));
  }

  /** A full disk must not lose an ending: it is written as soon as the database takes it. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    const { first, max } = persistWaitSeconds;
    for (let waitSeconds = first; ; waitSeconds = Math.min(waitSeconds * 2, max)) {
      try {
        return await write();
      } catch (error) {
        // A process that stops leaves the row as it is; the next one settles it.
        if (!isStorageAway(error) || this.#stopping) throw error;
        this.#context.log.warn({ err: error }, 'database not writable, trying again');
        await new Promise((resolve) => setTimeout(resolve, waitSeconds * 1000));
      }
    }
  }
}

/** The database or the store for bundles. Both come back. */
function isStorageAway(error: unknown): error is Problem {
  return error instanceof Problem && error.code === 'storage_unavailable';
}

/** Also a full disk of this machine: the job may succeed later, or on another one. */
function hasStorageFailed(error: unknown): boolean {
  return isStorageAway(error) || (error instanceof JobFailure && error.failure.code === 'storage_failed');
}

function failureAfterLosses(job: store.Job, error: unknown): JobFailure['failure'] {
  if (error instanceof JobFailure) return error.failure;
  if (isStorageAway(error)) return failureOf('storage_failed', error.message, { hint: 'Retry the job.' });
  const message = `The worker was lost ${job.losses + 1} times while it ran this job.`;
  const hint = 'The job may need more memory than the machine has.';
  return failureOf('worker_lost', message, { hint });
}
