/**
 * Notifications of changes by any process: triggers send NOTIFY with each commit, and every process listens
 * on one connection. While that connection is lost, listeners are notified periodically so that they poll.
 */
import type { Client } from 'pg';
import type { JobChanges, NextChange } from '../../ports/changes.ts';
import { connectionSettings } from '../database/postgres.ts';
import { InProcessChanges } from './in-process.ts';

/** The triggers of the migrations use this name. */
export const changesChannel = 'docyard_changes';

const pollMs = 1000;
export const reconnectMs = { first: 250, max: 15_000 };
/** A dead connection is detected by a query. */
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

  /** `warn` is called whenever the connection is lost. */
  static async open(options: { url: string; warn?: (error: unknown) => void }): Promise<PostgresChanges> {
    const changes = new PostgresChanges(options.url, options.warn ?? (() => {}));
    const first = Promise.withResolvers<void>();
    changes.#running = changes.#keepListening(first.resolve);
    await first.promise;
    return changes;
  }

  /** PostgreSQL notifies this process too, but later; a writer must read its own change. */
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

  /** Calls `tried` after the first attempt, successful or not. */
  async #keepListening(tried: () => void): Promise<void> {
    const { signal } = this.#closing;
    const poll = setInterval(() => {
      if (!this.isLive) this.#listeners.notifyAll();
    }, pollMs);
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
    clearInterval(poll);
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
      // Notifications before the connection were lost.
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
