/** Metrics of one process. prom-client loads slowly: import this file only where metrics are served. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type {
  Connections,
  JobOutput,
  Measures,
  MeasuredState,
  RequestMeasure,
  WebhookOutcome,
} from '../../ports/telemetry.ts';
import type { JobKind } from '../../ports/queue.ts';

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const jobBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600];
const s3Buckets = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 120];
const queryBuckets = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

export class PrometheusMeasures implements Measures {
  readonly #registry = new Registry();
  readonly #requests = this.#histogram('http_request_duration_seconds', 'Time until the response began.', {
    labels: ['operation', 'status'],
    buckets: requestBuckets,
  });
  readonly #problems = this.#counter('http_problems_total', 'Error responses by code.', ['code']);
  readonly #waits = this.#histogram('job_wait_seconds', 'Time from the request to the first attempt.', {
    labels: ['kind'],
    buckets: jobBuckets,
  });
  readonly #jobs = this.#histogram('job_duration_seconds', 'Duration of an attempt.', {
    labels: ['kind'],
    buckets: jobBuckets,
  });
  readonly #phases = this.#histogram('job_phase_duration_seconds', 'Duration of a phase of an attempt.', {
    labels: ['kind', 'phase'],
    buckets: jobBuckets,
  });
  readonly #outcomes = this.#counter('job_attempts_total', 'Attempts that ended, by outcome.', [
    'kind',
    'outcome',
  ]);
  readonly #pages = this.#counter('pages_rendered_total', 'Pages of completed exports.', []);
  readonly #bytes = this.#counter('bundle_bytes_total', 'Bytes of the bundles of completed exports.', []);
  readonly #webhooks = this.#counter('webhook_attempts_total', 'Attempts to deliver a webhook.', ['outcome']);
  readonly #signInFailures = this.#counter('sign_in_failures_total', 'Sign-ins that were refused.', [
    'method',
  ]);
  readonly #s3Requests = this.#histogram(
    's3_request_duration_seconds',
    'Duration of a request to the bucket.',
    {
      labels: ['operation'],
      buckets: s3Buckets,
    },
  );
  readonly #s3Errors = this.#counter('s3_errors_total', 'Requests to the bucket that failed.', ['operation']);
  readonly #cache = this.#gauge('cache_bytes', 'Disk space of the caches of exports.', []);
  readonly #isolation = this.#gauge('isolation_level', 'Isolation of rendering processes, 0 to 3.', []);
  readonly #queries = this.#histogram('database_query_duration_seconds', 'Duration of a query.', {
    labels: [],
    buckets: queryBuckets,
  });
  readonly #queryErrors = this.#counter('database_errors_total', 'Queries that failed.', []);
  readonly #connections = this.#gauge('database_connections', 'Connections of this process.', ['state']);
  readonly #waiting = this.#gauge('database_waiting', 'Queries that wait for a connection.', []);
  readonly #databaseUp = this.#gauge('database_up', '1 if the database responds.', []);
  readonly #open = this.#gauge('jobs', 'Queued and running jobs of all processes.', ['kind', 'status']);
  readonly #oldest = this.#gauge('job_oldest_seconds', 'Age of the oldest unfinished job.', [
    'kind',
    'status',
  ]);
  readonly #undelivered = this.#gauge('webhooks_waiting', 'Webhooks not delivered yet.', []);
  readonly #disk = this.#gauge('disk_free_bytes', 'Free space on the disk of the data folder.', []);
  #readConnections: (() => Connections) | undefined;

  constructor(build: { version: string; role: string }) {
    collectDefaultMetrics({ register: this.#registry });
    for (const method of ['password', 'oidc'] as const) this.#signInFailures.inc({ method }, 0);
    this.#gauge('build_info', 'Always 1; the labels describe the process.', ['version', 'role']).set(
      build,
      1,
    );
  }

  requestEnded({ operation, status, seconds, problem }: RequestMeasure): void {
    this.#requests.observe({ operation, status: `${Math.floor(status / 100)}xx` }, seconds);
    if (problem !== undefined) this.#problems.inc({ code: problem });
  }

  jobStarted({ kind, waitSeconds }: { kind: JobKind; waitSeconds: number }): void {
    this.#waits.observe({ kind }, waitSeconds);
  }

  jobEnded({ kind, outcome, seconds, ...counts }: Parameters<Measures['jobEnded']>[0]): void {
    if (seconds !== undefined) this.#jobs.observe({ kind }, seconds);
    this.#outcomes.inc({ kind, outcome });
    this.#countYield(counts);
  }

  phaseEnded({ kind, phase, seconds }: Parameters<Measures['phaseEnded']>[0]): void {
    this.#phases.observe({ kind, phase }, seconds);
  }

  signInFailed(method: Parameters<Measures['signInFailed']>[0]): void {
    this.#signInFailures.inc({ method });
  }

  s3Requested({ operation, seconds, failed }: Parameters<Measures['s3Requested']>[0]): void {
    this.#s3Requests.observe({ operation }, seconds);
    if (failed) this.#s3Errors.inc({ operation });
  }

  cacheMeasured(bytes: number): void {
    this.#cache.set(bytes);
  }

  webhookAttempted(outcome: WebhookOutcome): void {
    this.#webhooks.inc({ outcome });
  }

  queryEnded({ seconds, failed }: { seconds: number; failed: boolean }): void {
    this.#queries.observe(seconds);
    if (failed) this.#queryErrors.inc();
  }

  watchConnections(read: () => Connections): void {
    this.#readConnections = read;
  }

  async read(state: MeasuredState): Promise<{ type: string; text: string }> {
    this.#databaseUp.set(state.jobs === undefined ? 0 : 1);
    this.#open.reset();
    this.#oldest.reset();
    for (const { kind, status, count, oldestSeconds } of state.jobs ?? []) {
      this.#open.set({ kind, status }, count);
      this.#oldest.set({ kind, status }, oldestSeconds);
    }
    if (state.webhooksWaiting !== undefined) this.#undelivered.set(state.webhooksWaiting);
    if (state.diskFreeBytes !== undefined) this.#disk.set(state.diskFreeBytes);
    if (state.isolationLevel !== undefined) this.#isolation.set(state.isolationLevel);
    const { busy, idle, waiting } = this.#readConnections?.() ?? { busy: 0, idle: 0, waiting: 0 };
    this.#connections.set({ state: 'busy' }, busy);
    this.#connections.set({ state: 'idle' }, idle);
    this.#waiting.set(waiting);
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #countYield({ pages = 0, bundleBytes = 0 }: JobOutput): void {
    this.#pages.inc(pages);
    this.#bytes.inc(bundleBytes);
  }

  #counter(name: string, help: string, labelNames: string[]) {
    return new Counter({ name: `docyard_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: string[]) {
    return new Gauge({ name: `docyard_${name}`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, shape: { labels: string[]; buckets: number[] }) {
    const { labels: labelNames, buckets } = shape;
    const registers = [this.#registry];
    return new Histogram({ name: `docyard_${name}`, help, labelNames, buckets, registers });
  }
}
