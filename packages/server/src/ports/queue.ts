/**
 * Delivers job ids to workers. The job row is authoritative: a delivery may arrive twice or for a job whose state has
 * changed, and claiming the row decides.
 */
import type { Database } from './database.ts';

export const jobKinds = ['export', 'agent'] as const;
export type JobKind = (typeof jobKinds)[number];

export interface Delivery {
  kind: JobKind;
  jobId: string;
  organizationId: string;
  /** The number of earlier attempts; a delivery with another number is outdated. */
  attempt: number;
  /** Order within an organization: returned jobs (1), requested jobs (0), previews (-1). */
  priority: -1 | 0 | 1;
}

export interface Delivered extends Delivery {
  /** The delivery was sent before, to a worker that was lost. */
  isRedelivery: boolean;
}

export interface Queue {
  /**
   * Runs in the transaction that queues the jobs, so that no job lacks a delivery. A second delivery for the same job
   * and attempt is ignored.
   */
  send(database: Database, ...deliveries: Delivery[]): Promise<void>;
  /**
   * Each kind has a separate queue. Organizations are served round-robin, each up to its limit of running jobs. A
   * delivery whose handler rejects counts as handled.
   */
  consume(kind: JobKind, concurrency: number, handle: (delivery: Delivered) => Promise<void>): Promise<void>;
  /** The subset of these jobs that is queued or held by a live worker. */
  held(jobIds: readonly string[]): Promise<Set<string>>;
  /** Accepts no further delivery; resolves when all running handlers are done. */
  stop(): Promise<void>;
}
