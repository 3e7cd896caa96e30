/**
 * Batches reads of single rows into one query (DataLoader pattern). A read only joins a query that has not been sent
 * yet, so it never returns an older row. Callers check access.
 */

/** Fewer queries make larger batches; with one, a hanging connection would block every caller. */
const maxInFlight = 2;
const maxBatchSize = 200;

type Select<Row> = (keys: readonly string[]) => Promise<Map<string, Row>>;

export class BatchedReads<Row> {
  readonly #select: Select<Row>;
  readonly #pending = new Map<string, PromiseWithResolvers<Row | undefined>>();
  #inFlight = 0;
  #isScheduled = false;

  /** Only useful for PostgreSQL. */
  constructor(select: Select<Row>) {
    this.#select = select;
  }

  read(key: string): Promise<Row | undefined> {
    const pending = this.#pending.get(key) ?? Promise.withResolvers();
    this.#pending.set(key, pending);
    this.#schedule();
    return pending.promise;
  }

  /** Runs after all requests of this event loop turn. */
  #schedule(): void {
    if (this.#isScheduled || this.#pending.size === 0 || this.#inFlight >= maxInFlight) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send();
      this.#schedule();
    });
  }

  async #send(): Promise<void> {
    const batch = [...this.#pending].slice(0, maxBatchSize);
    for (const [key] of batch) this.#pending.delete(key);
    this.#inFlight += 1;
    try {
      const found = await this.#select(batch.map(([key]) => key));
      for (const [key, { resolve }] of batch) resolve(found.get(key));
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
    this.#inFlight -= 1;
    this.#schedule();
  }
}
