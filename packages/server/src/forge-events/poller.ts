/** Polls the branches that are due, in any number of processes. */
import { setTimeout as pause } from 'node:timers/promises';
import { nowText, type Context } from '../context.ts';
import { pollProject } from './poll-project.ts';

const maxConcurrentPolls = 8;
const pauseSeconds = 1;

export class SourcePoller {
  readonly #context: Context;
  readonly #stopping = new AbortController();
  #running = Promise.resolve();

  constructor(context: Context) {
    this.#context = context;
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Returns the number of due projects. */
  async pollDue(): Promise<number> {
    const { signal } = this.#stopping;
    const due = await readDueProjects(this.#context);
    await Promise.all(
      due.map((projectId) =>
        pollProject(this.#context, projectId, signal).catch((error: unknown) => {
          if (!signal.aborted)
            this.#context.log.warn({ err: error, projectId }, 'the source could not be polled');
        }),
      ),
    );
    return due.length;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const found = await this.pollDue().catch((error: unknown) => {
        this.#context.log.warn({ err: error }, 'due polls could not be read');
        return 0;
      });
      if (found === 0) await pause(pauseSeconds * 1000, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function readDueProjects(context: Pick<Context, 'database' | 'clock'>): Promise<string[]> {
  const rows = await context.database
    .selectFrom('source_polls')
    .select('project_id')
    .where('next_at', '<=', nowText(context))
    .orderBy('next_at')
    .limit(maxConcurrentPolls)
    .execute();
  return rows.map((row) => row.project_id);
}
