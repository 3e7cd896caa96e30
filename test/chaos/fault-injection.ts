/**
 * Injects faults: kills and freezes processes, cuts connections, and makes the database and the storage unavailable. Each fault
 * is repaired in the background while the next one starts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../torture/seeded-random.ts';
import type { Cluster, Member } from './cluster.ts';
import type { Cause, Incident } from './explanation.ts';

export interface TroubleOptions {
  cluster: Cluster;
  chance: Chance;
  signal: AbortSignal;
  onTrouble(what: string): void;
}

const deck = {
  'worker killed': 5,
  'API process killed': 4,
  'worker stopped': 1,
  'API process stopped': 1,
  'connections to the database cut': 3,
  'database restarted': 1,
  'database crashed': 1,
  'storage restarted': 2,
  'long database outage': 1,
  'long storage outage': 1,
  'worker frozen': 2,
  'API process frozen': 1,
  'disk of a worker full': 1,
} as const;

export type Trouble = keyof typeof deck;
export type TroubleCounts = Record<Trouble, number>;

const everySeconds = { least: 3, most: 7 };
const downSeconds = { least: 0, most: 4 };
const longDownSeconds = { least: 20, most: 45 };
const frozenSeconds = { least: 3, most: 20 };
const fullSeconds = { least: 3, most: 10 };

interface Range {
  least: number;
  most: number;
}

/** Runs until the signal aborts; resolves when everything is repaired. */
export async function makeTrouble(
  options: TroubleOptions,
): Promise<{ troubles: TroubleCounts; incidents: Incident[] }> {
  const { chance, signal } = options;
  const scene = new Scene(options);
  const cards = Object.entries(deck).flatMap(([name, count]) => Array(count).fill(name) as Trouble[]);
  const counts = Object.fromEntries(Object.keys(deck).map((name) => [name, 0])) as TroubleCounts;
  let left: Trouble[] = [];
  while (!signal.aborted) {
    await pause(chance.between(everySeconds.least, everySeconds.most) * 1000, undefined, { signal }).catch(
      () => {},
    );
    if (signal.aborted) break;
    if (left.length === 0) left = chance.shuffled(cards);
    const trouble = left.shift() ?? 'worker killed';
    const description = await scene[trouble]();
    if (description === undefined) continue;
    counts[trouble] += 1;
    options.onTrouble(description);
  }
  await scene.mended();
  return { troubles: counts, incidents: scene.incidents };
}

/** Each method returns a description of its fault, or undefined when there was no target. */
class Scene implements Record<Trouble, () => Promise<string | undefined>> {
  readonly #cluster: Cluster;
  readonly #chance: Chance;
  readonly incidents: Incident[] = [];
  readonly #mending = new Set<Promise<void>>();
  readonly #frozen = new Set<Member>();
  #databaseIsAway = false;
  #storageIsAway = false;

  constructor({ cluster, chance }: TroubleOptions) {
    this.#cluster = cluster;
    this.#chance = chance;
  }

  async mended(): Promise<void> {
    while (this.#mending.size > 0) await Promise.all(this.#mending);
  }

  async 'worker killed'() {
    return this.#kill('worker');
  }

  async 'API process killed'() {
    return this.#kill('api');
  }

  async 'worker stopped'() {
    return this.#stop('worker');
  }

  async 'API process stopped'() {
    return this.#stop('api');
  }

  async 'connections to the database cut'() {
    if (this.#databaseIsAway) return undefined;
    await this.#cluster.postgres.cutConnections();
    this.#begin('database')();
    return 'connections to the database cut';
  }

  async 'database restarted'() {
    return this.#takeDatabase('stop', downSeconds);
  }

  async 'database crashed'() {
    return this.#takeDatabase('crash', downSeconds);
  }

  async 'long database outage'() {
    return this.#takeDatabase('stop', longDownSeconds);
  }

  async 'long storage outage'() {
    return this.#takeStorage(longDownSeconds);
  }

  async 'worker frozen'() {
    return this.#freeze('worker');
  }

  async 'API process frozen'() {
    return this.#freeze('api');
  }

  async 'disk of a worker full'() {
    const member = this.#pick('worker');
    const free = member?.fillDisk();
    if (member === undefined || free === undefined) return undefined;
    const end = this.#begin('disk');
    const seconds = this.#laterMend(fullSeconds, async () => {
      free();
      end();
    });
    return `disk of ${member.name} full for ${seconds} s`;
  }

