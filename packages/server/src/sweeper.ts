/**
 * Runs the cleanup tasks at the start, after each job, and periodically. Of several processes on one database, one at
 * a time removes old records.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { continueWithMessages } from './agent/message.ts';
import { sweepAgentJobs } from './agent/retention.ts';
import { sweepReviewTasks } from './agent/review/tasks.ts';
import { sweepAnalytics } from './deployment-registry/analytics.ts';
import type { Context } from './context.ts';
import { sweepAutomations } from './automations/run-records.ts';
import { sweepForgeEvents } from './forge-events/events.ts';
import { sweepPreviews } from './exports/unpacked-sites.ts';
import { sweepProjectCaches } from './build-cache/cache-folder.ts';
import { sweep } from './exports/retention.ts';
import { recountQueued } from './jobs/queue-counts.ts';
import { sweepJobs } from './jobs/retention.ts';
import { sweepSessions } from './users/sessions.ts';
import { runUnlessLocked } from './ports/database.ts';
import { sweepWebhooks } from './webhooks/deliveries.ts';

const intervalSeconds = 600;
/**
 * Share of the time that a task may run, because listing a large store takes long and every finished job triggers it.
 */
const cleanupShare = 0.1;

export class Sweeper {
  readonly #tasks: Task[];
  readonly #recount: Task;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Context) {
    const attempt = (work: (context: Context) => Promise<unknown>) =>
      work(context).catch((error: unknown) => context.log.warn({ err: error }, `${work.name} failed`));
    const removeOldRecords = (): Promise<unknown> =>
      runUnlessLocked(context.database, 'sweep', async () => {
        const cleanups = [sweepJobs, sweep, sweepAgentJobs, sweepWebhooks, sweepForgeEvents, sweepSessions];
        for (const work of [...cleanups, sweepReviewTasks, sweepAutomations, sweepAnalytics])
          await attempt(work);
      });
    this.#recount = new Task(() => attempt(({ database }) => recountQueued(database)), cleanupShare);
    this.#tasks = [
      // A user waits for the answer, so this neither waits for the cleanup nor for its lock.
      new Task(() => attempt(continueWithMessages), 1),
      new Task(() => attempt(removeOldRecords), cleanupShare),
      // Each process has its context caches.
      new Task(() => attempt(() => sweepPreviews(context)), cleanupShare),
      new Task(() => attempt(() => sweepProjectCaches(context)), cleanupShare),
    ];
  }

  start(): void {
    const all = (): void => {
      this.run();
      this.#recount.run();
    };
    all();
    this.#timer = setInterval(all, intervalSeconds * 1000);
  }

  run(): void {
    for (const task of this.#tasks) task.run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#tasks, this.#recount].map((task) => task.stop()));
  }
}

/** Runs never overlap: a call during a run schedules one more run. */
class Task {
  readonly #work: () => Promise<unknown>;
  readonly #share: number;
  readonly #stopping = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  #isScheduled = false;
  #pauseMs = 0;

  /** After each run the task pauses, so that it uses at most `share` of the time. */
  constructor(work: () => Promise<unknown>, share: number) {
    this.#work = work;
    this.#share = share;
  }

  run(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#running = this.#running.then(() => this.#pauseAndWork());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #pauseAndWork(): Promise<void> {
    const { signal } = this.#stopping;
    if (this.#pauseMs > 0) await pause(this.#pauseMs, undefined, { signal }).catch(() => {});
    this.#isScheduled = false;
    if (signal.aborted) return;
    const beganMs = performance.now();
    await this.#work();
    this.#pauseMs = (performance.now() - beganMs) * (1 / this.#share - 1);
  }
}
