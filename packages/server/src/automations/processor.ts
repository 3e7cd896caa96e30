/** Starts automations, in any number of processes. Claims exclude the others and expire. */
import type { Context } from '../context.ts';
import type { AutomationJobs } from './jobs.ts';
import { queueFailedChecks, queueFeedback, queueSchedules } from './occasions.ts';
import { claimDueEvents, processEvent } from './process-event.ts';
import { processRun } from './process-run.ts';
import { refreshDueFiles } from './refresh.ts';
import { claimDueRuns, retryRun } from './run-records.ts';

export class AutomationProcessor {
  readonly #context: Context;
  readonly #jobs: AutomationJobs;
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, jobs: AutomationJobs, { pollSeconds = 2 } = {}) {
    this.#context = context;
    this.#jobs = jobs;
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

  /** Returns how much was due. */
  async processDue(): Promise<number> {
    const context = this.#context;
    const { signal } = this.#stopping;
    const queued =
      (await queueSchedules(context)) + (await queueFailedChecks(context)) + (await queueFeedback(context));
    const files = await refreshDueFiles(context, signal);
    const tools = { jobs: this.#jobs, signal };
    const events = await claimDueEvents(context);
    for (const event of events) {
      await this.#try(
        () => processEvent(context, event, tools),
        // The claim expires.
        async () => {},
      );
    }
    const runs = await claimDueRuns(context);
    for (const run of runs) {
      await this.#try(
        () => processRun(context, run, tools),
        () => retryRun(context, run),
      );
    }
    return queued + files + events.length + runs.length;
  }

  async #try(work: () => Promise<void>, recover: () => Promise<void>): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#context.log.warn({ err: error }, 'an automation could not be processed');
      await recover();
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const found = await this.processDue().catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.#context.log.warn({ err: error }, 'automations could not be read');
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
