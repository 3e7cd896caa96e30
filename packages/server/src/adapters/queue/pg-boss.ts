/**
 * The queue of several processes: pg-boss on the same PostgreSQL. A delivery is sent in the transaction that
 * writes its job, is held by one worker that sends heartbeats, and is deleted once handled.
 */
import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { JobChanges } from '../../ports/changes.ts';
import type { Database } from '../../ports/database.ts';
import { jobKinds, type Delivered, type Delivery, type JobKind, type Queue } from '../../ports/queue.ts';
import { connectionSettings, timeLimits } from '../database/postgres.ts';
import { assignRounds, readRounds, topicOf } from './fair-queue.ts';

export interface PgBossOptions {
  url: string;
  /** Wakes the workers of every process after a send. */
  changes: JobChanges;
  /** Maximum of concurrent deliveries per organization and kind, over all processes. */
  maxPerOrganization?: number;
  /** Whether the tables of pg-boss are created and updated (the default), or required. */
  autoMigrate?: boolean;
  warn?: (error: unknown) => void;
}

type Handle = (delivery: Delivered) => Promise<void>;

/** pg-boss accepts a settlement only with the retry count of the latest fetch. */
interface ClaimedDelivery {
  id: string;
  retryCount: number;
}

/** The minimum that pg-boss accepts. */
export const heartbeatSeconds = 10;
const touchEverySeconds = 3;
const superviseEverySeconds = 1;
/**
 * Finds deliveries that no notification announces: after a lost worker, or when an organization is below its
 * limit again.
 */
const pollEverySeconds = 0.5;
const sameWarningSeconds = 10;

const queueSettings = {
  heartbeatSeconds,
  // The job row counts attempts and gives up; the queue only delivers.
  retryLimit: 1_000_000,
  retryDelay: 0,
  retryBackoff: false,
  // The maximum. Workers enforce time limits, and a lost worker misses its heartbeat.
  expireInSeconds: 24 * 3600,
  // Handled deliveries are deleted immediately; this covers the rest.
  deleteAfterSeconds: 3600,
};

