/**
 * Measures status requests per second, latency and database load with thousands of pollers of one job or of one job each, on
 * SQLite and PostgreSQL, relative to a plain server that queries the database for each request.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitForExport } from '@docyard/api';
import { postgresMissing, startPostgres, type PostgresServer } from '../test/postgres.ts';
import { gitRepository, siteFiles, startService, type Service } from '../test/service.ts';
import { floors } from './floors.ts';
import {
  counted,
  median,
  percentile,
  rounded,
  verdict,
  type Measurement,
  type Verdict,
} from './measurement.ts';
import { plainTable, startFastify } from './peers/fastify-pg.ts';
import type { Polled, ToPollers } from './poller-client.ts';
import { cpuSecondsOf } from './process-tree.ts';

const rounds = 3;
const warmUpMs = 1000;
const measureMs = 5000;
/** The rate of all pollers together when they pause between requests. */
const pacedPerSecond = 2000;
/** Files that a process has open besides the sockets of the pollers. */
const otherFiles = 200;
const manyJobs = 10_000;
/** Pollers of one job share a cache entry; with one job each, most polls read the database. */
const ownJobs = ', each poller its own job';

const names = {
  embedded: 'Docyard, embedded (SQLite)',
  postgres: 'Docyard on PostgreSQL',
  plain: 'Fastify with pg, one select a request',
};

interface Target {
  name: string;
  port: number;
  pid: number;
  /** The raw requests; pollers use them in rotation. */
  requests: readonly string[];
  countQueries(): Promise<number>;
  stop(): unknown;
}

interface Figures {
  perSecond: number;
  p50: number;
  p99: number;
  pacedP50: number;
  pacedP99: number;
  errors: number;
  queriesPerSecond: number;
  requestsPerQuery: number;
  cpuMicroseconds: number;
}

export const pollers: Measurement = {
  name: 'pollers',
  about:
    'status GETs of 10,000 pollers, of one job and of as many, embedded, on PostgreSQL, and relative to Fastify with pg',
  async run(report, { pollers: wanted = 10_000 }) {
    const connections = Math.min(wanted, openFilesLimit() - otherFiles);
    const { targets, skipped, stop } = await startTargets(report, connections);
    const client = startClient();
    const measured = new Map<Target, Figures[]>(targets.map((target) => [target, []]));
    try {
      for (let round = 0; round < rounds; round += 1) {
        // Rotates the order, so that no target benefits from its position.
        for (let turn = 0; turn < targets.length; turn += 1) {
          const target = targets[(round + turn) % targets.length] as Target;
          report(`round ${round + 1} of ${rounds}: ${target.name}`);
          measured.get(target)?.push(await measure(client, target, { pollers: wanted, connections }));
        }
      }
    } finally {
      client.stop();
      await stop();
    }
    return {
      columns: [
        '',
        'requests/s',
        'p50 ms',
        'p99 ms',
        `p50 ms at ${pacedPerSecond}/s`,
        `p99 ms at ${pacedPerSecond}/s`,
        'errors',
        'database queries/s',
        'requests a query',
        'CPU µs a request',
      ],
      rows: [...measured].map(([target, figures]) => row(target, figures)),
      notes: [
        `${wanted} pollers, of one job unless the row says otherwise, over ${connections} kept-alive connections${connections < wanted ? ' (the limit of open files of this machine)' : ''}, medians of ${rounds} interleaved rounds. First each poller asks again as soon as it has its answer, so that its latency is mostly the wait behind the others; then all together ask ${pacedPerSecond} times a second. Pollers, servers and PostgreSQL share the cores.`,
        `Queries are counted by the adapter for SQLite and by pg_stat_database for PostgreSQL, including the queries of the queue; both while the pollers ask as fast as they can. PostgreSQL updates its counts up to a second late. CPU is that of the server's process, without PostgreSQL. Docyard checks a key and counts a rate for each request, Fastify does neither.`,
        ...skipped,
      ],
      verdicts: [verdictOf(measured)],
    };
  },
};

