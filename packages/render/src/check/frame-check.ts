/**
 * What stands around the pages: header, sidebar, footer, and files that are no page. It is the same on many of them, so it is read
 * and judged once for each folder, where its addresses mean the same.
 */
import type { SharedText } from '../text/encoded-text.ts';
import { keptText } from '../text/kept.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { OutputAddresses } from './output-addresses.ts';
import { frameFacts } from '../facts/output-facts.ts';
import type { Reference, UnresolvedAddress } from '../model/finished-page.ts';
import { anchorHint } from './output-findings.ts';
import type { SourcePlaces } from './source-places.ts';
import type { HtmlFacts } from '../model/page.ts';

/** 50,000 pages in 2,000 folders would otherwise keep 20 MB of addresses that are in order. */
const mostFolders = 200;

/** What is known once all is written; pages that the frame leads to are added to `reached`. */
interface Whole {
  addresses: OutputAddresses;
  places: SourcePlaces;
  configFile: string;
  reached: Set<string>;
}

interface Settled {
  addresses: Set<string>;
  /** Parts whose addresses were judged as pages of this folder have them. */
  read: WeakSet<SharedText>;
}

export class FrameCheck {
  /** Whether an address leads to a page that will be written. */
  readonly #isSettled: (address: string, from: string, reaches?: string[]) => boolean;
  /** By folder and address: what is not known to be in order before everything is written. */
  readonly #references = new Map<string, Map<string, { loads: boolean; from: string }>>();
  /** By folder: what is in order. Of folders that pages came from lately, since most frames are alike. */
  readonly #settled = new Map<string, Settled>();
  /** Parts that many pages have in common are read once. */
  readonly #shared = new WeakMap<SharedText, { facts: HtmlFacts; withoutReferences: HtmlFacts }>();
  readonly #unresolved = new Map<string, UnresolvedAddress[1]>();
  #newlyUnresolved: UnresolvedAddress[] = [];

  constructor(isSettled: (address: string, from: string, reaches?: string[]) => boolean) {
    this.#isSettled = isSettled;
  }

  /** What was noted for a page before. */
  add(path: string, references: readonly Reference[], unresolved: readonly UnresolvedAddress[]): void {
    const open = references.length > 0 ? this.#openIn(folderOf(path)) : undefined;
    for (const { address, loads } of references) open?.set(address, { loads, from: path });
    for (const [written, code] of unresolved) this.#unresolved.set(written, code);
  }

  /** The addresses that were found to lead nowhere since the last call. */
  takeUnresolved(): UnresolvedAddress[] {
    const taken = this.#newlyUnresolved;
    this.#newlyUnresolved = [];
    return taken;
  }

  /** The same resolver, but what it finds no target for is told: addresses of the frame that lead nowhere are not drawn. */
  watch(links: LinkResolver): LinkResolver {
    return {
      resolve: (href, from) => {
        const target = links.resolve(href, from);
        if (target.kind === 'broken') this.#noteUnresolved(href, 'broken_link');
        if (target.kind === 'unsafe') this.#noteUnresolved(href, 'unsafe_link');
        return target;
      },
      resolveFile: (address, from) => {
        const target = links.resolveFile(address, from);
        if (target.kind === 'broken') this.#noteUnresolved(address, 'image_missing');
        return target;
      },
    };
  }

  /** Of a part that pages share. Its addresses mean the same for all pages of a folder: the first one of them has them judged. */
  factsOf(shared: SharedText, output: string): HtmlFacts {
    let known = this.#shared.get(shared);
    if (!known) {
      const facts = frameFacts(shared.bytes);
      known = { facts, withoutReferences: { ...facts, references: [] } };
      this.#shared.set(shared, known);
    }
    const { read } = this.#settledIn(folderOf(output));
    if (read.has(shared)) return known.withoutReferences;
    read.add(shared);
    return known.facts;
  }

  /** Every address of a file that is no page of an author counts as part of the frame. Those that lead to no page go to `noted`. */
  noterFor(path: string, noted: Reference[] = [], reaches?: string[]): (reference: Reference) => void {
    const folder = folderOf(path);
    const open = this.#openIn(folder);
    const settled = this.#settledIn(folder).addresses;
    return ({ address, loads }) => {
      if (settled.has(address) || open.has(address)) return;
      const text = keptText(address);
      if (this.#isSettled(address, path, reaches)) settled.add(text);
      else {
        open.set(text, { loads, from: path });
        noted.push({ address: text, loads });
      }
    };
  }

  #openIn(folder: string): Map<string, { loads: boolean; from: string }> {
    const known = this.#references.get(folder);
    if (known) return known;
    const open = new Map<string, { loads: boolean; from: string }>();
    this.#references.set(folder, open);
    return open;
  }

  #noteUnresolved(written: string, code: UnresolvedAddress[1]): void {
    this.#unresolved.set(written, code);
    this.#newlyUnresolved.push([written, code]);
  }

  #settledIn(folder: string): Settled {
    const known = this.#settled.get(folder);
    if (known) return known;
    if (this.#settled.size === mostFolders) this.#settled.clear();
    const settled = { addresses: new Set<string>(), read: new WeakSet<SharedText>() };
    this.#settled.set(folder, settled);
    return settled;
  }

  /** Header, sidebar and footer are the same on many pages, and all come from the configuration. */
  findings({ addresses, places, configFile: file, reached }: Whole): Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const [written, code] of [...this.#unresolved].toSorted(byFirst)) {
      const place = places.find(file, [JSON.stringify(written), written]);
      const what = code === 'image_missing' ? 'picture' : 'link';
      const message = `The ${what} "${written}" of the configuration leads to nothing on the site; it is not shown`;
      found.push({ severity: 'warning', code, message, file, ...place, target: written });
    }
    const told = new Set<string>();
    const references = [...this.#references]
      .toSorted(byFirst)
      .flatMap(([, known]) => [...known].toSorted(byFirst));
    for (const [address, { loads, from }] of references) {
      const verdict = addresses.judge(address, from);
      if (verdict.kind === 'there') reached.add(verdict.path);
      if (verdict.kind === 'there' || verdict.kind === 'elsewhere') continue;
      const wanted = verdict.kind === 'no id' ? `${verdict.path}#${verdict.fragment}` : verdict.path;
      if (told.has(wanted)) continue;
      told.add(wanted);
      const route = wanted.replace(/(?:\/index)?\.html(?=#|$)/, '');
      const fragment = verdict.kind === 'no id' ? `#${verdict.fragment}"` : '';
      found.push({
        severity: 'warning',
        code: verdict.kind === 'no id' ? 'broken_anchor' : loads ? 'image_missing' : 'broken_link',
        message: `"${route}" is linked around the pages, and leads nowhere`,
        file,
        ...places.find(file, [`${route}"`, fragment]),
        ...(verdict.kind === 'no id' ? { hint: anchorHint(verdict.fragment, verdict.ids) } : {}),
        target: wanted,
      });
    }
    return found;
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function byFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
