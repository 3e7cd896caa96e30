/**
 * What the program tells its operator about itself, as numbers and as traces. Labels come from closed lists: neither
 * names nor ids of tenants are among them, so that a monitoring system may be seen by everybody who operates.
 */
import type { JobKind } from './queue.ts';

export interface Measures {
  requestEnded(request: RequestMeasure): void;
  /** A job has been taken from the queue. */
  jobStarted(job: { kind: JobKind; waitSeconds: number }): void;
  /** One attempt is over. The outcome is `completed`, `handed_back`, `lost`, or the code of a failure. */
  jobEnded(job: { kind: JobKind; outcome: string; seconds: number } & JobYield): void;
  /** A phase of an attempt is over. */
  phaseEnded(phase: { kind: JobKind; phase: string; seconds: number }): void;
  webhookAttempted(outcome: WebhookOutcome): void;
  signInFailed(method: 'password' | 'oidc'): void;
  /** One request to the object storage, of which a call may take several. */
  s3Requested(request: { operation: string; seconds: number; failed: boolean }): void;
  /** What the caches of exports use on the disk. */
  cacheMeasured(bytes: number): void;
  queryEnded(query: { seconds: number; failed: boolean }): void;
  /** The function is asked each time the numbers are read. */
  watchConnections(read: () => Connections): void;
  /** Everything so far, in the text format of Prometheus; `state` is what only the caller knows. */
  read(state: MeasuredState): Promise<{ type: string; text: string }>;
}

export interface RequestMeasure {
  /** An operation of the API, or `bundle`, `page` or `other`. */
  operation: string;
  status: number;
  seconds: number;
  /** The code of the error that was answered. */
  problem?: string | undefined;
}

export interface JobYield {
  pages?: number;
  bundleBytes?: number;
}

export type WebhookOutcome = 'delivered' | 'refused';

export interface Connections {
  busy: number;
  idle: number;
  /** Queries that wait for a connection. */
  waiting: number;
}

/** The same for every process on one database: whoever adds up processes must take the largest. */
export interface MeasuredState {
  /** Undefined while the database cannot be asked. */
  jobs?: { kind: string; status: string; count: number; oldestSeconds: number }[];
  webhooksWaiting?: number;
  diskFreeBytes?: number;
  /** Undefined until the isolation was probed. */
  isolationLevel?: number;
}

export interface Tracer {
  /** `parent` is a `traceparent` header of whoever asked. */
  start(name: string, options: { kind: 'request' | 'job'; parent?: string | undefined }): Span;
  /** Sends what has not been sent yet. */
  close(): Promise<void>;
}

export interface Span {
  /** For log lines. Undefined when nothing is traced. */
  readonly traceId: string | undefined;
  /** A part of the work; it ends by its own. */
  start(name: string): Span;
  end(how?: SpanEnd): void;
}

export interface SpanEnd {
  /** Replaces the name that it began with. */
  name?: string;
  attributes?: Record<string, string | number>;
  /** One sentence; its absence means success. */
  failure?: string | undefined;
}
