/**
 * Rows that many callers ask for one by one, read many at a time (DataLoader pattern). A row is always read after it was
 * asked for: a caller joins a statement that has not been sent yet, never one under way. Access is checked by the caller.
 */

/** The fewer, the more go together; with only one, a connection that hangs would hold up everybody. */
const mostUnderWay = 2;
const mostTogether = 200;

type Select<Row> = (keys: readonly string[]) => Promise<Map<string, Row>>;

export class BatchedReads<Row> {
  readonly #select: Select<Row>;
  readonly #waiting = new Map<string, PromiseWithResolvers<Row | undefined>>();
  #underWay = 0;
  #isDue = false;

  /** For PostgreSQL: SQLite answers at once. */
  constructor(select: Select<Row>) {
    this.#select = select;
  }

  read(key: string): Promise<Row | undefined> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers();
    this.#waiting.set(key, waiting);
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
    for (const [key] of sent) this.#waiting.delete(key);
    this.#underWay += 1;
    try {
      const found = await this.#select(sent.map(([key]) => key));
      for (const [key, { resolve }] of sent) resolve(found.get(key));
    } catch (error) {
      for (const [, { reject }] of sent) reject(error);
    }
    this.#underWay -= 1;
    this.#sendSoon();
  }
}