/** Compares on the same database as the plain server; the embedded one is shown for information. */
function verdictOf(measured: ReadonlyMap<Target, readonly Figures[]>): Verdict {
  const perSecond = (name: string): number | undefined => {
    const [, figures] = [...measured].find(([target]) => target.name === name) ?? [];
    return figures && median(figures.map((each) => each.perSecond));
  };
  const own = [perSecond(names.postgres), perSecond(names.postgres + ownJobs)];
  const plain = [perSecond(names.plain), perSecond(names.plain + ownJobs)];
  const format = (values: (number | undefined)[]) => {
    const [one, many] = values.map((value) => (value === undefined ? '–' : counted(value)));
    return many === undefined ? one : `${one} (each its own job ${many})`;
  };
  const isMissing = [...own, ...plain].includes(undefined);
  return verdict(
    'Status GETs per second, relative to Fastify + pg with one indexed select',
    `≥ ${floors.timesFastifyStatus} ×`,
    `${format(own)} on PostgreSQL, ${format([perSecond(names.embedded)])} embedded; Fastify ${format(plain)}`,
    isMissing
      ? undefined
      : own.every((value, index) => (value ?? 0) >= floors.timesFastifyStatus * (plain[index] ?? 0)),
  );
}

async function startTargets(report: (progress: string) => void, connections: number) {
  const environment = {
    // Before it authenticates, one address may open a quarter of these connections.
    LIMIT_CONNECTIONS: String(Math.max(1000, connections + otherFiles)),
    LIMIT_READS_PER_MINUTE: '1000000000',
  };
  const targets: Target[] = [];
  const skipped: string[] = [];
  report('Docyard, embedded');
  const embedded = await startService({ sample: false, environment });
  const countSqlite = () => countByMetrics(embedded);
  targets.push(await targetOf(names.embedded, embedded, countSqlite));
  let postgres: PostgresServer | undefined;
  if (postgresMissing === undefined) {
    report('Docyard on PostgreSQL');
    postgres = await startPostgres({ durable: true });
    const { query } = postgres;
    const url = await postgres.createDatabase();
    const service = await startService({ sample: false, environment: { ...environment, DATABASE_URL: url } });
    const target = await targetOf(names.postgres, service, countByServer(postgres, url));
    targets.push(target, await withOwnJobs(target, service, (statement) => query(url, statement)));
    try {
      report('Fastify with pg');
      targets.push(...(await plainTargets(postgres)));
    } catch (error) {
      skipped.push(`Skipped Fastify: ${error instanceof Error ? error.message : String(error)}.`);
    }
  } else {
    skipped.push(`Skipped what needs PostgreSQL: ${postgresMissing}.`);
  }
  return {
    targets,
    skipped,
    async stop() {
      for (const target of targets) await target.stop();
      await postgres?.remove();
    },
  };
}

/** Exports a small site; pollers poll its job. */
async function targetOf(
  name: string,
  service: Service,
  countQueries: () => Promise<number>,
): Promise<Target> {
  const domain = 'docs.example.com';
  const source = { repository: `file://${gitRepository(siteFiles(3))}`, ref: 'main' };
  await service.client.call('createProject', { body: { name: 'Docs', domain, source } });
  const { jobId } = await service.client.call('startExport', { body: { domain } });
  await waitForExport(service.client, jobId);
  return {
    name,
    port: Number(new URL(service.origin).port),
    pid: service.pid,
    requests: [requestFor(jobId, service.key)],
    countQueries,
    stop: () => service.stop(),
  };
}

/** The same service with as many copies of the job as the plain server has rows. */
async function withOwnJobs(
  target: Target,
  { key }: Service,
  query: (statement: string) => Promise<unknown>,
): Promise<Target> {
  const differing = `'id', 'se_' || lpad(to_hex(n), 16, '0'), 'sequence', 1000000 + n`;
  await query(`
    insert into jobs select (jsonb_populate_record(jobs, jsonb_build_object(${differing}))).*
    from jobs, generate_series(1, ${manyJobs}) as n;
    analyze jobs;`);
  const ids = Array.from({ length: manyJobs }, (_, index) => (index + 1).toString(16).padStart(16, '0'));
  return {
    ...target,
    name: target.name + ownJobs,
    requests: ids.map((id) => requestFor(`se_${id}`, key)),
    stop: () => {},
  };
}

