/** Processes pending events, in any number of processes. A lock per project excludes the others. */
import { nowText, type Context } from '../context.ts';
import type { EventHandlers } from './event-handlers.ts';
import { processEvent } from './process-event.ts';
import { processPushes } from './process-pushes.ts';

const maxProjects = 20;
const maxEvents = 200;
const retrySeconds = 30;
/** Unexpected failures of an event. A full queue or a rate limit is none. */
const maxFailures = 20;

export class ForgeEventProcessor {
  readonly #context: Context;
  readonly #handlers: EventHandlers;
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();
  #wake = () => {};

  constructor(context: Context, handlers: EventHandlers, { pollSeconds = 1 } = {}) {
    this.#context = context;
    this.#handlers = handlers;
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

  /** Returns the number of projects with due pushes and of other due events. */
  async processDue(): Promise<number> {
    const projects = await readDueProjects(this.#context);
    for (const projectId of projects) {
      const pushes = dueEvents(this.#context).where('project_id', '=', projectId).where('kind', '=', 'push');
      await this.#try(pushes, () => processPushes(this.#context, projectId, this.#handlers));
    }
    const events = await readDueEvents(this.#context);
    for (const id of events) {
      const event = dueEvents(this.#context).where('id', '=', id);
      await this.#try(event, () => processEvent(this.#context, id, this.#handlers));
    }
    return projects.length + events.length;
  }

  async #try(due: DueEvents, work: () => Promise<void>): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      this.#context.log.warn({ err: error }, 'forge events could not be processed');
      await retryLater(this.#context, due);
    }
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
    .where('kind', '=', 'push')
    .where('state', '=', 'pending')
    .where('next_at', '<=', nowText(context))
    .groupBy('project_id')
    .orderBy((eb) => eb.fn.min('next_at'))
    .limit(maxProjects)
    .execute();
  return rows.map((row) => row.project_id);
}

/** In the order of their arrival. */
async function readDueEvents(context: Pick<Context, 'database' | 'clock'>): Promise<string[]> {
  const rows = await context.database
    .selectFrom('forge_events')
    .select('id')
    .where('kind', '!=', 'push')
    .where('state', '=', 'pending')
    .where('next_at', '<=', nowText(context))
    .orderBy('sequence')
    .limit(maxEvents)
    .execute();
  return rows.map(({ id }) => id);
}

type DueEvents = ReturnType<typeof dueEvents>;

function dueEvents(context: Pick<Context, 'database' | 'clock'>) {
  return context.database
    .updateTable('forge_events')
    .where('state', '=', 'pending')
    .where('next_at', '<=', nowText(context));
}

async function retryLater({ clock }: Pick<Context, 'clock'>, due: DueEvents): Promise<void> {
  const now = clock.now();
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
