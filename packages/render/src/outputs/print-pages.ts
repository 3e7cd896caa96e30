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
  readonly #kept = new FullText(mostKeptBytes);
  readonly #deflates: boolean;
  #bytes = 0;

  constructor(site: Pick<Site, 'navigation' | 'metas'>, plan: Pick<SitePlan, 'rendered'>) {
    this.pages = printedPages(site, new Set(plan.rendered));
    this.#deflates = this.pages.length > mostPagesKeptPlain;
    this.#positions = new Map(this.pages.map(({ route }, index) => [route, index]));
  }

  /** What the kept pages weigh as HTML. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ route }: PageTask, { html, aside, bar, description, features }: PageResult): void {
    const position = this.#positions.get(route);
    if (position === undefined) return;
    for (const feature of features) this.features.add(feature);
    const lead = description ? `<p class="lead">${description}</p>` : '';
    const body = `${lead}${bar}${html}${aside}`;
    this.#bytes += body.length;
    const bytes = Buffer.from(withPosition(position, body));
    this.#kept.add(position, this.#deflates ? deflateRawSync(bytes, { level: 1 }) : bytes);
  }

  /** The pages in their order, as far as they were kept. */
  *contents(): Generator<{ page: PrintedPage; html: string }> {
    for (const section of this.#kept.sections()) {
      const text = (this.#deflates ? inflateRawSync(section) : Buffer.from(section)).toString();
      const end = text.indexOf('\n');
      const page = this.pages[Number(text.slice(0, end))];
      if (page) yield { page, html: text.slice(end + 1) };
    }
  }
}

/** The first line says which page it is. */
function withPosition(position: number, html: string): string {
  return `${position}\n${html}`;
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
