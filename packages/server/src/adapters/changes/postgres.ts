/**
 * Changes of every process, as PostgreSQL tells them: triggers send a notification with each commit, and one connection
 * of each process listens. While that connection is lost, listeners are told every second to look for themselves.
 */
import type { Client } from 'pg';
import type { JobChanges, NextChange } from '../../ports/changes.ts';
import { connectionSettings } from '../database/postgres.ts';
import { InProcessChanges } from './in-process.ts';

/** What the triggers of the migrations send to. */
export const changesChannel = 'docyard_changes';

const lookAgainMs = 1000;
export const reconnectMs = { first: 250, max: 15_000 };
/** A connection whose other end vanished says nothing; it is asked. */
const checkEveryMs = 5000;
const checkTimeoutMs = 5000;

export class PostgresChanges implements JobChanges {
  readonly #url: string;
  readonly #warn: (error: unknown) => void;
  readonly #listeners = new InProcessChanges();
  readonly #closing = new AbortController();
  #client: Client | undefined;
  #running: Promise<void> = Promise.resolve();

  private constructor(url: string, warn: (error: unknown) => void) {
    this.#url = url;
    this.#warn = warn;
  }

  /** `warn` is told each time the connection is lost. */
  static async open(options: { url: string; warn?: (error: unknown) => void }): Promise<PostgresChanges> {
    const changes = new PostgresChanges(options.url, options.warn ?? (() => {}));
    const first = Promise.withResolvers<void>();
    changes.#running = changes.#keepListening(first.resolve);
    await first.promise;
    return changes;
  }

  /** The database tells everybody, this process too, but a moment later: whoever has just written must not read old. */
  notify(jobId: string): void {
    this.#listeners.notify(jobId);
  }

  listen(jobId: string, listener: () => void): () => void {
    return this.#listeners.listen(jobId, listener);
  }

  next(jobId: string, options: { seconds: number; signal: AbortSignal }): NextChange {
    return this.#listeners.next(jobId, options);
  }

  isListenedTo(jobId: string): boolean {
    return this.#listeners.isListenedTo(jobId);
  }

  get listenedJobs(): number {
    return this.#listeners.listenedJobs;
  }

  get isLive(): boolean {
    return this.#client !== undefined;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Calls `tried` after the first attempt, whatever came of it. */
  async #keepListening(tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    const lookAgain = setInterval(() => {
      if (!this.isLive) this.#listeners.notifyAll();
    }, lookAgainMs);
    for (let waitMs = reconnectMs.first; !signal.aborted; waitMs = Math.min(waitMs * 2, reconnectMs.max)) {
      try {
        await this.#listenUntilLost(() => {
          waitMs = reconnectMs.first;
          tried();
        });
      } catch (error) {
        this.#client = undefined;
        if (!signal.aborted) this.#warn(error);
      }
      tried();
      if (!signal.aborted) await pause(waitMs, signal);
    }
    clearInterval(lookAgain);
  }

  async #listenUntilLost(onListening: () => void): Promise<void> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ ...connectionSettings(this.#url), query_timeout: checkTimeoutMs });
    const lost = Promise.withResolvers<never>();
    const close = () => lost.reject(new Error('Closed.'));
    client.on('error', lost.reject);
    client.on('end', () => lost.reject(new Error('The connection for changes has ended.')));
    client.on('notification', ({ payload }) => this.#listeners.notify(payload ?? ''));
    this.#closing.signal.addEventListener('abort', close, { once: true });
    const check = setInterval(() => void client.query('select 1').catch(lost.reject), checkEveryMs);
    try {
      await Promise.race([
        client.connect().then(() => client.query(`listen ${changesChannel}`)),
        lost.promise,
      ]);
      this.#client = client;
      onListening();
      // What happened before the connection was there went unheard.
      this.#listeners.notifyAll();
      await lost.promise;
    } finally {
      clearInterval(check);
      this.#closing.signal.removeEventListener('abort', close);
      this.#client = undefined;
      void client.end().catch(() => {});
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
