/**
 * Divides a large branch into units: each is a list of the navigation or a slice of a long one, numbered
 * deterministically.
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

const sliceLength = 200;

export class SidebarUnits {
  readonly units: SidebarUnit[] = [];
  /** Distinguishes navigations with different unit numbers. */
  readonly fingerprint: string;
  readonly #firstUnit = new Map<EntryList, number>();

  constructor(entries: EntryList) {
    const hash = createHash('sha256');
    this.#number(entries, true, (fact) => hash.update(fact));
    this.fingerprint = hash.digest('hex').slice(0, 8);
  }

  /** A list precedes the lists of its groups, which keeps related units together. */
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

  /** The reference format of pages: unit, first piece, end. */
  whole(list: EntryList): string {
    return String(this.#firstUnit.get(list) ?? 0);
  }

  after(list: EntryList, position: number): string {
    const { unit, piece } = this.#place(list, position);
    return `${unit} ${piece}`;
  }

  before(list: EntryList, position: number): string {
    const { unit, piece } = this.#place(list, position);
    return `${unit} 0 ${piece + 1}`;
  }

  /** The first piece of a later slice links to the previous slice. */
  #place(list: EntryList, position: number): { unit: number; piece: number } {
    const slice = Math.floor(position / sliceLength);
    const unit = (this.#firstUnit.get(list) ?? 0) + slice;
    return { unit, piece: (position % sliceLength) + (slice > 0 ? 1 : 0) };
  }
}
