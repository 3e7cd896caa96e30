/**
 * What goes wrong: processes die, connections are cut, the database and the storage go away and come back. One card of
 * the deck after the other; what was broken is mended in the background while the next thing breaks.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../torture/chance.ts';
import type { Cluster, Member } from './cluster.ts';

export interface TroubleOptions {
  cluster: Cluster;
  chance: Chance;
  signal: AbortSignal;
  onTrouble(what: string): void;
}

const deck = {
  'worker killed': 5,
  'API process killed': 4,
  'worker told to stop': 1,
  'API process told to stop': 1,
  'connections to the database cut': 3,
  'database restarted': 1,
  'database crashed': 1,
  'storage restarted': 2,
} as const;

export type Trouble = keyof typeof deck;
export type TroubleCounts = Record<Trouble, number>;

const everySeconds = { least: 3, most: 7 };
const downSeconds = { least: 0, most: 4 };

/** Goes on until the signal; resolves when everything is mended. */
export async function makeTrouble(options: TroubleOptions): Promise<TroubleCounts> {
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
    const told = await scene[trouble]();
    if (told === undefined) continue;
    counts[trouble] += 1;
    options.onTrouble(told);
  }
  await scene.mended();
  return counts;
}

/** Each kind of trouble says what it did, or nothing when there was nothing to break. */
class Scene implements Record<Trouble, () => Promise<string | undefined>> {
  readonly #cluster: Cluster;
  readonly #chance: Chance;
  readonly #mending = new Set<Promise<void>>();
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

  async 'worker told to stop'() {
    return this.#stop('worker');
  }

  async 'API process told to stop'() {
    return this.#stop('api');
  }

  async 'connections to the database cut'() {
    if (this.#databaseIsAway) return undefined;
    await this.#cluster.postgres.cutConnections();
    return 'connections to the database cut';
  }

  async 'database restarted'() {
    return this.#takeDatabase('stop');
  }

  async 'database crashed'() {
    return this.#takeDatabase('crash');
  }

  async 'storage restarted'() {
    if (this.#storageIsAway) return undefined;
    this.#storageIsAway = true;
    const { rgw } = this.#cluster;
    await rgw.stop();
    const seconds = this.#laterMend(async () => {
      await rgw.start();
      this.#storageIsAway = false;
    });
    return `storage away for ${seconds} s`;
  }

  async #takeDatabase(how: 'stop' | 'crash') {
    if (this.#databaseIsAway) return undefined;
    this.#databaseIsAway = true;
    const { postgres } = this.#cluster;
    await postgres[how]();
    const seconds = this.#laterMend(async () => {
      await postgres.start();
      this.#databaseIsAway = false;
    });
    return `database ${how === 'stop' ? 'stopped' : 'crashed'}, away for ${seconds} s`;
  }

  async #kill(role: Member['role']) {
    const member = this.#chance.pick(this.#cluster.living(role));
    if (member === undefined) return undefined;
    const what = this.#chance.happens(0.5) ? 'machine' : 'process';
    await member.kill(what);
    const seconds = this.#laterMend(() => member.start());
    return `${member.name} killed (${what}), started again in ${seconds} s`;
  }

  async #stop(role: Member['role']) {
    const member = this.#chance.pick(this.#cluster.living(role));
    if (member === undefined) return undefined;
    this.#mend(async () => {
      await member.stop();
      await member.start();
    });
    return `${member.name} told to stop and started again`;
  }

  /** In whole tenths of a second, as it is told. */
  #laterMend(mend: () => Promise<void>): number {
    const seconds = Math.round(this.#chance.between(downSeconds.least, downSeconds.most) * 10) / 10;
    this.#mend(async () => {
      await pause(seconds * 1000);
      await mend();
    });
    return seconds;
  }

  #mend(mend: () => Promise<void>): void {
    const mending = mend().finally(() => this.#mending.delete(mending));
    this.#mending.add(mending);
  }
}
