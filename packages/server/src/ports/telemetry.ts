/**
 * Metrics and traces. Labels come from closed lists and contain no names or ids of tenants, because operators share
 * their monitoring.
 */
import type { JobKind } from './queue.ts';

export interface Measures {
  requestEnded(request: RequestMeasure): void;
  jobStarted(job: { kind: JobKind; waitSeconds: number }): void;
  /**
   * One attempt ended. The outcome is `completed`, `handed_back`, `lost`, or a failure code. The duration is unknown when
   * another process worked on it.
   */
  jobEnded(job: { kind: JobKind; outcome: string; seconds?: number } & JobOutput): void;
  phaseEnded(phase: { kind: JobKind; phase: string; seconds: number }): void;
  webhookAttempted(outcome: WebhookOutcome): void;
  signInFailed(method: 'password' | 'oidc'): void;
  /** One HTTP request to the object storage; one call may need several. */
  s3Requested(request: { operation: string; seconds: number; failed: boolean }): void;
  /** Disk usage of the build caches. */
  cacheMeasured(bytes: number): void;
  queryEnded(query: { seconds: number; failed: boolean }): void;
  /** `read` is called for each scrape. */
  watchConnections(read: () => Connections): void;
  /** All metrics in the Prometheus text format; `state` holds the values that only the caller knows. */
  read(state: MeasuredState): Promise<{ type: string; text: string }>;
}

export interface RequestMeasure {
  /** An operation of the API, or `bundle`, `page` or `other`. */
  operation: string;
  status: number;
  seconds: number;
  /** The error code of the response. */
  problem?: string | undefined;
}

export interface JobOutput {
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

/** The same for every process on one database: aggregate these with max, not sum. */
export interface MeasuredState {
  /** Undefined while the database does not answer. */
  jobs?: { kind: string; status: string; count: number; oldestSeconds: number }[];
  webhooksWaiting?: number;
  diskFreeBytes?: number;
  /** Undefined until the isolation was probed. */
  isolationLevel?: number;
}

export interface Tracer {
  /** `parent` is the `traceparent` header of the caller. */
  start(name: string, options: { kind: 'request' | 'job'; parent?: string | undefined }): Span;
  /** Sends pending spans. */
  close(): Promise<void>;
}

export interface Span {
  /** For log lines. Undefined when tracing is off. */
  readonly traceId: string | undefined;
  /** A child span, ended separately. */
  start(name: string): Span;
  end(how?: SpanEnd): void;
}

export interface SpanEnd {
  /** Replaces the initial name. */
  name?: string;
  attributes?: Record<string, string | number>;
  /** One sentence; undefined means success. */
  failure?: string | undefined;
}
