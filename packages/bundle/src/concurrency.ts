/** Runs a limited number of asynchronous tasks at a time. */

/** Starts tasks ahead of the caller, who receives the results in order. */
export function orderedResults<Item, Result>(
  items: Iterable<Item>,
  inFlight: number,
  start: (item: Item) => Promise<Result>,
): () => Promise<Result | undefined> {
  const rest = items[Symbol.iterator]();
  const started: Promise<Result>[] = [];
  const startNext = (): void => {
    const { value, done } = rest.next();
    if (done) return;
    const result = start(value);
    // The caller that awaits the result gets the error.
    result.catch(() => undefined);
    started.push(result);
  };
  for (let count = 0; count < inFlight; count += 1) startNext();
  return async () => {
    const result = await started.shift();
    startNext();
    return result;
  };
}

/** Runs tasks whose failure does not matter, because the caller repeats missing ones. */
export class BackgroundWork<Item> {
  readonly #inFlight: number;
  readonly #work: (item: Item) => Promise<void>;
  readonly #waiting: Iterator<Item>[] = [];
  readonly #lanes = new Set<Promise<void>>();
  #isStopped = false;

  constructor(inFlight: number, work: (item: Item) => Promise<void>) {
    this.#inFlight = inFlight;
    this.#work = work;
  }

  /** Items are taken from the iterable one by one. */
  add(items: Iterable<Item>): void {
    this.#waiting.push(items[Symbol.iterator]());
    while (this.#lanes.size < this.#inFlight) {
      const lane: Promise<void> = this.#runLane().finally(() => this.#lanes.delete(lane));
      lane.catch(() => undefined);
      this.#lanes.add(lane);
    }
  }

  /** Waits for running tasks and starts no others. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#lanes.size > 0) await Promise.allSettled(this.#lanes);
  }

  async #runLane(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#next();
      if (next === undefined) return;
      await this.#work(next.item);
    }
  }

  #next(): { item: Item } | undefined {
    for (let items = this.#waiting[0]; items; items = this.#waiting[0]) {
      const { value, done } = items.next();
      if (!done) return { item: value };
      this.#waiting.shift();
    }
    return undefined;
  }
}
