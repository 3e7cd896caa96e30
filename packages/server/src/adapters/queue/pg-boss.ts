/**
 * The queue of several processes: pg-boss on the same PostgreSQL. A delivery is sent in the transaction that writes its
 * job, is in the hand of one worker that must show signs of life, and is deleted when it has been handled.
 */
import { createHash } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import type { PgBoss } from 'pg-boss';
import type { JobChanges } from '../../ports/changes.ts';
import type { Database } from '../../ports/database.ts';
import { jobKinds, type Delivered, type Delivery, type JobKind, type Queue } from '../../ports/queue.ts';
import { connectionSettings, timeLimits } from '../database/postgres.ts';
import { readTurns, topicOf, withTurns } from './turns.ts';

export interface PgBossOptions {
  url: string;
  /** Wakes the workers of every process when something was sent. */
  changes: JobChanges;
  /** Deliveries of one organization and kind that may be under way at once, over all processes. */
  mostOfOrganization?: number;
  warn?: (error: unknown) => void;
}

type Handle = (delivery: Delivered) => Promise<void>;

/** One delivery in one hand: pg-boss counts how often it was taken, and settles only for the last who took it. */
interface Taken {
  id: string;
  retryCount: number;
}

/** The least that pg-boss takes. A job of a killed worker was taken up again after 8 s; with its defaults after 57 s. */
export const heartbeatSeconds = 10;
const touchEverySeconds = 3;
const superviseEverySeconds = 1;
/** Finds what no notification told: a delivery that another worker lost, an organization below its limit again. */
const pollEverySeconds = 0.5;
const sameWarningSeconds = 10;

const queueSettings = {
  heartbeatSeconds,
  // The row of the job counts the attempts and gives up; the queue only delivers.
  retryLimit: 1_000_000,
  retryDelay: 0,
  retryBackoff: false,
  // The longest it takes. Workers end a job that takes too long, and one that vanished misses its heartbeat.
  expireInSeconds: 24 * 3600,
  // Handled deliveries are deleted at once; this is for whatever else is left.
  deleteAfterSeconds: 3600,
};

