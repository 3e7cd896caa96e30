/**
 * Bounds the downloads of an export: a host is given up after consecutive failures, all hosts when the
 * network is unreachable, and all downloads share one deadline.
 */

/**
 * Rejects with a sentence that explains the failure. An error with `hasAnswered` came from a reachable host.
 */
export type FetchRemoteFile = (address: string) => Promise<Uint8Array>;

export interface RemoteHostLimits {
  failuresInRow: number;
  /** After this many unreachable hosts and no reachable one, the network counts as unreachable. */
  unreachableHosts: number;
  /** For all downloads, from the first one on. */
  seconds: number;
}

const defaultLimits: RemoteHostLimits = {
  failuresInRow: 3,
  unreachableHosts: 4,
  seconds: 30,
};

interface Host {
  hasAnswered: boolean;
  failures: number;
  running: number;
  waiting: (() => void)[];
}

export class RemoteHosts {
  readonly #limits: RemoteHostLimits;
  readonly #hosts = new Map<string, Host>();
  #deadlineMs: number | undefined;
  #hasNetwork = false;

  constructor(limits: Partial<RemoteHostLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  bounded(fetch: FetchRemoteFile): FetchRemoteFile {
    return async (address) => {
      const name = URL.parse(address, 'https://none.invalid')?.host ?? '';
      const host = this.#hosts.get(name) ?? { hasAnswered: false, failures: 0, running: 0, waiting: [] };
      this.#hosts.set(name, host);
      this.#deadlineMs ??= performance.now() + this.#limits.seconds * 1000;
      await this.#turn(name, host);
      try {
        const content = await this.#beforeDeadline(fetch(address));
        this.#note(host, true);
        return content;
      } catch (error) {
        this.#note(host, hasAnswered(error));
        throw error;
      } finally {
        host.running -= 1;
        this.#wake(host);
      }
    };
  }

  /** Throws when the host or the network was given up; otherwise the request counts as running. */
  async #turn(name: string, host: Host): Promise<void> {
    for (;;) {
      const problem = this.#problemOf(name, host);
      if (problem !== undefined) throw new Error(problem);
      if (host.hasAnswered || host.running + host.failures < this.#limits.failuresInRow) break;
      const { promise, resolve } = Promise.withResolvers<void>();
      host.waiting.push(resolve);
      await this.#beforeDeadline(promise);
    }
    host.running += 1;
  }

  #problemOf(name: string, { failures }: Host): string | undefined {
    const { failuresInRow, unreachableHosts } = this.#limits;
    if (failures >= failuresInRow)
      return `the host ${name} failed ${failuresInRow} times in a row and gets no further requests`;
    if (this.#hasNetwork) return undefined;
    const unreachable = [...this.#hosts.values()].filter((host) => host.failures > 0).length;
    return unreachable >= unreachableHosts ? 'no other host can be reached' : undefined;
  }

  #note(host: Host, isAnswer: boolean): void {
    host.failures = isAnswer ? 0 : host.failures + 1;
    if (!isAnswer) return;
    host.hasAnswered = true;
    this.#hasNetwork = true;
  }

  #wake(host: Host): void {
    for (const resume of host.waiting.splice(0)) resume();
  }

  #beforeDeadline<Value>(work: Promise<Value>): Promise<Value> {
    const leftMs = (this.#deadlineMs ?? 0) - performance.now();
    const { promise, reject } = Promise.withResolvers<Value>();
    const timer = setTimeout(
      () => reject(new Error(`other hosts took longer than ${this.#limits.seconds} seconds together`)),
      Math.max(0, leftMs),
    );
    return Promise.race([work, promise]).finally(() => clearTimeout(timer));
  }
}

export function hasAnswered(error: unknown): boolean {
  return error instanceof Error && 'hasAnswered' in error && error.hasAnswered === true;
}
