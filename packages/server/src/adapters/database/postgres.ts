/**
 * PostgreSQL, for several processes. Lost connections and restarts are expected: callers get
 * `storage_unavailable`, and the pool reconnects.
 */
import { Kysely, PostgresDialect } from 'kysely';
import type { Client, Pool, PoolClient, PoolConfig } from 'pg';
import { Problem } from '../../problem.ts';
import type { Tables } from '../../ports/database.ts';
import type { Measures } from '../../ports/telemetry.ts';
import { migrate, queryMeasuring, type OpeningOptions } from './migrate.ts';

export interface PostgresOptions extends OpeningOptions {
  url: string;
  /** Maximum connections of this process. */
  poolSize?: number;
  /** How long to wait for a server that is not reachable yet. */
  waitSeconds?: number;
  /** Called while waiting, with the database and the reason. */
  waiting?: ((database: string, reason: string) => void) | undefined;
}

const statementTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
/** How long a start waits for the database, and the pause between attempts. */
export const startTimeoutSeconds = 30;
export const startPauseSeconds = 0.5;
const waitNoticeMs = 10_000;

export async function openPostgres(options: PostgresOptions): Promise<Kysely<Tables>> {
  const { url, poolSize = 10, waitSeconds = startTimeoutSeconds, waiting, measures } = options;
  await waitForServer(url, waitSeconds, waiting);
  // Migrations, and waiting for another process that runs them, may exceed the statement timeout.
  const first = await connect(connectionSettings(url), 1);
  try {
    await migrate(first, nameOf(url), options);
  } finally {
    await first.destroy();
  }
  return connect({ ...connectionSettings(url), ...timeLimits(statementTimeoutMs) }, poolSize, measures);
}

export function timeLimits(statementMs: number) {
  return {
    statement_timeout: statementMs,
    // A client that vanished inside a transaction must not keep its locks.
    idle_in_transaction_session_timeout: statementMs,
    // For a server that does not respond.
    query_timeout: statementMs + 2000,
  };
}

export function connectionSettings(url: string) {
  return {
    connectionString: url,
    application_name: 'docyard',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Whether a retry may succeed: no connection, timeout, no resources. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === 'string' && (transientCodes.has(code) || transientClasses.has(code.slice(0, 2))))
    return true;
  return transientMessage.test(error.message);
}

/** The URL without the password, for messages. */
function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

async function connect(settings: PoolConfig, poolSize: number, measures?: Measures): Promise<Kysely<Tables>> {
  const { default: pg } = await import('pg');
  // Counts and sequences are below 2^53, so they are parsed as numbers.
  const wholeNumber: number = pg.types.builtins.INT8;
  const getTypeParser = ((oid: number, format?: 'text') =>
    oid === wholeNumber ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
  const types = { getTypeParser };
  const pool = new pg.Pool({ ...settings, types, max: poolSize, idleTimeoutMillis: 60_000 });
  // Without a listener, a broken idle connection would crash the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  measures?.watchConnections(() => ({
    busy: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  const dialect = new PostgresDialect({ pool: withTranslatedErrors(pool) });
  return new Kysely<Tables>({ dialect, ...queryMeasuring(measures) });
}

/** The pool for Kysely, with transient errors converted to `storage_unavailable`. */
function withTranslatedErrors(pool: Pool) {
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

/** PostgreSQL text cannot contain NUL. */
function withoutNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

async function attempt<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isTransient(error)) throw error;
    const message = 'The database cannot be reached at the moment. Try again shortly.';
    throw new Problem('storage_unavailable', message, { headers: { 'retry-after': '5' }, cause: error });
  }
}

/** Services start in any order. */
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
      if (!isTransient(error) || Date.now() > deadline) {
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
const transientClasses = new Set(['08', '53', '58']);
const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '25006', // read-only: a standby before its promotion
  '25P03', // idle in a transaction for too long
  '55P03', // lock not available
  '57014', // canceled by the statement timeout
  '57P01', // shutdown by an administrator
  '57P02', // shutdown after a crash
  '57P03', // starting up
  '57P05', // idle session timeout
]);
const transientMessage =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed) and is not queryable|Postgres connection has been discarded|read ECONN)/;