export class PgBossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #changes: JobChanges;
  readonly #maxPerOrganization: number;
  readonly #warn: (error: unknown) => void;
  readonly #consumers: Consumer[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #connectionWasLost = false;
  #superviseFrom = 0;

  private constructor(boss: PgBoss, options: Required<Pick<PgBossOptions, 'warn'>> & PgBossOptions) {
    this.#boss = boss;
    this.#changes = options.changes;
    this.#maxPerOrganization = options.maxPerOrganization ?? Infinity;
    this.#warn = options.warn;
  }

  static async open(given: PgBossOptions): Promise<PgBossQueue> {
    const options = { ...given, warn: withoutRepeats(given.warn ?? (() => {})) };
    const pgBoss = await import('pg-boss');
    const boss = new pgBoss.PgBoss({
      ...connectionSettings(options.url),
      // A dead connection must be detected before heartbeats expire.
      ...timeLimits(8000),
      // Separate connections, because heartbeats must not wait behind the requests of a busy server.
      max: 3,
      migrate: options.autoMigrate ?? true,
      supervise: false,
      schedule: false,
      superviseIntervalSeconds: superviseEverySeconds,
      monitorIntervalSeconds: superviseEverySeconds,
    });
    boss.on('error', options.warn);
    try {
      await boss.start();
      for (const kind of jobKinds) {
        await boss.createQueue(kind, queueSettings);
        await boss.updateQueue(kind, queueSettings);
      }
    } catch (error) {
      // The timers of pg-boss would keep a process alive that could not start.
      await boss.stop({ graceful: false }).catch(() => {});
      throw explainMissingTables(error);
    }
    return new PgBossQueue(boss, options);
  }

  async send(database: Database, ...deliveries: Delivery[]): Promise<void> {
    const groups = Map.groupBy(deliveries, ({ kind, priority }) => `${kind} ${priority}`);
    for (const group of groups.values()) {
      const { kind, priority } = group[0] as Delivery;
      const rounds = await readRounds(database, { kind, priority });
      const jobs = assignRounds(group, rounds).map(({ delivery, priority: rank }) => ({
        id: idOf(delivery),
        data: delivery,
        group: { id: delivery.organizationId },
        priority: rank,
      }));
      await this.#boss.insert(kind, jobs, { db: asPgBossDatabase(database) });
    }
  }

  async consume(kind: JobKind, concurrency: number, handle: Handle): Promise<void> {
    const consumer = new Consumer(this.#boss, {
      kind,
      concurrency,
      handle,
      maxPerOrganization: this.#maxPerOrganization,
      warn: this.#warn,
    });
    this.#consumers.push(consumer);
    this.#startSupervision();
    this.#timers.push(setInterval(() => consumer.fill(), pollEverySeconds * 1000));
    consumer.onStop(this.#changes.listen(topicOf(kind), () => consumer.fill()));
    consumer.fill();
  }

  async held(jobIds: readonly string[]): Promise<Set<string>> {
    const text = `select data->>'jobId' as id from pgboss.job where state <= 'active' and data->>'jobId' = any($1)`;
    const { rows } = await this.#boss.getDb().executeSql(text, [jobIds]);
    return new Set((rows as { id: string }[]).map(({ id }) => id));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.stop()));
    for (const timer of this.#timers) clearInterval(timer);
    await this.#boss.stop({ graceful: false });
  }

  /** A process that only sends needs no heartbeats and no supervision. */
  #startSupervision(): void {
    if (this.#consumers.length > 1) return;
    const touch = () => {
      for (const consumer of this.#consumers) consumer.touch().catch(this.#warn);
    };
    let supervising: Promise<void> | undefined;
    const supervise = () => {
      supervising ??= this.#supervise()
        .catch(this.#warn)
        .finally(() => (supervising = undefined));
    };
    this.#timers.push(setInterval(touch, touchEverySeconds * 1000));
    this.#timers.push(setInterval(supervise, superviseEverySeconds * 1000));
  }

  /**
   * Requeues deliveries without a heartbeat. After a database outage every worker first gets time to send
   * one.
   */
  async #supervise(): Promise<void> {
    try {
      if (this.#connectionWasLost) {
        await this.#boss.getDb().executeSql('select 1');
        this.#connectionWasLost = false;
        this.#superviseFrom = Date.now() + 2 * touchEverySeconds * 1000;
      }
      if (Date.now() >= this.#superviseFrom) await this.#boss.supervise();
    } catch (error) {
      this.#connectionWasLost = true;
      throw error;
    }
  }
}

interface ConsumerOptions {
  kind: JobKind;
  concurrency: number;
  handle: Handle;
  maxPerOrganization: number;
  warn: (error: unknown) => void;
}

class Consumer {
  readonly #boss: PgBoss;
  readonly #options: ConsumerOptions;
  readonly #running = new Map<ClaimedDelivery, Promise<void>>();
  readonly #stops: (() => void)[] = [];
  #filling: Promise<void> | undefined;
  #wasCalledAgain = false;
  #stopped = false;

  constructor(boss: PgBoss, options: ConsumerOptions) {
    this.#boss = boss;
    this.#options = options;
  }

  onStop(work: () => void): void {
    this.#stops.push(work);
  }

  fill(): void {
    this.#wasCalledAgain = true;
    this.#filling ??= this.#fetchUntilFull()
      .catch(this.#options.warn)
      .finally(() => (this.#filling = undefined));
  }

  async touch(): Promise<void> {
    if (this.#running.size > 0) await this.#boss.touch(this.#options.kind, [...this.#running.keys()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const work of this.#stops) work();
    await this.#filling;
    await Promise.allSettled(this.#running.values());
  }

  async #fetchUntilFull(): Promise<void> {
    while (this.#wasCalledAgain) {
      this.#wasCalledAgain = false;
      while (!this.#stopped && this.#running.size < this.#options.concurrency) {
        const claimed = await this.#claim();
        if (claimed === undefined) break;
        const { id, retryCount, data } = claimed;
        const attempt = { id, retryCount };
        if (this.#stopped) await this.#boss.fail(this.#options.kind, attempt);
        else this.#running.set(attempt, this.#handle(attempt, data));
      }
    }
  }

  async #handle(attempt: ClaimedDelivery, delivery: Delivery): Promise<void> {
    const isRedelivery = attempt.retryCount > 0;
    await this.#options.handle({ ...delivery, isRedelivery }).catch(() => {});
    await this.#settle(attempt);
    this.#running.delete(attempt);
    this.fill();
  }

  /**
   * If the process ends before the deletion succeeds, the delivery arrives again and the job row shows that
   * nothing is left to do.
   */
  async #settle(attempt: ClaimedDelivery): Promise<void> {
    for (;;) {
      try {
        await this.#boss.deleteJob(this.#options.kind, attempt);
        return;
      } catch (error) {
        this.#options.warn(error);
        if (this.#stopped) return;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  /**
   * The limit of an organization counts rows that other processes change, so counting and claiming share one
   * lock.
   */
  async #claim() {
    const { kind, maxPerOrganization } = this.#options;
    if (maxPerOrganization === Infinity) return (await this.#boss.fetch<Delivery>(kind))[0];
    const database = this.#boss.getDb();
    // Idle workers should not wait for the lock.
    const waiting = `select from pgboss.job where name = $1 and state < 'active' limit 1`;
    if ((await database.executeSql(waiting, [kind])).rows.length === 0) return undefined;
    const transaction = await database.beginTransaction?.();
    if (transaction === undefined) throw new Error('pg-boss has no connections.');
    try {
      const { db } = transaction;
      await db.executeSql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`take:${kind}`]);
      const [claimed] = await this.#boss.fetch<Delivery>(kind, { db, groupConcurrency: maxPerOrganization });
      await transaction.commit();
      return claimed;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
}

function explainMissingTables(error: unknown): unknown {
  const isOutdated =
    error instanceof Error && /^pg-boss (is not installed|database requires)/.test(error.message);
  if (!isOutdated) return error;
  const message = 'The tables of the queue do not have the version of this program, and AUTO_MIGRATE is off.';
  return new Error(`${message} Run docyard migrate of this version first.`, { cause: error });
}

/** Drops repeated warnings: during a database outage every call fails several times per second. */
function withoutRepeats(warn: (error: unknown) => void): (error: unknown) => void {
  let [last, lastAt] = ['', 0];
  return (error) => {
    const text = String(error instanceof Error ? error.message : error);
    if (text === last && Date.now() - lastAt < sameWarningSeconds * 1000) return;
    [last, lastAt] = [text, Date.now()];
    warn(error);
  };
}

/** The same job and attempt always yield the same id, so that a repeated send is ignored. */
function idOf({ jobId, attempt }: Delivery): string {
  const hex = createHash('sha256').update(`${jobId}:${attempt}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

function asPgBossDatabase(database: Database): ReturnType<PgBoss['getDb']> {
  return {
    async executeSql(text, values = []) {
      const { rows } = await database.executeQuery(CompiledQuery.raw(text, values));
      return { rows };
    },
  };
}
