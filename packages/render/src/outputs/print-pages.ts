/**
 * Keeps the content of pages until the document for printing is written: only pages of the default language and
 * version, and no more than anybody prints.
 */
import { type Pieces, encodedText } from '../text/encoded-text.ts';
import { type Addresses, relativeHref } from '../navigation/addresses.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageFeature, PageTask } from '../model/page.ts';
import type { SetAside } from '../text/kept.ts';
import { FullText } from './full-text.ts';
import {
  type DocumentPlace,
  type OpenAddress,
  openMark,
  printedAddress,
  printedSection,
} from './print-section.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';

export interface PrintedPage {
  route: string;
  title: string;
  /** Labels of the parts of the site around the page, from the outside in. */
  trail: readonly string[];
}

export interface KeptPage extends PrintedPage {
  position: number;
  /** What it takes in a document. */
  bytes: number;
}

/**
 * Some 1,500 pages, which make 5,000 sheets of paper. More would cost a large site a third of its time and size for what
 * nobody prints.
 */
const mostKeptBytes = 25_000_000;

/** The parts of a page that are printed. */
export interface PrintedContent {
  /** HTML above the content. */
  lead: string;
  html: Uint8Array;
  aside: Uint8Array;
}

export class PrintPages {
  /** In the order in which they are printed. */
  readonly pages: PrintedPage[];
  readonly features = new Set<PageFeature>();
  readonly #positions: Map<string, number>;
  readonly #kept: FullText;
  /** Those that are left open in what is kept, by position. */
  readonly #addresses = new Map<number, OpenAddress[]>();
  readonly #hrefOf: (route: string) => string;

  constructor(
    site: Pick<Site, 'navigation' | 'metas'>,
    plan: Pick<SitePlan, 'rendered'>,
    addresses: Addresses,
    { limit = mostKeptBytes, ...aside }: { limit?: number; setAside?: SetAside } = {},
  ) {
    this.pages = printedPages(site, new Set(plan.rendered));
    this.#kept = new FullText({ limit, ...aside });
    this.#hrefOf = (route) => hrefFromRoot(addresses, route);
    this.#positions = new Map(this.pages.map(({ route }, index) => [route, index]));
  }

  /** The content is made when there is room for it. */
  add({ route }: PageTask, features: readonly PageFeature[], content: () => PrintedContent): void {
    const position = this.#positions.get(route);
    if (position === undefined) return;
    for (const feature of features) this.features.add(feature);
    if (this.#kept.hasRoomAt(position)) this.#kept.add(position, this.#prepared(position, content()));
  }

  /** The pages that were kept, in their order. */
  kept(): KeptPage[] {
    return this.#kept.list().flatMap(([position, bytes]) => {
      const page = this.pages[position];
      return page ? [{ ...page, position, bytes }] : [];
    });
  }

  /** The page as it stands in a document. */
  *inDocument({ position }: KeptPage, place: DocumentPlace): Generator<Pieces[number]> {
    const bytes = this.#kept.section(position);
    let from = 0;
    for (const address of this.#addresses.get(position) ?? []) {
      const mark = bytes.indexOf(markByte, from);
      yield bytes.subarray(from, mark);
      yield printedAddress(address, place);
      from = mark + 1;
    }
    yield bytes.subarray(from);
  }

  /** Most of the work for a document is done as soon as a page is there, while others are being rendered. */
  #prepared(position: number, { lead, html, aside }: PrintedContent): Uint8Array {
    const { route = '' } = this.pages[position] ?? {};
    const { content, addresses } = printedSection([encodedText(lead), html, aside], {
      route,
      href: this.#hrefOf(route),
    });
    this.#addresses.set(position, addresses);
    return content;
  }
}

const markByte = openMark.charCodeAt(0);

/** The address of a page as links from the root of the site name it. */
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
    if (!place || !meta || meta.url !== undefined || !rendered.has(route) || !isDefault(place.branch))
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

/** Only one language and one version is printed: the one that readers meet first. */
function isDefault(branch: Branch): boolean {
  return branch.steps.every(({ switcher, division }) => {
    if (switcher.kind !== 'language' && switcher.kind !== 'version') return true;
    return division === (switcher.divisions.find((one) => one.isDefault) ?? switcher.divisions[0]);
  });
}
