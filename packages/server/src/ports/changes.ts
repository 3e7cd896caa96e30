/**
 * Tells whoever waits that a job has changed. It carries no data: whoever is told reads the row.
 */
export interface JobChanges {
  notify(jobId: string): void;
  /** Returns the function that ends the listening. */
  listen(jobId: string, listener: () => void): () => void;
  /**
   * The next change, the end of the time, or the end of the signal, whichever is first. Listening begins with the
   * call: make it before reading, or a change in between is missed. `stop` must be called.
   */
  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange;
}

export interface NextChange {
  happened: Promise<'changed' | 'quiet' | 'over'>;
  stop(): void;
}
