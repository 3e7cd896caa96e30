/**
 * Detects overload by timer delay. One late timer is a pause of the machine; several in a row mean that requests
 * arrive faster than they are handled.
 */
import type { Operation } from '@docyard/api';
import { Problem } from '../problem.ts';

const intervalMs = 250;
const maxLagMs = 500;
const minConsecutiveLags = 3;

export class EventLoopLag {
  readonly #now: () => number;
  #sampledAtMs: number;
  #consecutiveLags = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#sampledAtMs = now();
  }

  watch(until: AbortSignal): void {
    const timer = setInterval(() => this.sample(), intervalMs).unref();
    until.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  sample(): void {
    this.#consecutiveLags = this.#isLagging() ? this.#consecutiveLags + 1 : 0;
    this.#sampledAtMs = this.#now();
  }

  /** Includes the pending sample, because requests may be handled before the timer fires. */
  get isOverloaded(): boolean {
    return this.#consecutiveLags + (this.#isLagging() ? 1 : 0) >= minConsecutiveLags;
  }

  #isLagging(): boolean {
    return this.#now() - this.#sampledAtMs - intervalMs > maxLagMs;
  }
}

/** A stopping or overloaded server still answers reads. */
export function refuseWork(
  { stopping, eventLoopLag }: { stopping: AbortSignal; eventLoopLag: EventLoopLag },
  { method, errors }: Operation,
): void {
  const headers = { 'retry-after': '5' };
  if (stopping.aborted && method !== 'get') {
    const message = 'The server is stopping and accepts no new work. Try again in a few seconds.';
    throw new Problem('draining', message, { headers });
  }
  if (eventLoopLag.isOverloaded && errors.includes('queue_full')) {
    const message = 'The server is overloaded. Try again in a few seconds.';
    throw new Problem('overloaded', message, { headers });
  }
}
