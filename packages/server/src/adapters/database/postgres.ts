/**
 * PostgreSQL, for several processes on several machines. A connection that is lost, a server that restarts or has no
 * connection left is an ordinary event: the caller is told to come back, and the pool connects anew.
 */
import { Kysely, PostgresDialect } from 'kysely';
import type { Client, Pool, PoolClient, PoolConfig } from 'pg';
import { Problem } from '../../problem.ts';
import type { Tables } from '../../ports/database.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { bringUpToDate, counting, type OpeningOptions } from './migrate.ts';

export interface PostgresOptions extends OpeningOptions {
  url: string;
  /** Connections of this process at most. */
  poolSize?: number;
  /** How long a server that is not there yet is waited for. */
  waitSeconds?: number;
  /** Called while the server is waited for, with the database and the reason. */
  waiting?: ((database: string, reason: string) => void) | undefined;
}

const statementTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** How long a start waits for the database, and how often it tries to connect. */
export const startPatienceSeconds = 30;
export const startPauseSeconds = 0.5;
const waitNoticeMs = 10_000;

export async function openPostgres(options: PostgresOptions): Promise<Kysely<Tables>> {
  const { url, poolSize = 10, waitSeconds = startPatienceSeconds, waiting, measures } = options;
  await waitForServer(url, waitSeconds, waiting);
  // Steps of a migration, and the wait for another process that runs them, may take longer than a request may.
  const first = await connect(connectionSettings(url), 1);
  try {
    await bringUpToDate(first, nameOf(url), options);
  } finally {
    await first.destroy();
  }
  return connect({ ...connectionSettings(url), ...timeLimits(statementTimeoutMs) }, poolSize, measures);
}

export function timeLimits(statementMs: number) {
  return {
    statement_timeout: statementMs,
    // A machine that vanished with a transaction open must not keep its locks.
    idle_in_transaction_session_timeout: statementMs,
    // For a server that does not answer at all, not even that it is late.
    query_timeout: statementMs + 2000,
  };
}

/** How every connection to this server is made. */
export function connectionSettings(url: string) {
  return {
    connectionString: url,
    application_name: 'docyard',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** True for what passes by itself: no connection, no answer in time, no room. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (passingCodes.has(code) || passingClasses.has(code.slice(0, 2))))
    return true;
  return passingMessage.test(error.message);
}

/** The address without its password, for messages. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

async function connect(settings: PoolConfig, poolSize: number, measures?: Measures): Promise<Kysely<Tables>> {
  const { default: pg } = await import('pg');
  // Counts and sequences are numbers everywhere else too; none comes near 2^53.
  const wholeNumber: number = pg.types.builtins.INT8;
  const getTypeParser = ((oid: number, format?: 'text') =>
    oid === wholeNumber ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
  const types = { getTypeParser };
  const pool = new pg.Pool({ ...settings, types, max: poolSize, idleTimeoutMillis: 60_000 });
  // A connection may break while nobody uses it; without a listener that would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  measures?.watchConnections(() => ({
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  const dialect = new PostgresDialect({ pool: translating(pool) });
  return new Kysely<Tables>({ dialect, ...counting(measures) });
}

/** Kysely's view of the pool, with errors that pass told as `storage_unavailable`. */
function translating(pool: Pool) {
  const known = new WeakMap<PoolClient, ReturnType<typeof adapt>>();
  const adapt = (client: PoolClient) => ({
    query: ((text: string, values: unknown[]) =>
      attempt(() => client.query(text, values.map(withoutNul)))) as PoolClient['query'],
    release: (error?: boolean) => client.release(error),
  });
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await attempt(() => pool.connect());
      const adapted = known.get(client) ?? adapt(client);
      known.set(client, adapted);
      return adapted;
    },
  };
}

/** PostgreSQL keeps every character of a text but this one, and callers send it on purpose. */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

async function attempt<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isPassing(error)) throw error;
    const message = 'The database cannot be reached at the moment. Try again shortly.';
    throw new Problem('storage_unavailable', message, { headers: { 'retry-after': '5' }, cause: error });
  }
}

/** Services start in any order; a database that is a moment late is no reason to give up. */
async function waitForServer(
  url: string,
  waitSeconds: number,
  waiting: PostgresOptions['waiting'],
): Promise<void> {
  const { default: pg } = await import('pg');
  let quietUntilMs = 0;
  for (const deadline = Date.now() + waitSeconds * 1000; ;) {
    const client: Client = new pg.Client(connectionSettings(url));
    client.on('error', () => {});
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) {
        const message = `The database ${nameOf(url)} cannot be reached: ${(error as Error).message}`;
        throw new Problem('storage_unavailable', message, { cause: error });
      }
      if (Date.now() >= quietUntilMs) {
        quietUntilMs = Date.now() + waitNoticeMs;
        waiting?.(nameOf(url), (error as Error).message);
      }
      await new Promise((resolve) => setTimeout(resolve, startPauseSeconds * 1000));
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** Connection exceptions, insufficient resources, system errors. */
const passingClasses = new Set(['08', '53', '58']);
const passingCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '25006', // read-only: a standby that is about to take over
  '25P03', // idle in a transaction for too long
  '55P03', // a lock was not to be had
  '57014', // canceled, by the limit for a statement
  '57P01', // shutdown by an administrator
  '57P02', // shutdown after a crash
  '57P03', // still starting
  '57P05', // idle for too long
]);
const passingMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Postgres connection has been discarded|read ECONN)/;
