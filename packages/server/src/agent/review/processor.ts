/**
 * Asks forges about comments and conflicts and writes replies, in any number of processes. Every effect outside the
 * database is idempotent, so a killed process repeats it.
 */
import type { Context } from '../../context.ts';
import { readJob, type Job } from '../../jobs/store.ts';
import { inTransaction } from '../../ports/database.ts';
import { ForgeError } from '../../ports/forge.ts';
import { answerComment } from './answer.ts';
import { checkComment } from './check-author.ts';
import { checkConflict, reportConflict } from './conflicts.ts';
import { findPullRequestJob, recordPullRequestState } from './pull-request-job.ts';
import {
  changeTask,
  claimTask,
  postponeTask,
  readTasksToAnswer,
  readTasksToCheck,
  type ReviewTask,
} from './tasks.ts';

const leaseSeconds = 45;
/** Shorter than the lease, so that no other process has the task at the same time. */
const maxWorkSeconds = 40;
const retrySeconds = 15;
const maxAttempts = 12;

export class ReviewProcessor {
  readonly #context: Context;
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, { pollSeconds = 1 } = {}) {
    this.#context = context;
    this.#pollSeconds = pollSeconds;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
  }

  /** Returns the number of tasks that were due. */
  async processDue(): Promise<number> {
    const checks = await readTasksToCheck(this.#context);
    for (const task of checks) await this.#try(task, (job, signal) => this.#check(task, job, signal));
    const replies = await readTasksToAnswer(this.#context);
    for (const { task, run } of replies) {
      await this.#try(task, async (job, signal) => {
        const { comment } = task;
        if (comment === null) await reportConflict(this.#context, { task, job, run }, signal);
        else await answerComment(this.#context, { task, comment, job, run }, signal);
        await changeTask(this.#context, task, { state: 'answered' });
      });
    }
    return checks.length + replies.length;
  }

  async #check(task: ReviewTask, job: Job, signal: AbortSignal): Promise<void> {
    const { comment } = task;
    if (comment === null) return checkConflict(this.#context, { task, job }, signal);
    const { refusal, state } = await checkComment(this.#context, { task, comment, job }, signal);
    await inTransaction(this.#context.database, async (database) => {
      const inside = { ...this.#context, database };
      const known = await findPullRequestJob(inside, {
        organizationId: task.organizationId,
        projectId: task.projectId,
        number: task.pullRequest,
        isRepository: () => true,
      });
      if (known?.job.id === job.id) await recordPullRequestState(inside, known, state);
      if (refusal === null) await changeTask(inside, task, { state: 'allowed' });
      else await changeTask(inside, task, { state: 'refused', reason: refusal });
    });
  }

  async #try(task: ReviewTask, work: (job: Job, signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const context = this.#context;
    if (!(await claimTask(context, task, leaseSeconds))) return;
    const { organizationId, projectId } = task;
    const job = await readJob(context, {
      id: task.jobId,
      reach: { organizationId, projectId },
      kind: 'agent',
    });
    if (job === undefined)
      return changeTask(context, task, { state: 'failed', reason: 'The job was deleted.' });
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(maxWorkSeconds * 1000)]);
    try {
      await work(job, signal);
    } catch (error) {
      await this.#retryLater(task, error);
    }
  }

  async #retryLater(task: ReviewTask, error: unknown): Promise<void> {
    const context = this.#context;
    if (this.#stopping.signal.aborted) return postponeTask(context, task, 0);
    const problem = error instanceof ForgeError ? error.problem : 'unavailable';
    const isTemporary = problem === 'unavailable' || problem === 'rate_limited';
    if (!(error instanceof ForgeError))
      context.log.warn({ err: error, task: task.id }, 'a review task failed');
    if (isTemporary && task.attempts + 1 < maxAttempts) {
      const wait = error instanceof ForgeError ? error.retryAfterSeconds : undefined;
      return postponeTask(context, task, wait ?? retrySeconds * (task.attempts + 1));
    }
    const reason =
      error instanceof ForgeError
        ? [error.message, error.hint ?? ''].join(' ').trim()
        : 'An internal error occurred. See the log.';
    return changeTask(context, task, { state: 'failed', reason });
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const found = await this.processDue().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'review tasks could not be read');
        return 0;
      });
      if (found === 0) await this.#pause();
    }
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
