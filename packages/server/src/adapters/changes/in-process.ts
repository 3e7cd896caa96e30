/** Notifications of changes within one process. */
import type { JobChanges, NextChange } from '../../ports/changes.ts';

export class InProcessChanges implements JobChanges {
  readonly isLive = true;
  readonly #listeners = new Map<string, Set<() => void>>();

  notify(jobId: string): void {
    for (const listener of this.#listeners.get(jobId) ?? []) listener();
  }

  /** Used when notifications may have been lost. */
  notifyAll(): void {
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener();
  }

  listen(jobId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(jobId) ?? new Set();
    this.#listeners.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(jobId) === listeners) this.#listeners.delete(jobId);
    };
  }

  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange {
    let stop = () => {};
    const happened = new Promise<'changed' | 'quiet' | 'over'>((resolve) => {
      const over = () => resolve('over');
      const timer = setTimeout(() => resolve('quiet'), options.seconds * 1000);
      const unlisten = this.listen(jobId, () => resolve('changed'));
      if (options.signal.aborted) over();
      options.signal.addEventListener('abort', over, { once: true });
      stop = () => {
        clearTimeout(timer);
        unlisten();
        options.signal.removeEventListener('abort', over);
      };
    });
    return { happened, stop };
  }

  async close(): Promise<void> {}

  isListenedTo(jobId: string): boolean {
    return this.#listeners.has(jobId);
  }

  /** The number of jobs with listeners; tests use it to detect leaks. */
  get listenedJobs(): number {
    return this.#listeners.size;
  }
}