function requestFor(jobId: string, key?: string): string {
  const authorization = key === undefined ? '' : `Authorization: Bearer ${key}\r\n`;
  return `GET /v1/static-export/jobs/${jobId} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`;
}

async function plainTargets(postgres: PostgresServer): Promise<Target[]> {
  const url = await postgres.createDatabase();
  await postgres.query(url, plainTable);
  const server = await startFastify(url);
  const target: Target = {
    name: names.plain,
    port: server.port,
    pid: server.pid,
    requests: [requestFor('se_5000')],
    countQueries: countByServer(postgres, url),
    stop: () => server.stop(),
  };
  const requests = Array.from({ length: manyJobs }, (_, index) => requestFor(`se_${index + 1}`));
  return [target, { ...target, name: target.name + ownJobs, requests, stop: () => {} }];
}

async function countByMetrics(service: Service): Promise<number> {
  const text = await (await service.request('/metrics')).text();
  const [, count] = /^docyard_database_query_duration_seconds_count(?:\{[^}]*\})? (\d+)$/m.exec(text) ?? [];
  if (count === undefined) throw new Error('The metrics do not contain the number of queries.');
  return Number(count);
}

/** Each transaction is a single statement. */
function countByServer(postgres: PostgresServer, url: string): () => Promise<number> {
  const name = new URL(url).pathname.slice(1);
  const statement = `select xact_commit + xact_rollback from pg_stat_database where datname = '${name}'`;
  return async () => Number(await postgres.query(postgres.url, statement));
}

async function measure(
  client: Client,
  target: Target,
  { pollers: count, connections }: { pollers: number; connections: number },
): Promise<Figures> {
  const { port, requests } = target;
  await client.ask({ type: 'connect', port, requests, pollers: count, connections });
  const poll = (forMs: number, everyMs: number) =>
    client.ask({ type: 'poll', forMs, everyMs }) as Promise<Polled>;
  await poll(warmUpMs, 0);
  const queriesBefore = await target.countQueries();
  const cpuBefore = cpuSecondsOf(target.pid);
  const fast = await poll(measureMs, 0);
  const cpuSeconds = cpuSecondsOf(target.pid) - cpuBefore;
  const queries = (await target.countQueries()) - queriesBefore;
  const paced = await poll(measureMs, (count / pacedPerSecond) * 1000);
  await client.ask({ type: 'disconnect' });
  return {
    perSecond: fast.latencies.length / fast.seconds,
    p50: percentile(fast.latencies, 0.5),
    p99: percentile(fast.latencies, 0.99),
    pacedP50: percentile(paced.latencies, 0.5),
    pacedP99: percentile(paced.latencies, 0.99),
    errors: fast.errors + paced.errors,
    queriesPerSecond: queries / fast.secondsInAll,
    requestsPerQuery: fast.answeredInAll / queries,
    cpuMicroseconds: (cpuSeconds * 1e6) / fast.answeredInAll,
  };
}

function row(target: Target, figures: readonly Figures[]): (string | number)[] {
  const middle = (name: keyof Figures) => median(figures.map((each) => each[name]));
  const times = (['p50', 'p99', 'pacedP50', 'pacedP99'] as const).map((name) => rounded(middle(name)));
  return [
    target.name,
    Math.round(middle('perSecond')),
    ...times,
    figures.reduce((sum, { errors }) => sum + errors, 0),
    rounded(middle('queriesPerSecond')),
    rounded(middle('requestsPerQuery')),
    Math.round(middle('cpuMicroseconds')),
  ];
}

interface Client {
  ask(message: ToPollers): Promise<unknown>;
  stop(): void;
}

function startClient(): Client {
  const child = fork(fileURLToPath(new URL('poller-client.ts', import.meta.url)), [], {
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`The pollers ended with ${String(code)}.`);
  });
  ended.catch(() => {});
  return {
    async ask(message) {
      const answered = once(child, 'message');
      child.send(message);
      const [answer] = (await Promise.race([answered, ended])) as unknown[];
      return answer;
    },
    stop: () => void child.kill(),
  };
}

/** Node raises the soft limit to the hard limit. */
function openFilesLimit(): number {
  const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === undefined ? 1024 : Number(soft);
}
