/**
 * A large branch as units that a page asks for one by one: each is a list of the navigation, or a slice of a long one,
 * under a number that follows from the navigation alone. Knows nothing of HTML.
 */
import { createHash } from 'node:crypto';
import type { NavEntry } from '../navigation/tree.ts';

type EntryList = readonly NavEntry[];

export interface SidebarUnit {
  list: EntryList;
  from: number;
  to: number;
  isTop: boolean;
}

/** Entries of a unit: some 30 kB of HTML at most sites. */
const sliceLength = 200;

export class SidebarUnits {
  readonly units: SidebarUnit[] = [];
  /** Tells navigations apart whose units have other numbers. */
  readonly fingerprint: string;
  readonly #firstUnit = new Map<EntryList, number>();

  constructor(entries: EntryList) {
    const hash = createHash('sha256');
    this.#number(entries, true, (fact) => hash.update(fact));
    this.fingerprint = hash.digest('hex').slice(0, 8);
  }

  /** A list comes before the lists of its groups, so that a group and what it holds are near each other. */
  #number(list: EntryList, isTop: boolean, note: (fact: string) => void): void {
    this.#firstUnit.set(list, this.units.length);
    for (let from = 0; from < list.length; from += sliceLength)
      this.units.push({ list, from, to: Math.min(list.length, from + sliceLength), isTop });
    for (const entry of list) {
      if (entry.kind !== 'group') note(entry.kind === 'page' ? `p${entry.route}\n` : `l${entry.href}\n`);
      else {
        note(`g${entry.root ?? ''}\n`);
        this.#number(entry.entries, false, note);
        note('\n');
      }
    }
  }

  /** How a page names what it asks for: the unit, and which of its pieces, the first and the one after the last. */
  whole(list: EntryList): string {
    return String(this.#firstUnit.get(list) ?? 0);
  }

  /** The entries from a position on. */
  after(list: EntryList, position: number): string {
    const { unit, piece } = this.#place(list, position);
    return `${unit} ${piece}`;
  }

  /** The entries up to a position and with it. */
  before(list: EntryList, position: number): string {
    const { unit, piece } = this.#place(list, position);
    return `${unit} 0 ${piece + 1}`;
  }

  /** The first piece of a slice leads to the slice before, if there is one. */
  #place(list: EntryList, position: number): { unit: number; piece: number } {
    const slice = Math.floor(position / sliceLength);
    const unit = (this.#firstUnit.get(list) ?? 0) + slice;
    return { unit, piece: (position % sliceLength) + (slice > 0 ? 1 : 0) };
  }
}
