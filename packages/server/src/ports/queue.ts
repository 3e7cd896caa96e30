/**
 * Delivers job ids to workers. The job row is the truth: a delivery may come twice or for a job that has moved
 * on, and the claim decides.
 */
import type { Database } from './database.ts';

export const jobKinds = ['export', 'agent'] as const;
export type JobKind = (typeof jobKinds)[number];

export interface Delivery {
  kind: JobKind;
  jobId: string;
  organizationId: string;
  /** The attempts that were made before; a delivery for another number is out of date. */
  attempt: number;
  /** Higher goes first within an organization: what was handed back, then what was asked for, then previews. */
  priority: -1 | 0 | 1;
}

export interface Delivered extends Delivery {
  /** It was delivered before, to a worker that is gone since. */
  isRedelivery: boolean;
}

export interface Queue {
  /**
   * Part of the transaction that writes the jobs as queued, so that there is never one without the other. The same job
   * and attempt is not put in line a second time.
   */
  send(database: Database, ...deliveries: Delivery[]): Promise<void>;
  /**
   * Each kind has its own line: exports wait for exports only. Organizations are served in turn, and none has more
   * under way than its limit. A delivery whose handler rejects counts as handled: the handler answers for its own faults.
   */
  consume(kind: JobKind, concurrency: number, handle: (delivery: Delivered) => Promise<void>): Promise<void>;
  /** Of these jobs, the ones that wait in line or are in the hand of a worker that lives. */
  held(jobIds: readonly string[]): Promise<Set<string>>;
  /** Takes no further delivery; resolves when every one under way has been handled. */
  stop(): Promise<void>;
}
