/**
 * Tells whoever waits that a job has changed. It carries no data: whoever is told reads the row. The name `keys` stands
 * for every API key and organization, `jobs:…` for every job of one organization.
 */
export interface JobChanges {
  /** Called after the commit by whoever has changed it: in this process listeners are told before the call returns. */
  notify(jobId: string): void;
  /** Returns the function that ends the listening. */
  listen(jobId: string, listener: () => void): () => void;
  /**
   * The next change, the end of the time, or the end of the signal, whichever is first. Listening begins with the
   * call: make it before reading, or a change in between is missed. `stop` must be called.
   */
  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange;
  /**
   * False while what other processes tell cannot be heard: then silence means nothing, and listeners are told now and
   * then to look again. Where other processes never tell, it is true.
   */
  readonly isLive: boolean;
  close(): Promise<void>;
}

export interface NextChange {
  happened: Promise<'changed' | 'quiet' | 'over'>;
  stop(): void;
}
