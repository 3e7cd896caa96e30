/**
 * Absolute public URLs of pages and files, without extension. They exist only when the origin is configured.
 */
import type { PageMeta } from '../model/page-source.ts';
import { languageCode } from '../words/words.ts';
import { type Addresses, relativeHref } from './addresses.ts';
import { type NavigationMap, nearestBranch } from './branches.ts';
import type { Equivalents } from './equivalents.ts';
import type { SitePlan } from '../model/site-plan.ts';

export class PublicAddresses {
  readonly #base: string | undefined;
  readonly #addresses: Addresses;
  readonly #navigation: NavigationMap;
  readonly #equivalents: Equivalents;

  constructor(
    { origin, basePath }: Pick<SitePlan, 'origin' | 'basePath'>,
    addresses: Addresses,
    navigation: NavigationMap,
    equivalents: Equivalents,
  ) {
    this.#base = origin ? `${origin}${basePath}/` : undefined;
    this.#addresses = addresses;
    this.#navigation = navigation;
    this.#equivalents = equivalents;
  }

  /** Undefined without a configured origin. */
  get home(): string | undefined {
    return this.#base;
  }

  /** Empty for the home page. */
  pathOf(route: string): string {
    return this.#addresses.canonicalOf(route);
  }

  ofPage(route: string): string | undefined {
    return this.ofFile(this.#addresses.canonicalOf(route));
  }

  ofFile(path: string): string | undefined {
    if (this.#base === undefined) return undefined;
    return path === '' ? this.#base : this.#base + relativeHref('', path);
  }

  canonicalOf(meta: Pick<PageMeta, 'route' | 'canonical'>): string | undefined {
    return meta.canonical && /^https?:\/\//.test(meta.canonical) ? meta.canonical : this.ofPage(meta.route);
  }

  /** Pairs of language code and URL. */
  alternatesOf(route: string): [string, string][] {
    const branch = this.#navigation.places.get(route)?.branch ?? nearestBranch(this.#navigation, route);
    const step = branch?.steps.find(({ switcher }) => switcher.kind === 'language');
    if (!step || this.#base === undefined) return [];
    const found = step.switcher.divisions.flatMap((division): [string, string][] => {
      const other =
        division === step.division ? route : this.#equivalents.find(route, step.division, division);
      const address = other === undefined ? undefined : this.ofPage(other);
      return address === undefined ? [] : [[languageCode(division.label), address]];
    });
    const first = step.switcher.divisions.find(({ isDefault }) => isDefault) ?? step.switcher.divisions[0];
    const main = found.find(([code]) => code === languageCode(first?.label ?? ''));
    if (found.length < 2) return [];
    return main ? [...found, ['x-default', main[1]]] : found;
  }
}

export function feedPath(addresses: PublicAddresses, route: string): string {
  const path = addresses.pathOf(route);
  return path === '' ? 'rss.xml' : `${path}/rss.xml`;
}
