/**
 * The installation under test: API and worker processes, three of each by default, on one PostgreSQL and one Ceph bucket. A
 * supervisor restarts processes that exit.
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startPostgres, type PostgresServer } from '../postgres.ts';
import { startRgw, type RgwServer } from '../rgw.ts';
import { program, startService, temporaryFolder, type Service } from '../service.ts';
import { killProcess, processesIn, survivors } from '../torture/processes.ts';
import { fillDisk, mountSmallDisk, unmountSmallDisk } from '../small-disk.ts';
import { StartFailedError, StartLimit } from './start-limit.ts';

const run = promisify(execFile);
const defaultOfEachRole = 3;
const workerDiskMegabytes = 192;
/** Longer than a start or stop takes on a busy machine. */
const maxSeconds = 120;

export interface ClusterOptions {
  environment: Record<string, string>;
  /** Number of API processes, and of workers. */
  ofEachRole?: number;
  /** The `docyard.js` of the first processes and of commands; today's by default. */
  program?: string;
  /** Reports a violation. */
  complain(problem: string): void;
  /** Called when the run cannot continue. */
  giveUp(error: Error): void;
  onLog?: ((text: string) => void) | undefined;
}

export class Cluster {
  readonly postgres: PostgresServer;
  readonly rgw: RgwServer;
  readonly databaseUrl: string;
  readonly blobsUrl: string;
  readonly members: Member[];
  /** Whether a fault has made the database or the storage unavailable. */
  isOutage = false;
  readonly #environment: Record<string, string>;
  readonly #program: string;

