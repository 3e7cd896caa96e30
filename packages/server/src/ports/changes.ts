/**
 * Tells whoever waits that a job has changed. It carries no data: whoever is told reads the row. The name `keys` stands
 * for every API key and organization.
 */
export interface JobChanges {
  /** False while changes elsewhere may go untold: then nobody may conclude from silence that nothing has changed. */
  readonly isLive: boolean;
  /** Called after the commit by whoever has changed it; where the database tells of changes itself, nothing happens. */
  notify(jobId: string): void;
  /** Returns the function that ends the listening. */
  listen(jobId: string, listener: () => void): () => void;
  /**
   * The next change, the end of the time, or the end of the signal, whichever is first. Listening begins with the
   * call: make it before reading, or a change in between is missed. `stop` must be called.
   */
  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange;
  /**
   * True while changes of every process are told here, so that silence means no change. While it is false, listeners of
   * another process' changes are told now and then to look again.
   */
  readonly isLive: boolean;
  close(): Promise<void>;
}

export interface NextChange {
  happened: Promise<'changed' | 'quiet' | 'over'>;
  stop(): void;
}
