/** Logs, metrics and traces of requests and jobs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { compose, openTelemetry } from '../compose.ts';
import { readConfig, type Environment } from '../config.ts';
import type { Context } from '../context.ts';
import { prepareDataFolder } from '../data-folder.ts';
import { signPreview } from '../exports/preview-links.ts';
import { sweepProjectCaches } from '../build-cache/cache-folder.ts';
import { RunnerLostError } from '../jobs/failure.ts';
import { Worker, type Runners } from '../jobs/worker.ts';
import { openServiceLog } from '../log.ts';
import { findIsolation } from '../sandbox/isolation.ts';
import {
  cleanUp,
  createExport,
  createTenant,
  createTestProject,
  jsonBody,
  serveForTest,
  temporaryFolder,
  until,
} from '../../test/support/test-context.ts';

async function composeObserved(environment: Environment = {}) {
  const config = readConfig({ DATA_DIR: temporaryFolder('observed'), LOG_LEVEL: 'silent', ...environment });
  await prepareDataFolder(config.dataDir);
  const lines: string[] = [];
  const log = openServiceLog(
    { ...config, logLevel: 'info' },
    { write: (line: string) => void lines.push(line) },
  );
  const context: Context = { ...(await compose(config, await openTelemetry(config))), log };
  cleanUp(() => context.close());
  return { context, lines, logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

const runners: Runners = {
  export: async (_context, { report }) => {
    await report({ phase: 'rendering' });
    await report({ phase: 'packing' });
    return { result: {}, pageCount: 3, bundleBytes: 1000 };
  },
  agent: async () => {
    throw new Error('not used');
  },
};

async function runOneJob(context: Context) {
  const tenant = await createTenant(context);
  const job = await createExport(context, tenant, await createTestProject(context, tenant));
  const worker = new Worker(context, runners);
  await worker.start();
  const isDone = async () => {
    const row = await context.database.selectFrom('jobs').select('status').executeTakeFirstOrThrow();
    return row.status === 'completed';
  };
  await until(isDone);
  await worker.stop();
  return job;
}

describe('the log line of a request', () => {
  it('the line of a preview names its export without the signature', async () => {
    const { context, lines, logged } = await composeObserved();
    const { request } = await serveForTest(context);
    const link = { jobId: 'se_0123456789abcdef', generation: 1, expires: 1_999_999_999 };
    const path = signPreview(context.secrets, link);
    await request(`${path}guides/start.html`);
    const line = logged().find(({ operation }) => operation === 'preview');
    expect(line).toMatchObject({ jobId: link.jobId, path: expect.stringMatching(/…\/guides\/start\.html$/) });
    expect(lines.join('')).not.toContain(path.split('.').at(-1)?.slice(0, -1));
  });

  it('the line has the id, operation, status, duration, key, organization and started job of the request', async () => {
    const { context, logged } = await composeObserved();
    const tenant = await createTenant(context);
    const { domain } = await createTestProject(context, tenant);
    const service = await serveForTest(context);
    const started = await service.request('/v1/static-export/jobs', {
      ...jsonBody({ domain }),
      key: tenant.key.key,
      headers: { 'content-type': 'application/json', 'x-request-id': 'from-outside-1' },
    });
    expect(started.status).toBe(202);
    const { jobId } = (await started.json()) as { jobId: string };
    expect(logged().filter(({ msg }) => msg === 'request')).toEqual([
      {
        level: 30,
        time: expect.any(Number) as number,
        requestId: 'from-outside-1',
        method: 'POST',
        path: '/v1/static-export/jobs',
        operation: 'startExport',
        status: 202,
        ms: expect.any(Number) as number,
        keyId: tenant.key.id,
        organizationId: tenant.organizationId,
        jobId,
        msg: 'request',
      },
    ]);
  });

  it('the line has the code of an error and no key from the URL', async () => {
    const { context, lines, logged } = await composeObserved();
    const tenant = await createTenant(context);
    const service = await serveForTest(context);
    await service.request(`/v1/me?key=${tenant.key.key}`);
    await service.request(`/v1/${tenant.key.key}`, { key: tenant.key.key });
    expect(logged().map(({ problem }) => problem)).toEqual(['key_in_query', 'not_found']);
    expect(lines.join('')).not.toContain(tenant.key.key);
  });

  it('the line is omitted for successful polls of a status', async () => {
    const { context, logged } = await composeObserved();
    const tenant = await createTenant(context);
    const job = await createExport(context, tenant, await createTestProject(context, tenant));
    const service = await serveForTest(context);
    const poll = () => service.request(`/v1/static-export/jobs/${job.id}`, { key: tenant.key.key });
    expect([(await poll()).status, (await poll()).status]).toEqual([200, 200]);
    expect(logged()).toEqual([]);
    expect((await service.request(`/v1/static-export/jobs/${job.id}`)).status).toBe(401);
    expect(logged()).toMatchObject([{ level: 30, operation: 'readExport', status: 401 }]);
  });

  it('a response with status 500 is logged as an error, with a second line for the stack, the request and its caller', async () => {
    const { context, logged } = await composeObserved();
    const tenant = await createTenant(context);
    const service = await serveForTest(context);
    await context.database.schema.alterTable('projects').renameTo('projects_away').execute();
    const failed = await service.request('/v1/projects', { key: tenant.key.key });
    const requestId = failed.headers.get('x-request-id');
    expect(failed.status).toBe(500);
    const lines = logged().filter((line) => line['requestId'] === requestId);
    expect(lines).toMatchObject([
      {
        level: 50,
        msg: 'request failed',
        method: 'GET',
        path: '/v1/projects',
        operation: 'listProjects',
        keyId: tenant.key.id,
        organizationId: tenant.organizationId,
        err: {
          message: expect.stringContaining('no such table') as string,
          stack: expect.any(String) as string,
        },
      },
      { level: 50, msg: 'request', operation: 'listProjects', status: 500, problem: 'internal' },
    ]);
  });

  it('the line is omitted for successful probes', async () => {
    const { context, logged } = await composeObserved();
    const service = await serveForTest(context);
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await service.request(path)).status).toBe(200);
    }
    expect(logged()).toEqual([]);
  });
});

describe('the log line of a lost attempt', () => {
  it('the line names the job once', async () => {
    const { context, lines } = await composeObserved();
    const tenant = await createTenant(context);
    const job = await createExport(context, tenant, await createTestProject(context, tenant));
    const lose = async () => {
      throw new RunnerLostError('The process was killed.');
    };
    const worker = new Worker(context, { ...runners, export: lose });
    await worker.start();
    const found = () => lines.filter((each) => each.includes('job requeued'));
    await until(async () => found().length > 0);
    await worker.stop();
    const [line = ''] = found();
    expect(line.split('"jobId"')).toHaveLength(2);
    expect(JSON.parse(line)).toMatchObject({ jobId: job.id, attempt: 1, cause: 'process_killed' });
  });
});

describe('/metrics', () => {
  it('the metrics include phase durations, failed sign-ins, the isolation level and the cache size', async () => {
    const { context } = await composeObserved();
    await findIsolation();
    await runOneJob(context);
    await sweepProjectCaches(context);
    const service = await serveForTest(context);
    const body = { email: 'ada@example.com', password: 'a lighthouse keeper' };
    expect((await service.request('/v1/session', jsonBody(body))).status).toBe(401);
    const samples = parseMetrics(await (await service.request('/metrics')).text());
    const phase = 'docyard_job_phase_duration_seconds_count{kind="export",phase="rendering"}';
    expect(samples.get(phase)).toBe(1);
    expect(samples.get('docyard_job_duration_seconds_bucket{le="0.1",kind="export"}')).toBeDefined();
    expect(samples.get('docyard_sign_in_failures_total{method="password"}')).toBe(1);
    expect(samples.get('docyard_sign_in_failures_total{method="oidc"}')).toBe(0);
    expect(samples.get('docyard_cache_bytes')).toBe(0);
    expect(samples.get('docyard_isolation_level')).toBe((await findIsolation()).level);
  });

  it('the metrics describe requests, jobs and the database in the Prometheus format without data of tenants', async () => {
    const { context } = await composeObserved();
    const job = await runOneJob(context);
    const tenant = await createTenant(context, { name: 'Second' });
    await createExport(context, tenant, await createTestProject(context, tenant));
    const service = await serveForTest(context);
    await service.request('/v1/me', { key: tenant.key.key });
    await service.request('/v1/me');
    const answer = await service.request('/metrics');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    const samples = parseMetrics(text);
    const value = (name: string) => samples.get(name);
    expect(value('docyard_http_request_duration_seconds_count{operation="readMe",status="2xx"}')).toBe(1);
    expect(value('docyard_http_request_duration_seconds_count{operation="readMe",status="4xx"}')).toBe(1);
    expect(value('docyard_http_problems_total{code="unauthorized"}')).toBe(1);
    expect(value('docyard_job_attempts_total{kind="export",outcome="completed"}')).toBe(1);
    expect(value('docyard_job_duration_seconds_count{kind="export"}')).toBe(1);
    expect(value('docyard_job_wait_seconds_count{kind="export"}')).toBe(1);
    expect(value('docyard_jobs{kind="export",status="queued"}')).toBe(1);
    expect(value('docyard_job_oldest_seconds{kind="export",status="queued"}')).toBeGreaterThanOrEqual(0);
    expect(value('docyard_pages_rendered_total')).toBe(3);
    expect(value('docyard_bundle_bytes_total')).toBe(1000);
    expect(value('docyard_database_up')).toBe(1);
    expect(value('docyard_database_query_duration_seconds_count')).toBeGreaterThan(10);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect([...samples.keys()].some((name) => name.startsWith('nodejs_eventloop_lag_p99'))).toBe(true);
    const { organizationId, key } = tenant;
    for (const secret of [organizationId, key.id, job.id, job.domain, 'Second']) {
      expect(text).not.toContain(secret);
    }
  });

  it('the metrics are refused to callers outside the internal network, with and without a trusted proxy', async () => {
    const { context } = await composeObserved();
    const service = await serveForTest(context);
    const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } };
    expect((await service.request('/metrics', forwarded)).status).toBe(403);
    const trusting = { ...context, config: { ...context.config, trustProxy: true } };
    const behindProxy = await serveForTest(trusting);
    expect((await behindProxy.request('/metrics', forwarded)).status).toBe(403);
    const near = { headers: { 'x-forwarded-for': '10.1.2.3' } };
    expect((await behindProxy.request('/metrics', near)).status).toBe(200);
  });
});

/** Rejects samples without a type or help text and series that occur twice. */
function parseMetrics(text: string): Map<string, number> {
  const families = new Map<string, Set<string>>();
  const samples = new Map<string, number>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, word, family] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) ./.exec(line) ?? [];
    if (word !== undefined && family !== undefined) {
      families.set(family, (families.get(family) ?? new Set()).add(word));
      continue;
    }
    const label = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
    const pattern = new RegExp(
      String.raw`^([a-zA-Z_:][\w:]*)(\{${label}(?:,${label})*\})? ([-+.eE\d]+|NaN|[+-]Inf)$`,
    );
    const [, name, labels = '', number] = pattern.exec(line) ?? [];
    if (name === undefined || number === undefined) throw new Error(`Not a sample: ${line}`);
    const described = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (described?.size !== 2) throw new Error(`Without type or help: ${line}`);
    if (samples.has(name + labels)) throw new Error(`Twice: ${line}`);
    samples.set(name + labels, Number(number));
  }
  return samples;
}

