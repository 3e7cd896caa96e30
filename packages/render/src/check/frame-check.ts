/**
 * Checks the addresses in headers, sidebars, footers and files other than pages. Many pages share them, so
 * each is checked once per folder, where relative addresses have the same meaning.
 */
import type { SharedText } from '../text/encoded-text.ts';
import { detachedText } from '../text/compact-values.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { OutputAddresses } from './output-addresses.ts';
import { frameFacts } from '../facts/output-facts.ts';
import type { Reference, UnresolvedAddress } from '../model/finished-page.ts';
import { anchorHint } from './output-findings.ts';
import type { SourcePlaces } from './source-places.ts';
import type { HtmlFacts } from '../model/page.ts';

/** Bounds the memory for addresses that are known to be valid. */
const maxFolders = 200;

/** Known once all files are written; pages that the frame links to are added to `reached`. */
interface Whole {
  addresses: OutputAddresses;
  places: SourcePlaces;
  configFile: string;
  reached: Set<string>;
}

interface Settled {
  addresses: Set<string>;
  /** Shared parts whose addresses were checked for this folder. */
  read: WeakSet<SharedText>;
}

export class FrameCheck {
  /** Whether an address leads to a page that will be written. */
  readonly #isSettled: (address: string, from: string, reaches?: string[]) => boolean;
  /** By folder and address: references whose target is not known before everything is written. */
  readonly #references = new Map<string, Map<string, { loads: boolean; from: string }>>();
  /** By folder: valid addresses, for the most recently used folders. */
  readonly #settled = new Map<string, Settled>();
  readonly #shared = new WeakMap<SharedText, { facts: HtmlFacts; withoutReferences: HtmlFacts }>();
  readonly #unresolved = new Map<string, UnresolvedAddress[1]>();
  #newlyUnresolved: UnresolvedAddress[] = [];

  constructor(isSettled: (address: string, from: string, reaches?: string[]) => boolean) {
    this.#isSettled = isSettled;
  }

  add(path: string, references: readonly Reference[], unresolved: readonly UnresolvedAddress[]): void {
    const open = references.length > 0 ? this.#openIn(folderOf(path)) : undefined;
    for (const { address, loads } of references) open?.set(address, { loads, from: path });
    for (const [written, code] of unresolved) this.#unresolved.set(written, code);
  }

  takeUnresolved(): UnresolvedAddress[] {
    const unresolved = this.#newlyUnresolved;
    this.#newlyUnresolved = [];
    return unresolved;
  }

  /** Wraps a resolver to record addresses without a target, because the frame does not render those. */
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

  /** The facts of a part that pages share. Its addresses are checked for the first page of each folder. */
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

  /**
   * Addresses of files other than pages count as part of the frame. References that lead to no page are added
   * to `noted`.
   */
  noterFor(path: string, noted: Reference[] = [], reaches?: string[]): (reference: Reference) => void {
    const folder = folderOf(path);
    const open = this.#openIn(folder);
    const settled = this.#settledIn(folder).addresses;
    return ({ address, loads }) => {
      if (settled.has(address) || open.has(address)) return;
      const text = detachedText(address);
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
    if (this.#settled.size === maxFolders) this.#settled.clear();
    const settled = { addresses: new Set<string>(), read: new WeakSet<SharedText>() };
    this.#settled.set(folder, settled);
    return settled;
  }

  /** Headers, sidebars and footers come from the configuration, so findings point there. */
  findings({ addresses, places, configFile: file, reached }: Whole): Diagnostic[] {
    const found: Diagnostic[] = [];
    for (const [written, code] of [...this.#unresolved].toSorted(byFirst)) {
      const place = places.find(file, [JSON.stringify(written), written]);
      const what = code === 'image_missing' ? 'image' : 'link';
      const message = `The ${what} "${written}" of the configuration has no target on the site; it is not shown`;
      found.push({ severity: 'warning', code, message, file, ...place, target: written });
    }
    const reported = new Set<string>();
    const references = [...this.#references]
      .toSorted(byFirst)
      .flatMap(([, known]) => [...known].toSorted(byFirst));
    for (const [address, { loads, from }] of references) {
      const verdict = addresses.resolve(address, from);
      if (verdict.kind === 'found') reached.add(verdict.path);
      if (verdict.kind === 'found' || verdict.kind === 'external') continue;
      const target = verdict.kind === 'no id' ? `${verdict.path}#${verdict.fragment}` : verdict.path;
      if (reported.has(target)) continue;
      reported.add(target);
      const route = target.replace(/(?:\/index)?\.html(?=#|$)/, '');
      const fragment = verdict.kind === 'no id' ? `#${verdict.fragment}"` : '';
      found.push({
        severity: 'warning',
        code: verdict.kind === 'no id' ? 'broken_anchor' : loads ? 'image_missing' : 'broken_link',
        message: `The navigation links to "${route}", which does not exist`,
        file,
        ...places.find(file, [`${route}"`, fragment]),
        ...(verdict.kind === 'no id' ? { hint: anchorHint(verdict.fragment, verdict.ids) } : {}),
        target,
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
