/**
 * The embedded queue: lists in memory, one per organization, served in turn so that a large backlog of one does
 * not hold up another. It remembers nothing; after a restart it is filled from the job rows.
 */
import type { Delivery, JobKind, Queue } from '../../ports/queue.ts';

export class InProcessQueue implements Queue {
  readonly #lines: Record<JobKind, Line> = { export: new Line(), agent: new Line() };

  send(delivery: Delivery): void {
    this.#lines[delivery.kind].send(delivery);
  }

  consume(kind: JobKind, concurrency: number, handle: (delivery: Delivery) => Promise<void>): void {
    this.#lines[kind].consume(concurrency, handle);
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#lines).map((line) => line.stop()));
  }
}

class Line {
  readonly #waiting = new Map<string, Delivery[]>();
  readonly #waitingIds = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  #handle: ((delivery: Delivery) => Promise<void>) | undefined;
  #concurrency = 0;
  #stopped = false;

  send(delivery: Delivery): void {
    if (this.#waitingIds.has(delivery.jobId)) return;
    this.#waitingIds.add(delivery.jobId);
    const list = this.#waiting.get(delivery.organizationId) ?? [];
    if (list.length === 0) this.#waiting.set(delivery.organizationId, list);
    list.push(delivery);
    this.#fill();
  }

  consume(concurrency: number, handle: (delivery: Delivery) => Promise<void>): void {
    this.#concurrency = concurrency;
    this.#handle = handle;
    this.#fill();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#underWay);
  }

  #fill(): void {
    while (!this.#stopped && this.#handle !== undefined && this.#underWay.size < this.#concurrency) {
      const next = this.#next();
      if (next === undefined) return;
      const settled = () => {
        this.#underWay.delete(handled);
        this.#fill();
      };
      const handled: Promise<void> = this.#handle(next).then(settled, settled);
      this.#underWay.add(handled);
    }
  }

  /** Takes from the organization that has waited longest for its turn, and sends it to the back of the line. */
  #next(): Delivery | undefined {
    for (const [organizationId, list] of this.#waiting) {
      this.#waiting.delete(organizationId);
      const delivery = list.shift();
      if (list.length > 0) this.#waiting.set(organizationId, list);
      if (delivery === undefined) continue;
      this.#waitingIds.delete(delivery.jobId);
      return delivery;
    }
    return undefined;
  }
}
