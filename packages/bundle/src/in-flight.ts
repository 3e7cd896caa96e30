/**
 * Work that other threads do, several pieces of it at a time: ahead of whoever asks for the results in their order, or in the
 * background, as often as whoever has other work lets go.
 */

/** Begins with items before they are asked for, which they are in their order. */
export function inTurn<Item, Result>(
  items: Iterable<Item>,
  inFlight: number,
  begin: (item: Item) => Promise<Result>,
): () => Promise<Result | undefined> {
  const rest = items[Symbol.iterator]();
  const begun: Promise<Result>[] = [];
  const beginNext = (): void => {
    const { value, done } = rest.next();
    if (done) return;
    const result = begin(value);
    // Whoever waits for it is told.
    result.catch(() => undefined);
    begun.push(result);
  };
  for (let count = 0; count < inFlight; count += 1) beginNext();
  return async () => {
    const result = await begun.shift();
    beginNext();
    return result;
  };
}

/** For work whose failure nobody needs to know: what was not done is done when it is asked for. */
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

  /** They are taken one by one, when their turn comes. */
  add(items: Iterable<Item>): void {
    this.#waiting.push(items[Symbol.iterator]());
    while (this.#lanes.size < this.#inFlight) {
      const lane: Promise<void> = this.#workOff().finally(() => this.#lanes.delete(lane));
      lane.catch(() => undefined);
      this.#lanes.add(lane);
    }
  }

  /** Waits for what was begun, and begins nothing any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#lanes.size > 0) await Promise.allSettled(this.#lanes);
  }

  async #workOff(): Promise<void> {
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
