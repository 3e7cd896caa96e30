/**
 * Jobs that many callers ask for one by one, read many at a time. A job is always read after it was asked for: whoever asks
 * joins a statement that has not been sent yet, never one under way. Who may see a job is not decided here.
 */
import { CompiledQuery } from 'kysely';
import type { Context } from '../context.ts';
import type { Job } from './store.ts';

/** The fewer, the more go together; with only one, a connection that hangs would hold up everybody. */
const mostUnderWay = 2;
const mostTogether = 200;

/**
 * By the id alone: told anything else, PostgreSQL may think of another index and read every job there is. As text, for
 * building it anew takes Kysely half as long as everything else about a read.
 */
const statement = 'select * from jobs where id = any($1)';

type Waiting = PromiseWithResolvers<Job | undefined>;

export class GatheredReads {
  readonly #context: Pick<Context, 'database'>;
  readonly #waiting = new Map<string, Waiting>();
  #underWay = 0;
  #isDue = false;

  /** Only PostgreSQL has a need for it: SQLite answers at once. */
  constructor(context: Pick<Context, 'database'>) {
    this.#context = context;
  }

  read(id: string): Promise<Job | undefined> {
    const waiting = this.#waiting.get(id) ?? Promise.withResolvers();
    this.#waiting.set(id, waiting);
    this.#sendSoon();
    return waiting.promise;
  }

  /** After the requests that have arrived together. */
  #sendSoon(): void {
    if (this.#isDue || this.#waiting.size === 0 || this.#underWay >= mostUnderWay) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#send();
      this.#sendSoon();
    });
  }

  async #send(): Promise<void> {
    const sent = [...this.#waiting].slice(0, mostTogether);
    for (const [id] of sent) this.#waiting.delete(id);
    this.#underWay += 1;
    try {
      const jobs = await this.#select(sent.map(([id]) => id));
      const byId = new Map(jobs.map((job) => [job.id, job]));
      for (const [id, { resolve }] of sent) resolve(byId.get(id));
    } catch (error) {
      for (const [, { reject }] of sent) reject(error);
    }
    this.#underWay -= 1;
    this.#sendSoon();
  }

  async #select(ids: readonly string[]): Promise<Job[]> {
    const { rows } = await this.#context.database.executeQuery<Job>(CompiledQuery.raw(statement, [ids]));
    return rows;
  }
}
