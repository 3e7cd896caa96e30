/**
 * The embedded queue: lists in memory, one per organization, served in turn so that a large backlog of one does
 * not hold up another. It remembers nothing; after a restart it is filled from the job rows.
 */
import type { Database } from '../../ports/database.ts';
import type { Delivered, Delivery, JobKind, Queue } from '../../ports/queue.ts';

type Handle = (delivery: Delivered) => Promise<void>;

export class InProcessQueue implements Queue {
  readonly #lines: Record<JobKind, Line>;

  constructor(mostOfOrganization = Infinity) {
    this.#lines = { export: new Line(mostOfOrganization), agent: new Line(mostOfOrganization) };
  }

  /**
   * The row may not be committed yet. Whoever is handed the delivery waits for the one connection to the database, and
   * then finds the row, or nothing if it was taken back.
   */
  async send(_database: Database, ...deliveries: Delivery[]): Promise<void> {
    for (const delivery of deliveries) this.#lines[delivery.kind].send(delivery);
  }

  async consume(kind: JobKind, concurrency: number, handle: Handle): Promise<void> {
    this.#lines[kind].consume(concurrency, handle);
  }

  async held(jobIds: readonly string[]): Promise<Set<string>> {
    return new Set(jobIds.filter((id) => Object.values(this.#lines).some((line) => line.holds(id))));
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#lines).map((line) => line.stop()));
  }
}

class Line {
  readonly #waiting = new Map<string, Delivery[]>();
  readonly #waitingIds = new Set<string>();
  readonly #underWay = new Map<Delivery, Promise<void>>();
  readonly #mostOfOrganization: number;
  #handle: Handle | undefined;
  #concurrency = 0;
  #stopped = false;

  constructor(mostOfOrganization: number) {
    this.#mostOfOrganization = mostOfOrganization;
  }

  send(delivery: Delivery): void {
    const list = this.#waiting.get(delivery.organizationId) ?? [];
    const place = list.findIndex(({ jobId }) => jobId === delivery.jobId);
    if (place !== -1) {
      list[place] = delivery;
      return;
    }
    this.#waitingIds.add(delivery.jobId);
    if (list.length === 0) this.#waiting.set(delivery.organizationId, list);
    const behind = list.findIndex(({ priority }) => priority < delivery.priority);
    list.splice(behind === -1 ? list.length : behind, 0, delivery);
    this.#fill();
  }

  consume(concurrency: number, handle: Handle): void {
    this.#concurrency = concurrency;
    this.#handle = handle;
    this.#fill();
  }

  holds(jobId: string): boolean {
    return this.#waitingIds.has(jobId) || [...this.#underWay.keys()].some((each) => each.jobId === jobId);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#underWay.values());
  }

  #fill(): void {
    while (!this.#stopped && this.#handle !== undefined && this.#underWay.size < this.#concurrency) {
      const next = this.#next();
      if (next === undefined) return;
      const settled = () => {
        this.#underWay.delete(next);
        this.#fill();
      };
      this.#underWay.set(next, this.#handle({ ...next, isRedelivery: false }).then(settled, settled));
    }
  }

  /** Takes from the organization that has waited longest for its turn, and sends it to the back of the line. */
  #next(): Delivery | undefined {
    for (const [organizationId, list] of this.#waiting) {
      if (this.#countUnderWay(organizationId) >= this.#mostOfOrganization) continue;
      this.#waiting.delete(organizationId);
      const delivery = list.shift();
      if (list.length > 0) this.#waiting.set(organizationId, list);
      if (delivery === undefined) continue;
      this.#waitingIds.delete(delivery.jobId);
      return delivery;
    }
    return undefined;
  }

  #countUnderWay(organizationId: string): number {
    return [...this.#underWay.keys()].filter((each) => each.organizationId === organizationId).length;
  }
}
