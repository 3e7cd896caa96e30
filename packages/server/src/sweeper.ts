/**
 * What is left to do once jobs have ended: at the start, after each job, and now and then. Of several processes on one
 * database one at a time removes what is no longer kept.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { continueWithMessages } from './agent/message.ts';
import { sweepAgentJobs } from './agent/retention.ts';
import type { Context } from './context.ts';
import { sweepPreviews } from './exports/previews.ts';
import { sweepProjectCaches } from './build-cache/cache-folder.ts';
import { sweep } from './exports/retention.ts';
import { recountQueued } from './jobs/queue-counts.ts';
import { sweepJobs } from './jobs/retention.ts';
import { sweepSessions } from './people/sessions.ts';
import { unlessElsewhere } from './ports/database.ts';
import { sweepWebhooks } from './webhooks/deliveries.ts';

const everySeconds = 600;
/** Of the time of a process. A large store takes long to look through, and every job that ends asks for it. */
const removingShare = 0.1;

export class Sweeper {
  readonly #chores: Chore[];
  readonly #recount: Chore;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Context) {
    const attempt = (work: (context: Context) => Promise<unknown>) =>
      work(context).catch((error: unknown) => context.log.warn({ err: error }, `${work.name} failed`));
    const removeOld = (): Promise<unknown> =>
      unlessElsewhere(context.database, 'sweep', async () => {
        for (const work of [sweepJobs, sweep, sweepAgentJobs, sweepWebhooks, sweepSessions])
          await attempt(work);
      });
    this.#recount = new Chore(() => attempt(({ database }) => recountQueued(database)), removingShare);
    this.#chores = [
      // Somebody waits for an answer: not behind the removing, and by whoever has just ended a job.
      new Chore(() => attempt(continueWithMessages), 1),
      new Chore(() => attempt(removeOld), removingShare),
      // Each process has a cache of its own.
      new Chore(() => attempt((own) => sweepPreviews(own)), removingShare),
      new Chore(() => attempt((own) => sweepProjectCaches(own)), removingShare),
    ];
  }

  start(): void {
    const all = (): void => {
      this.run();
      this.#recount.run();
    };
    all();
    this.#timer = setInterval(all, everySeconds * 1000);
  }

  run(): void {
    for (const chore of this.#chores) chore.run();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#chores, this.#recount].map((chore) => chore.stop()));
  }
}

/** Never done twice at the same time: whoever calls while it is under way has it done once more. */
class Chore {
  readonly #work: () => Promise<unknown>;
  readonly #share: number;
  readonly #stopping = new AbortController();
  #underWay: Promise<unknown> = Promise.resolve();
  #isDue = false;
  #restMs = 0;

  /** After the work it rests, so that it takes no more than this share of the time. */
  constructor(work: () => Promise<unknown>, share: number) {
    this.#work = work;
    this.#share = share;
  }

  run(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#underWay = this.#underWay.then(() => this.#restAndWork());
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#underWay;
  }

  async #restAndWork(): Promise<void> {
    const { signal } = this.#stopping;
    if (this.#restMs > 0) await pause(this.#restMs, undefined, { signal }).catch(() => {});
    this.#isDue = false;
    if (signal.aborted) return;
    const beganMs = performance.now();
    await this.#work();
    this.#restMs = (performance.now() - beganMs) * (1 / this.#share - 1);
  }
}