export class PgBossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #changes: JobChanges;
  readonly #mostOfOrganization: number;
  readonly #warn: (error: unknown) => void;
  readonly #lines: Line[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  #connectionWasLost = false;
  #superviseFrom = 0;

  private constructor(boss: PgBoss, options: Required<Pick<PgBossOptions, 'warn'>> & PgBossOptions) {
    this.#boss = boss;
    this.#changes = options.changes;
    this.#mostOfOrganization = options.mostOfOrganization ?? Infinity;
    this.#warn = options.warn;
  }

  static async open(given: PgBossOptions): Promise<PgBossQueue> {
    const options = { ...given, warn: sparingly(given.warn ?? (() => {})) };
    const pgBoss = await import('pg-boss');
    const boss = new pgBoss.PgBoss({
      ...connectionSettings(options.url),
      // A connection whose other end vanished must be given up soon, or the signs of life go with it.
      ...timeLimits(8000),
      // Its own connections: signs of life must not wait behind the requests of a busy server.
      max: 3,
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
      // Its timers would keep a process alive that could not start.
      await boss.stop({ graceful: false }).catch(() => {});
      throw error;
    }
    return new PgBossQueue(boss, options);
  }

  async send(database: Database, ...deliveries: Delivery[]): Promise<void> {
    const lines = Map.groupBy(deliveries, ({ kind, priority }) => `${kind} ${priority}`);
    for (const line of lines.values()) {
      const { kind, priority } = line[0] as Delivery;
      const turns = await readTurns(database, { kind, priority });
      const jobs = withTurns(line, turns).map(({ delivery, ...turn }) => ({
        id: idOf(delivery),
        data: delivery,
        group: { id: delivery.organizationId },
        ...turn,
      }));
      await this.#boss.insert(kind, jobs, { db: over(database) });
    }
  }

  async consume(kind: JobKind, concurrency: number, handle: Handle): Promise<void> {
    const line = new Line(this.#boss, {
      kind,
      concurrency,
      handle,
      mostOfOrganization: this.#mostOfOrganization,
      warn: this.#warn,
    });
    this.#lines.push(line);
    this.#watchOver();
    this.#timers.push(setInterval(() => line.fill(), pollEverySeconds * 1000));
    line.onStop(this.#changes.listen(topicOf(kind), () => line.fill()));
    line.fill();
  }

  async held(jobIds: readonly string[]): Promise<Set<string>> {
    const text = `select data->>'jobId' as id from pgboss.job where state <= 'active' and data->>'jobId' = any($1)`;
    const { rows } = await this.#boss.getDb().executeSql(text, [jobIds]);
    return new Set((rows as { id: string }[]).map(({ id }) => id));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#lines.map((line) => line.stop()));
    for (const timer of this.#timers) clearInterval(timer);
    await this.#boss.stop({ graceful: false });
  }

  /** Only where something is consumed: a process that only sends watches over nobody. */
  #watchOver(): void {
    if (this.#lines.length > 1) return;
    const touch = () => {
      for (const line of this.#lines) line.touch().catch(this.#warn);
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
   * Puts deliveries of workers that show no sign of life back in line. After the database was away no worker could show
   * any; all get the time to do so before one of them is taken for lost.
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

interface LineOptions {
  kind: JobKind;
  concurrency: number;
  handle: Handle;
  mostOfOrganization: number;
  warn: (error: unknown) => void;
}

/** What this process takes from the line of one kind. */
class Line {
  readonly #boss: PgBoss;
  readonly #options: LineOptions;
  readonly #underWay = new Map<Taken, Promise<void>>();
  readonly #stops: (() => void)[] = [];
  #filling: Promise<void> | undefined;
  #wasCalledAgain = false;
  #stopped = false;

  constructor(boss: PgBoss, options: LineOptions) {
    this.#boss = boss;
    this.#options = options;
  }

  onStop(work: () => void): void {
    this.#stops.push(work);
  }

  /** Takes deliveries until every place is filled or none is left. */
  fill(): void {
    this.#wasCalledAgain = true;
    this.#filling ??= this.#fillPlaces()
      .catch(this.#options.warn)
      .finally(() => (this.#filling = undefined));
  }

  /** The sign of life for everything under way. */
  async touch(): Promise<void> {
    if (this.#underWay.size > 0) await this.#boss.touch(this.#options.kind, [...this.#underWay.keys()]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const work of this.#stops) work();
    await this.#filling;
    await Promise.allSettled(this.#underWay.values());
  }

  async #fillPlaces(): Promise<void> {
    while (this.#wasCalledAgain) {
      this.#wasCalledAgain = false;
      while (!this.#stopped && this.#underWay.size < this.#options.concurrency) {
        const taken = await this.#take();
        if (taken === undefined) break;
        const { id, retryCount, data } = taken;
        const attempt = { id, retryCount };
        if (this.#stopped) await this.#boss.fail(this.#options.kind, attempt);
        else this.#underWay.set(attempt, this.#handle(attempt, data));
      }
    }
  }

  async #handle(attempt: Taken, delivery: Delivery): Promise<void> {
    const isRedelivery = attempt.retryCount > 0;
    await this.#options.handle({ ...delivery, isRedelivery }).catch(() => {});
    await this.#settle(attempt);
    this.#underWay.delete(attempt);
    this.fill();
  }

  /**
   * A delivery that cannot be deleted now is deleted later. If the process ends before, it is delivered again, and the
   * row of the job says that there is nothing to do.
   */
  async #settle(attempt: Taken): Promise<void> {
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
   * The limit of an organization is a count of rows that other processes change. Without a lock around count and
   * claim, two processes with four workers each had up to 8 under way where 2 were allowed.
   */
  async #take() {
    const { kind, mostOfOrganization } = this.#options;
    if (mostOfOrganization === Infinity) return (await this.#boss.fetch<Delivery>(kind))[0];
    const database = this.#boss.getDb();
    // Most often nothing waits; then idle workers need not stand in line for the lock.
    const waiting = `select from pgboss.job where name = $1 and state < 'active' limit 1`;
    if ((await database.executeSql(waiting, [kind])).rows.length === 0) return undefined;
    const transaction = await database.beginTransaction?.();
    if (transaction === undefined) throw new Error('pg-boss has no connections of its own.');
    try {
      const { db } = transaction;
      await db.executeSql('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`take:${kind}`]);
      const [taken] = await this.#boss.fetch<Delivery>(kind, { db, groupConcurrency: mostOfOrganization });
      await transaction.commit();
      return taken;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
}

/** While the database is away everything fails several times a second; saying so now and then is enough. */
function sparingly(warn: (error: unknown) => void): (error: unknown) => void {
  let [last, lastAt] = ['', 0];
  return (error) => {
    const text = String(error instanceof Error ? error.message : error);
    if (text === last && Date.now() - lastAt < sameWarningSeconds * 1000) return;
    [last, lastAt] = [text, Date.now()];
    warn(error);
  };
}

/** The same job and attempt is the same delivery, however often it is sent. */
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

/** Our connection, with its open transaction, as pg-boss wants it. */
function over(database: Database): ReturnType<PgBoss['getDb']> {
  return {
    async executeSql(text, values = []) {
      const { rows } = await database.executeQuery(CompiledQuery.raw(text, values));
      return { rows };
    },
  };
}