  async 'storage restarted'() {
    return this.#takeStorage(downSeconds);
  }

  async #takeStorage(range: Range) {
    if (this.#storageIsAway) return undefined;
    this.#storageIsAway = true;
    this.#tellOutage();
    const { rgw } = this.#cluster;
    const end = this.#begin('storage');
    await rgw.stop();
    const seconds = this.#laterMend(range, async () => {
      await rgw.start();
      this.#storageIsAway = false;
      this.#tellOutage();
      end();
    });
    return `storage away for ${seconds} s`;
  }

  async #takeDatabase(how: 'stop' | 'crash', range: Range) {
    if (this.#databaseIsAway) return undefined;
    this.#databaseIsAway = true;
    this.#tellOutage();
    const { postgres } = this.#cluster;
    const end = this.#begin('database');
    await postgres[how]();
    const seconds = this.#laterMend(range, async () => {
      await postgres.start();
      this.#databaseIsAway = false;
      this.#tellOutage();
      end();
    });
    return `database ${how === 'stop' ? 'stopped' : 'crashed'}, away for ${seconds} s`;
  }

  async #kill(role: Member['role']) {
    const member = this.#pick(role);
    if (member === undefined) return undefined;
    const what = this.#chance.happens(0.5) ? 'machine' : 'process';
    if (role === 'worker') this.#begin('worker')();
    await member.kill(what);
    const seconds = this.#laterMend(downSeconds, () => member.start());
    return `${member.name} killed (${what}), started again in ${seconds} s`;
  }

  async #freeze(role: Member['role']) {
    const member = this.#pick(role);
    if (member === undefined) return undefined;
    const what = this.#chance.happens(0.5) ? 'machine' : 'process';
    const thaw = member.freeze(what);
    this.#frozen.add(member);
    const end = role === 'worker' ? this.#begin('worker') : () => {};
    const seconds = this.#laterMend(frozenSeconds, async () => {
      thaw();
      this.#frozen.delete(member);
      end();
    });
    return `${member.name} frozen (${what}) for ${seconds} s`;
  }

  async #stop(role: Member['role']) {
    const member = this.#pick(role);
    if (member === undefined) return undefined;
    if (role === 'worker') this.#begin('worker')();
    this.#mend(async () => {
      await member.stop();
      await member.start();
    });
    return `${member.name} stopped and restarted`;
  }

  /** Skips frozen processes, which cannot stop. */
  #pick(role: Member['role']): Member | undefined {
    return this.#chance.pick(this.#cluster.living(role).filter((member) => !this.#frozen.has(member)));
  }

  #tellOutage(): void {
    this.#cluster.isOutage = this.#databaseIsAway || this.#storageIsAway;
  }

  /** Records an incident. The returned function ends it. */
  #begin(cause: Cause): () => void {
    const incident: Incident = { cause, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY };
    this.incidents.push(incident);
    return () => (incident.toMs = Date.now());
  }

  /** Rounded to tenths of a second, as reported. */
  #laterMend(range: Range, mend: () => Promise<void>): number {
    const seconds = Math.round(this.#chance.between(range.least, range.most) * 10) / 10;
    this.#mend(async () => {
      await pause(seconds * 1000);
      await mend();
    });
    return seconds;
  }

  #mend(mend: () => Promise<void>): void {
    // A process that cannot be started has already ended the run.
    const mending = mend()
      .catch(() => undefined)
      .finally(() => this.#mending.delete(mending));
    this.#mending.add(mending);
  }
}
