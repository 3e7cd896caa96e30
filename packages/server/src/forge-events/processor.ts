/** Processes pending events, in any number of processes. A lock per project excludes the others. */
import { nowText, type Context } from '../context.ts';
import { processProject, type StartPushExport } from './process-project.ts';

const maxProjects = 20;
const retrySeconds = 30;
/** Unexpected failures of an event. A full queue or a rate limit is none. */
const maxFailures = 20;

export class ForgeEventProcessor {
  readonly #context: Context;
  readonly #startPushExport: StartPushExport;
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, startPushExport: StartPushExport, { pollSeconds = 1 } = {}) {
    this.#context = context;
    this.#startPushExport = startPushExport;
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

  /** Returns the number of projects with due events. */
  async processDue(): Promise<number> {
    const projects = await readDueProjects(this.#context);
    for (const projectId of projects) {
      if (this.#stopping.signal.aborted) break;
      try {
        await processProject(this.#context, projectId, this.#startPushExport);
      } catch (error) {
        this.#context.log.warn({ err: error, projectId }, 'forge events could not be processed');
        await postpone(this.#context, projectId);
      }
    }
    return projects.length;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const found = await this.processDue().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'forge events could not be read');
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

async function readDueProjects(context: Pick<Context, 'database' | 'clock'>): Promise<string[]> {
  const rows = await context.database
    .selectFrom('forge_events')
    .select('project_id')
    .where('state', '=', 'pending')
    .where('next_at', '<=', nowText(context))
    .groupBy('project_id')
    .orderBy((eb) => eb.fn.min('next_at'))
    .limit(maxProjects)
    .execute();
  return rows.map((row) => row.project_id);
}

async function postpone(context: Pick<Context, 'database' | 'clock'>, projectId: string): Promise<void> {
  const now = context.clock.now();
  const due = context.database
    .updateTable('forge_events')
    .where('project_id', '=', projectId)
    .where('state', '=', 'pending')
    .where('next_at', '<=', now.toISOString());
  await due
    .set({
      state: 'failed',
      reason: 'An internal error occurred. See the log.',
      finished_at: now.toISOString(),
    })
    .where('attempts', '>=', maxFailures)
    .execute();
  const next_at = new Date(now.getTime() + retrySeconds * 1000).toISOString();
  await due.set((eb) => ({ next_at, attempts: eb('attempts', '+', 1) })).execute();
}
