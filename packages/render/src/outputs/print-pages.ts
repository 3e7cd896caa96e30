/**
 * Keeps the content of pages until the document for printing is written: only pages of the default language and
 * version, and those of a large site deflated.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
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
 * Deflating costs about 0.3 ms a page and keeps 3.5 of 15 kB. A site of 10,000 pages waits in 35 MB instead of 150;
 * for most sites it would only cost time.
 */
const mostPagesKeptPlain = 2000;
const mostKeptBytes = 100_000_000;

export class PrintPages {
  /** In the order in which they are printed. */
  readonly pages: PrintedPage[];
  readonly features = new Set<PageFeature>();
  readonly #positions: Map<string, number>;
  readonly #sizes = new Map<number, number>();
  readonly #kept: FullText;
  readonly #deflates: boolean;
  readonly #decoder = new TextDecoder();

  constructor(
    site: Pick<Site, 'navigation' | 'metas'>,
    plan: Pick<SitePlan, 'rendered'>,
    limit = mostKeptBytes,
  ) {
    this.pages = printedPages(site, new Set(plan.rendered));
    this.#kept = new FullText(limit);
    this.#deflates = this.pages.length > mostPagesKeptPlain;
    this.#positions = new Map(this.pages.map(({ route }, index) => [route, index]));
  }

  add({ route }: PageTask, { html, aside, bar, description, features }: PageResult): void {
    const position = this.#positions.get(route);
    if (position === undefined) return;
    for (const feature of features) this.features.add(feature);
    const lead = description ? `<p class="lead">${description}</p>` : '';
    const bytes = Buffer.from(`${lead}${bar}${html}${aside}`);
    this.#sizes.set(position, bytes.length);
    this.#kept.add(position, this.#deflates ? deflateRawSync(bytes, { level: 1 }) : bytes);
  }

  /** The pages that were kept, in their order. */
  kept(): KeptPage[] {
    return this.#kept.positions().flatMap((position) => {
      const page = this.pages[position];
      return page ? [{ ...page, position, bytes: this.#sizes.get(position) ?? 0 }] : [];
    });
  }

  htmlOf({ position }: KeptPage): string {
    const section = this.#kept.section(position);
    return this.#decoder.decode(this.#deflates ? inflateRawSync(section) : section);
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
