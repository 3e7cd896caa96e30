/**
 * The embedded queue: deliveries in memory, one list per organization, served round-robin. After a restart
 * the worker refills it from the job rows.
 */
import type { Database } from '../../ports/database.ts';
import type { Delivered, Delivery, JobKind, Queue } from '../../ports/queue.ts';

type Handle = (delivery: Delivered) => Promise<void>;

export class InProcessQueue implements Queue {
  readonly #queues: Record<JobKind, FairQueue>;

  constructor(maxPerOrganization = Infinity) {
    this.#queues = { export: new FairQueue(maxPerOrganization), agent: new FairQueue(maxPerOrganization) };
  }

  /**
   * The transaction of `database` may still be open. SQLite has one connection, so a consumer reads the row
   * only after the commit or the rollback.
   */
  async send(_database: Database, ...deliveries: Delivery[]): Promise<void> {
    for (const delivery of deliveries) this.#queues[delivery.kind].send(delivery);
  }

  async consume(kind: JobKind, concurrency: number, handle: Handle): Promise<void> {
    this.#queues[kind].consume(concurrency, handle);
  }

  async held(jobIds: readonly string[]): Promise<Set<string>> {
    return new Set(jobIds.filter((id) => Object.values(this.#queues).some((queue) => queue.holds(id))));
  }

  async stop(): Promise<void> {
    await Promise.all(Object.values(this.#queues).map((queue) => queue.stop()));
  }
}

class FairQueue {
  readonly #waiting = new Map<string, Delivery[]>();
  readonly #waitingIds = new Set<string>();
  readonly #running = new Map<Delivery, Promise<void>>();
  readonly #maxPerOrganization: number;
  #handle: Handle | undefined;
  #concurrency = 0;
  #stopped = false;

  constructor(maxPerOrganization: number) {
    this.#maxPerOrganization = maxPerOrganization;
  }

  send(delivery: Delivery): void {
    const list = this.#waiting.get(delivery.organizationId) ?? [];
    const index = list.findIndex(({ jobId }) => jobId === delivery.jobId);
    if (index !== -1) {
      list[index] = delivery;
      return;
    }
    this.#waitingIds.add(delivery.jobId);
    if (list.length === 0) this.#waiting.set(delivery.organizationId, list);
    const nextLower = list.findIndex(({ priority }) => priority < delivery.priority);
    list.splice(nextLower === -1 ? list.length : nextLower, 0, delivery);
    this.#fill();
  }

  consume(concurrency: number, handle: Handle): void {
    this.#concurrency = concurrency;
    this.#handle = handle;
    this.#fill();
  }

  holds(jobId: string): boolean {
    return this.#waitingIds.has(jobId) || [...this.#running.keys()].some((each) => each.jobId === jobId);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#running.values());
  }

  #fill(): void {
    while (!this.#stopped && this.#handle !== undefined && this.#running.size < this.#concurrency) {
      const next = this.#next();
      if (next === undefined) return;
      const settled = () => {
        this.#running.delete(next);
        this.#fill();
      };
      this.#running.set(next, this.#handle({ ...next, isRedelivery: false }).then(settled, settled));
    }
  }

  /** Takes from the organization that was served longest ago. */
  #next(): Delivery | undefined {
    for (const [organizationId, list] of this.#waiting) {
      if (this.#countRunning(organizationId) >= this.#maxPerOrganization) continue;
      this.#waiting.delete(organizationId);
      const delivery = list.shift();
      if (list.length > 0) this.#waiting.set(organizationId, list);
      if (delivery === undefined) continue;
      this.#waitingIds.delete(delivery.jobId);
      return delivery;
    }
    return undefined;
  }

  #countRunning(organizationId: string): number {
    return [...this.#running.keys()].filter((each) => each.organizationId === organizationId).length;
  }
}