  private constructor(parts: {
    postgres: PostgresServer;
    rgw: RgwServer;
    databaseUrl: string;
    blobsUrl: string;
    options: ClusterOptions;
  }) {
    const { postgres, rgw, databaseUrl, blobsUrl, options } = parts;
    this.postgres = postgres;
    this.rgw = rgw;
    this.databaseUrl = databaseUrl;
    this.blobsUrl = blobsUrl;
    this.#program = options.program ?? program;
    this.#environment = {
      ...options.environment,
      ...rgw.credentials,
      DATABASE_URL: databaseUrl,
      BLOBS_URL: blobsUrl,
      SECRET_KEY: randomBytes(32).toString('hex'),
    };
    const environment = this.#environment;
    this.members = (['api', 'worker'] as const).flatMap((role) =>
      Array.from(
        { length: options.ofEachRole ?? defaultOfEachRole },
        (_, index) =>
          new Member({
            ...options,
            role,
            name: `${role} ${index + 1}`,
            environment,
            isOutage: () => this.isOutage,
          }),
      ),
    );
  }

  static async start(options: ClusterOptions): Promise<Cluster> {
    const [postgres, rgw] = await Promise.all([startPostgres({ durable: true }), startRgw()]);
    const [databaseUrl, blobsUrl] = await Promise.all([postgres.createDatabase(), rgw.createBucket()]);
    const cluster = new Cluster({ postgres, rgw, databaseUrl, blobsUrl, options });
    try {
      await Promise.all(cluster.members.map((member) => member.start()));
    } catch (error) {
      await cluster.stop();
      await cluster.remove();
      throw error;
    }
    return cluster;
  }

  living(role: Member['role']): Member[] {
    return this.members.filter((member) => member.role === role && member.service !== undefined);
  }

  async command(...args: string[]): Promise<unknown> {
    const env = { ...process.env, ...this.#environment };
    const { stdout } = await run(process.execPath, [this.#program, ...args, '--json'], { env });
    return JSON.parse(stdout);
  }

  /** The result of a query, a list per row. */
  async rows(statement: string): Promise<string[][]> {
    const text = await this.postgres.query(this.databaseUrl, statement);
    return text === '' ? [] : text.split('\n').map((line) => line.split('|'));
  }

  /** Stops every process and returns those that remain. */
  async stop(): Promise<string[]> {
    await Promise.all(this.members.map((member) => member.stop()));
    const left = await Promise.all(this.members.map(({ dataDir }) => survivors(dataDir, 5)));
    left.flat().forEach(killProcess);
    return left.flat().map(({ pid, command }) => `${pid} ${command}`);
  }

  async remove(): Promise<void> {
    await Promise.all([this.postgres.remove(), this.rgw.remove()]);
    for (const member of this.members) member.removeDisk();
  }
}

interface MemberOptions extends ClusterOptions {
  role: 'api' | 'worker';
  name: string;
  isOutage(): boolean;
}

/** A process with its data folder. */
export class Member {
  readonly role: 'api' | 'worker';
  readonly name: string;
  readonly dataDir: string;
  /** Undefined while no process is ready. */
  service: Service | undefined;
  /** Failed starts, such as one without a database. */
  failedStarts = 0;
  #program: string | undefined;
  readonly #options: MemberOptions;
  readonly #limit: StartLimit;
  readonly #hasSmallDisk: boolean;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.role = options.role;
    this.name = options.name;
    this.#program = options.program;
    this.dataDir = temporaryFolder(`chaos-${options.role}`);
    this.#limit = new StartLimit(options.name);
    this.#hasSmallDisk = options.role === 'worker' && mountSmallDisk(this.dataDir, workerDiskMegabytes);
  }

  /** Rejects, after `giveUp`, when the process fails to start too often. */
  async start(): Promise<void> {
    const { environment, onLog } = this.#options;
    for (;;) {
      let deadline: NodeJS.Timeout | undefined;
      try {
        this.service = await startService({
          role: this.role,
          program: this.#program,
          dataDir: this.dataDir,
          workingFolder: this.dataDir,
          environment,
          sample: false,
          onSpawn: (child) => {
            deadline = this.#deadline('neither started nor ended', () => child.kill('SIGKILL'));
            this.#watch(child);
          },
          ...(onLog === undefined ? {} : { onLog: (text: string) => onLog(label(this.name, text)) }),
        });
        this.#limit.started();
        return;
      } catch (error) {
        this.failedStarts += 1;
        onLog?.(label(this.name, `did not start: ${String(error)}`));
        this.#countFailure(error);
        await pause(1000);
      } finally {
        clearTimeout(deadline);
      }
    }
  }

  /** `machine` kills the whole process group; `process` leaves the children running. */
  async kill(what: 'machine' | 'process'): Promise<void> {
    const ended = this.#take()?.kill();
    if (what === 'machine') processesIn(this.dataDir).forEach(killProcess);
    await ended;
  }

  /** Suspends the process like a machine that hangs. The returned function resumes it. */
  freeze(what: 'machine' | 'process'): () => void {
    const { service } = this;
    const own = service === undefined ? [] : [{ pid: service.pid }];
    const frozen = what === 'machine' ? processesIn(this.dataDir) : own;
    for (const { pid } of frozen) signal(pid, 'SIGSTOP');
    return () => {
      for (const { pid } of frozen) signal(pid, 'SIGCONT');
    };
  }

  /** Undefined when the data folder is not on a separate disk. */
  fillDisk(): (() => void) | undefined {
    return this.#hasSmallDisk ? fillDisk(this.dataDir) : undefined;
  }

  removeDisk(): void {
    if (this.#hasSmallDisk) unmountSmallDisk(this.dataDir);
  }

  #countFailure(error: unknown): void {
    try {
      this.#limit.failed(error, this.#options.isOutage());
    } catch (tooMany) {
      if (tooMany instanceof StartFailedError) this.#options.giveUp(tooMany);
      throw tooMany;
    }
  }

  async stop(): Promise<void> {
    const service = this.#take();
    if (service === undefined) return;
    const deadline = this.#deadline('received SIGTERM and keeps running', () => void service.kill());
    const status = await service.stop();
    clearTimeout(deadline);
    if (status !== 0) this.#options.complain(`${this.name} received SIGTERM and exited with ${status}`);
  }

  /** Stops the process and starts today's program in its place. */
  async upgrade(): Promise<void> {
    this.#program = undefined;
    await this.stop();
    await this.start();
  }

  #deadline(complaint: string, end: () => void): NodeJS.Timeout {
    return setTimeout(() => {
      this.#options.complain(`${this.name} ${complaint}`);
      end();
    }, maxSeconds * 1000);
  }

  /** The caller stops the returned process. */
  #take(): Service | undefined {
    const { service } = this;
    this.service = undefined;
    return service;
  }

  #watch(child: ChildProcess): void {
    child.once('exit', (status, signal) => {
      if (this.service === undefined || this.service.pid !== child.pid) return;
      this.service = undefined;
      this.#options.complain(`${this.name} exited unexpectedly with ${status ?? signal}`);
      this.start().catch(() => undefined);
    });
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function label(name: string, text: string): string {
  const at = new Date().toISOString().slice(11, 23);
  return text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [`${at} ${name}: ${line}\n`]))
    .join('');
}
