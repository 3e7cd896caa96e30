/**
 * Whether this process keeps up: how much later than asked a timer is called. Late once is a pause of the machine; late
 * again and again means that more comes in than can be answered, and new work is better sent elsewhere.
 */
import type { Operation } from '@docyard/api';
import { Problem } from '../problem.ts';

const everyMs = 250;
const lateMs = 500;
const timesInARow = 3;

export class EventLoopLag {
  readonly #now: () => number;
  #lookedAtMs: number;
  #timesLate = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#lookedAtMs = now();
  }

  watch(until: AbortSignal): void {
    const timer = setInterval(() => this.look(), everyMs).unref();
    until.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  look(): void {
    this.#timesLate = this.#isLateNow() ? this.#timesLate + 1 : 0;
    this.#lookedAtMs = this.#now();
  }

  /** The look that is due counts already: requests may be answered before the timer is called. */
  get isTooLate(): boolean {
    return this.#timesLate + (this.#isLateNow() ? 1 : 0) >= timesInARow;
  }

  #isLateNow(): boolean {
    return this.#now() - this.#lookedAtMs - everyMs > lateMs;
  }
}

/** A server that stops, or cannot keep up, goes on answering reads. */
export function refuseWork(
  { stopping, eventLoopLag }: { stopping: AbortSignal; eventLoopLag: EventLoopLag },
  { method, errors }: Operation,
): void {
  const headers = { 'retry-after': '5' };
  if (stopping.aborted && method !== 'get') {
    const message = 'The server is stopping and takes no new work. Try again in a few seconds.';
    throw new Problem('draining', message, { headers });
  }
  if (eventLoopLag.isTooLate && errors.includes('queue_full')) {
    const message = 'There is more to do here than can be done. Try again in a few seconds.';
    throw new Problem('overloaded', message, { headers });
  }
}
