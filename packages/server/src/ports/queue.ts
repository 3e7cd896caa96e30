/**
 * Delivers job ids to workers. The job row is the truth: a delivery may come twice or for a job that has moved
 * on, and the claim decides.
 */
export const jobKinds = ['export', 'agent'] as const;
export type JobKind = (typeof jobKinds)[number];

export interface Delivery {
  kind: JobKind;
  jobId: string;
  organizationId: string;
}

export interface Queue {
  /** A job that waits already is not put in line a second time. */
  send(delivery: Delivery): void;
  /**
   * Each kind has its own line: exports wait for exports only. A delivery whose handler rejects counts as handled: the
   * handler answers for its own faults.
   */
  consume(kind: JobKind, concurrency: number, handle: (delivery: Delivery) => Promise<void>): void;
  /** Takes no further delivery; resolves when every one under way has been handled. */
  stop(): Promise<void>;
}
