/**
 * Collects page content for the print documents: pages of the default language and version, up to a size limit.
 */
import { type Pieces, encodedText } from '../text/encoded-text.ts';
import { type Addresses, relativeHref } from '../navigation/addresses.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageFeature, PageTask } from '../model/page.ts';
import type { SpillBytes } from '../text/spill.ts';
import { FullText } from './full-text.ts';
import {
  type DocumentPlace,
  type DeferredAddress,
  addressMarker,
  printedAddress,
  printedSection,
} from './print-section.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';
import { isDefaultBranch } from '../site/visibility.ts';

export interface PrintedPage {
  route: string;
  title: string;
  trail: readonly string[];
}

export interface CollectedPage extends PrintedPage {
  position: number;
  bytes: number;
}

/** Larger documents are not practical to print. */
const maxCollectedBytes = 25_000_000;

export interface PrintedContent {
  lead: string;
  html: Uint8Array;
  aside: Uint8Array;
}

export class PrintPages {
  /** In print order. */
  readonly pages: PrintedPage[];
  readonly features = new Set<PageFeature>();
  readonly #positions: Map<string, number>;
  readonly #sections: FullText;
  /** Deferred addresses in the collected content, by position. */
  readonly #addresses = new Map<number, DeferredAddress[]>();
  readonly #hrefOf: (route: string) => string;

  constructor(
    site: Pick<Site, 'navigation' | 'metas'>,
    plan: Pick<SitePlan, 'rendered'>,
    addresses: Addresses,
    { limit = maxCollectedBytes, ...aside }: { limit?: number; spill?: SpillBytes } = {},
  ) {
    this.pages = printedPages(site, new Set(plan.rendered));
    this.#sections = new FullText({ limit, ...aside });
    this.#hrefOf = (route) => hrefFromRoot(addresses, route);
    this.#positions = new Map(this.pages.map(({ route }, index) => [route, index]));
  }

  /** `content` is called only when there is room. */
  add({ route }: PageTask, features: readonly PageFeature[], content: () => PrintedContent): void {
    const position = this.#positions.get(route);
    if (position === undefined) return;
    for (const feature of features) this.features.add(feature);
    if (this.#sections.hasRoomAt(position)) this.#sections.add(position, this.#rewrite(position, content()));
  }

  collectedPages(): CollectedPage[] {
    return this.#sections.list().flatMap(([position, bytes]) => {
      const page = this.pages[position];
      return page ? [{ ...page, position, bytes }] : [];
    });
  }

  *inDocument({ position }: CollectedPage, place: DocumentPlace): Generator<Pieces[number]> {
    const bytes = this.#sections.section(position);
    let from = 0;
    for (const address of this.#addresses.get(position) ?? []) {
      const marker = bytes.indexOf(markerByte, from);
      yield bytes.subarray(from, marker);
      yield printedAddress(address, place);
      from = marker + 1;
    }
    yield bytes.subarray(from);
  }

  /** Rewrites the page on arrival, while other pages render. */
  #rewrite(position: number, { lead, html, aside }: PrintedContent): Uint8Array {
    const { route = '' } = this.pages[position] ?? {};
    const { content, addresses } = printedSection([encodedText(lead), html, aside], {
      route,
      href: this.#hrefOf(route),
    });
    this.#addresses.set(position, addresses);
    return content;
  }
}

const markerByte = addressMarker.charCodeAt(0);

export function hrefFromRoot(addresses: Addresses, route: string): string {
  const href = addresses.hrefOf(route);
  return href === '' ? '' : relativeHref('', href);
}

function printedPages(
  { navigation, metas }: Pick<Site, 'navigation' | 'metas'>,
  rendered: ReadonlySet<string>,
): PrintedPage[] {
  const trails = new Map<readonly string[], readonly string[]>();
  return navigation.order.flatMap((route) => {
    const place = navigation.places.get(route);
    const meta = metas.get(route);
    if (!place || !meta || meta.url !== undefined || !rendered.has(route) || !isDefaultBranch(place.branch))
      return [];
    const trail = trails.get(place.trail) ?? [...divisionsOf(place.branch), ...place.trail];
    trails.set(place.trail, trail);
    return [{ route, title: meta.title, trail }];
  });
}

function divisionsOf({ steps }: Branch): string[] {
  return steps
    .filter(({ switcher }) => switcher.kind !== 'language' && switcher.kind !== 'version')
    .map(({ division }) => division.label);
}
