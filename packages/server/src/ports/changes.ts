/**
 * Announces that a job has changed. Announcements carry no data; listeners read the row. The name `keys` stands for
 * every API key and organization, `jobs:…` for every job of one organization.
 */
export interface JobChanges {
  /** Called after the commit. Listeners in this process run before the call returns. */
  notify(jobId: string): void;
  /** Returns a function that stops listening. */
  listen(jobId: string, listener: () => void): () => void;
  /**
   * Resolves on the next change, the timeout or the abort, whichever is first. Call it before reading, because a
   * change in between would be missed. The caller must call `stop`.
   */
  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange;
  /**
   * False while announcements of other processes cannot be received; listeners are then called periodically to read
   * again.
   */
  readonly isLive: boolean;
  close(): Promise<void>;
}

export interface NextChange {
  happened: Promise<'changed' | 'quiet' | 'over'>;
  stop(): void;
}
