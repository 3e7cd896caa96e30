/** Starts the installed PostgreSQL with a temporary cluster on a free port. */
import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);
const user = 'docyard';

export interface PostgresServer {
  port: number;
  /** The address of the default database. */
  url: string;
  /** Returns the address of a new database, empty or a copy of one without connections. */
  createDatabase(copyOf?: string): Promise<string>;
  /** Runs one statement as the superuser. */
  query(url: string, statement: string): Promise<string>;
  /** Ends all other connections, like a failover. */
  cutConnections(): Promise<void>;
  /** Disconnects all clients. */
  stop(): Promise<void>;
  /** Loses everything in memory; the next start recovers from the log. */
  crash(): Promise<void>;
  /** After `stop` or `crash`, on the same port. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Why no server can be started here, or undefined. */
export const postgresMissing = binFolder() === undefined ? 'PostgreSQL is not installed' : undefined;

/** Without `durable`, fsync is off: data survives a crash of the server, not of the machine. */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<PostgresServer> {
  const bin = binFolder();
  if (bin === undefined) throw new Error('PostgreSQL is not installed.');
  const folder = mkdtempSync(join(tmpdir(), 'docyard-postgres-'));
  const identity = unprivileged();
  if (identity !== undefined) chownSync(folder, identity.uid, identity.gid);
  const data = join(folder, 'data');
  const initial = ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'];
  await run(join(bin, 'initdb'), initial, { cwd: folder, ...identity });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '1000',
    shared_buffers: '32MB',
    ...(options.durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const command = (name: string, ...rest: string[]) =>
    run(join(bin, name), ['-h', '127.0.0.1', '-p', String(port), '-U', user, ...rest]);
  const urlOf = (database: string) => `postgres://${user}@127.0.0.1:${port}/${database}`;

  let child: ChildProcess | undefined;
  const start = async () => {
    child = await launch(join(bin, 'postgres'), args, { cwd: folder, ...identity }, () =>
      command('pg_isready', '-q'),
    );
  };
  const end = async (signal: NodeJS.Signals) => {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill(signal);
    await ended;
  };
  const query = async (url: string, statement: string) =>
    (await run(join(bin, 'psql'), ['-X', '-q', '-A', '-t', '-c', statement, url])).stdout.trim();

  await start();
  return {
    port,
    start,
    query,
    url: urlOf('postgres'),
    createDatabase: (copyOf) => createDatabase(urlOf('postgres'), copyOf),
    async cutConnections() {
      await query(
        urlOf('postgres'),
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
      );
    },
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    async remove() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

let ofThisProcess: Promise<PostgresServer> | undefined;

/** A database on the shared server of `postgres-global-setup.ts`, already migrated, or on a server that this process starts. */
export async function freshDatabase(): Promise<string> {
  const { TEST_POSTGRES_URL: shared, TEST_POSTGRES_TEMPLATE: template } = process.env;
  if (shared !== undefined) return createDatabase(shared, template);
  ofThisProcess ??= startPostgres();
  return (await ofThisProcess).createDatabase();
}

export async function dropDatabase(url: string): Promise<void> {
  const { hostname, port, username, pathname } = new URL(url);
  const args = ['-h', hostname, '-p', port, '-U', username, '--force', pathname.slice(1)];
  await run(join(binFolder() ?? '', 'dropdb'), args);
}

/** Every row of every table as text. */
export function dumpDatabase(url: string): string {
  return runNow('pg_dump', ['--data-only', url]);
}

/** The schema and every row, as statements of psql. */
export function dumpWholeDatabase(url: string): string {
  return runNow('pg_dump', ['--no-owner', '--no-privileges', url]);
}

export function loadDump(url: string, file: string): void {
  runNow('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', file, url]);
}

export function runStatements(url: string, ...statements: string[]): void {
  runNow('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...statements.flatMap((each) => ['-c', each]), url]);
}

function runNow(name: string, args: string[]): string {
  const ended = spawnSync(join(binFolder() ?? '', name), args, { encoding: 'utf8' });
  if (ended.status !== 0) throw new Error(`${name}: ${ended.stderr}`);
  return ended.stdout;
}

async function createDatabase(server: string, copyOf?: string): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const { hostname, port, username } = new URL(server);
  const template = copyOf === undefined ? [] : ['-T', new URL(copyOf).pathname.slice(1)];
  const args = ['-h', hostname, '-p', port, '-U', username, ...template, name];
  await run(join(binFolder() ?? '', 'createdb'), args);
  return Object.assign(new URL(server), { pathname: name }).href;
}

async function launch(
  program: string,
  args: string[],
  options: { cwd: string; uid?: number; gid?: number },
  ready: () => Promise<unknown>,
): Promise<ChildProcess> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  endWithThisProcess(child, options.cwd);
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-5000);
  });
  for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
    if (child.exitCode !== null) break;
    const isReady = await ready().then(
      () => true,
      () => false,
    );
    if (isReady) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGQUIT');
  throw new Error(`PostgreSQL did not start: ${complaint}`);
}

/** Works even when this process is killed: a shell waits for the end of a pipe that only this process holds. */
function endWithThisProcess(child: ChildProcess, folder: string): void {
  const script = 'cat >/dev/null; kill -QUIT "$0"; sleep 1; rm -rf "$1"';
  const args = ['-c', script, String(child.pid), folder];
  const guard = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  guard.unref();
  (guard.stdin as unknown as { unref(): void }).unref();
  child.once('exit', () => {
    try {
      if (guard.pid !== undefined) process.kill(-guard.pid, 'SIGKILL');
    } catch {
      // The process has exited.
    }
  });
}

function binFolder(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  const folders = [
    ...newestFirst.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb')));
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = [/^postgres:/, /^[^:]*:[^:]*:65534:/].flatMap((user) =>
    users.filter((each) => user.test(each)),
  )[0];
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined) throw new Error('There is no user to run PostgreSQL as.');
  return { uid: Number(uid), gid: Number(gid) };
}