interface SentSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** An OpenTelemetry collector that stores the spans it receives. */
async function startCollector() {
  const spans: SentSpan[] = [];
  const services: unknown[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans } = JSON.parse(body) as {
        resourceSpans: { resource: { attributes: unknown }; scopeSpans: { spans: SentSpan[] }[] }[];
      };
      for (const { resource, scopeSpans } of resourceSpans) {
        services.push(resource.attributes);
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => void server.close());
  return { spans, services, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('traces', () => {
  it('the spans of requests continue the trace of the caller, and those of jobs contain their phases', async () => {
    const { spans, services, endpoint } = await startCollector();
    const { context } = await composeObserved({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const job = await runOneJob(context);
    const service = await serveForTest(context);
    const [traceId, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    await service.request('/v1/me', { headers: { traceparent: `00-${traceId}-${parent}-01` } });
    await service.request('/v1/me', { headers: { traceparent: 'nonsense' } });
    await context.tracer.close();
    const named = (name: string) => spans.filter((span) => span.name === name);
    const [first, second] = named('GET readMe');
    expect(first).toMatchObject({ traceId, parentSpanId: parent });
    expect(second?.traceId).not.toBe(traceId);
    const [whole] = named('job export');
    const attribute = whole?.attributes.find(({ key }) => key === 'docyard.job.id');
    expect(attribute?.value.stringValue).toBe(job.id);
    for (const phase of ['fetching', 'rendering', 'packing']) {
      expect(named(phase)).toMatchObject([{ traceId: whole?.traceId, parentSpanId: whole?.spanId }]);
    }
    expect(services[0]).toContainEqual({ key: 'service.name', value: { stringValue: 'docyard' } });
  });

  it('requests are served although the collector is unreachable', async () => {
    const { context } = await composeObserved({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const service = await serveForTest(context);
    expect((await service.request('/healthz')).status).toBe(200);
    await expect(context.tracer.close()).resolves.toBeUndefined();
  });
});
