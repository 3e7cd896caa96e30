/**
 * Keeps the content of pages until the document for printing is written: only pages of the default language and
 * version, and no more than anybody prints.
 */
import type { Site } from '../load.ts';
import type { Branch } from '../navigation/tree.ts';
import type { PageFeature, PageResult, PageTask, SitePlan } from '../page/task.ts';
import { FullText } from './full-text.ts';

export interface PrintedPage {
  route: string;
  title: string;
  /** Labels of the parts of the site around the page, from the outside in. */
  trail: string[];
}

export interface KeptPage extends PrintedPage {
  position: number;
  /** What its HTML weighs. */
  bytes: number;
}

/**
 * Some 1,500 pages, which make 5,000 sheets of paper. More would cost a large site a third of its time and size for what
 * nobody prints.
 */
const mostKeptBytes = 25_000_000;

export class PrintPages {
  /** In the order in which they are printed. */
  readonly pages: PrintedPage[];
  readonly features = new Set<PageFeature>();
  readonly #positions: Map<string, number>;
  readonly #sizes = new Map<number, number>();
  readonly #kept: FullText;
  readonly #decoder = new TextDecoder();

  constructor(
    site: Pick<Site, 'navigation' | 'metas'>,
    plan: Pick<SitePlan, 'rendered'>,
    limit = mostKeptBytes,
  ) {
    this.pages = printedPages(site, new Set(plan.rendered));
    this.#kept = new FullText(limit);
    this.#positions = new Map(this.pages.map(({ route }, index) => [route, index]));
  }

  add({ route }: PageTask, { html, aside, bar, description, features }: PageResult): void {
    const position = this.#positions.get(route);
    if (position === undefined) return;
    for (const feature of features) this.features.add(feature);
    const lead = description ? `<p class="lead">${description}</p>` : '';
    if (!this.#kept.hasRoomAt(position)) return;
    const bytes = Buffer.from(`${lead}${bar}${html}${aside}`);
    this.#sizes.set(position, bytes.length);
    this.#kept.add(position, bytes);
  }

  /** The pages that were kept, in their order. */
  kept(): KeptPage[] {
    return this.#kept.positions().flatMap((position) => {
      const page = this.pages[position];
      return page ? [{ ...page, position, bytes: this.#sizes.get(position) ?? 0 }] : [];
    });
  }

  htmlOf({ position }: KeptPage): string {
    return this.#decoder.decode(this.#kept.section(position));
  }
}

function printedPages(
  { navigation, metas }: Pick<Site, 'navigation' | 'metas'>,
  rendered: ReadonlySet<string>,
): PrintedPage[] {
  return navigation.order.flatMap((route) => {
    const place = navigation.places.get(route);
    const meta = metas.get(route);
    if (!place || !meta || meta.url !== undefined || !rendered.has(route) || !isDefault(place.branch))
      return [];
    const divisions = place.branch.steps
      .filter(({ switcher }) => switcher.kind !== 'language' && switcher.kind !== 'version')
      .map(({ division }) => division.label);
    return [{ route, title: meta.title, trail: [...divisions, ...place.trail] }];
  });
}

/** Only one language and one version is printed: the one that readers meet first. */
function isDefault(branch: Branch): boolean {
  return branch.steps.every(({ switcher, division }) => {
    if (switcher.kind !== 'language' && switcher.kind !== 'version') return true;
    return division === (switcher.divisions.find((one) => one.isDefault) ?? switcher.divisions[0]);
  });
}
