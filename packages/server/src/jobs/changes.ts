/**
 * Tells listeners in this process that a job has changed. It carries no data: whoever is told reads the row.
 */
export class JobChanges {
  readonly #listeners = new Map<string, Set<() => void>>();

  notify(jobId: string): void {
    for (const listener of this.#listeners.get(jobId) ?? []) listener();
  }

  /** Returns the function that ends the listening. */
  listen(jobId: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(jobId) ?? new Set();
    this.#listeners.set(jobId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(jobId) === listeners) this.#listeners.delete(jobId);
    };
  }

  /**
   * The next change, the end of the time, or the end of the signal, whichever is first. Listening begins with the
   * call: make it before reading, or a change in between is missed. `stop` must be called.
   */
  next(jobId: string, options: { seconds: number; signal: AbortSignal }) {
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

  get listenedJobs(): number {
    return this.#listeners.size;
  }
}
