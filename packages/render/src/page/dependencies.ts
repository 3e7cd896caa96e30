/**
 * What a page asked of the lists of the site's pages and files, and what it was told: as long as the answers are the same, a
 * page that was rendered with other lists is the same page.
 */
import { addressesFor } from '../navigation/addresses.ts';
import type { LinkResolver, LinkTarget } from '../navigation/links.ts';
import type { Lookup, LookupKind } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';

/** Everything about a target that can be seen in the page. */
export function answerOf(
  links: LinkResolver,
  { urlStyle, routes, rendered }: Pick<SitePlan, 'urlStyle' | 'routes' | 'rendered'>,
): (kind: LookupKind, written: string, from: string) => string {
  const addresses = addressesFor(urlStyle, routes);
  const isRendered = new Set(rendered);
  const text = (target: LinkTarget): string =>
    target.kind === 'page'
      ? `page ${target.route} ${target.suffix} ${addresses.hrefOf(target.route)} ${isRendered.has(target.route)}`
      : JSON.stringify(target);
  return (kind, written, from) =>
    text(kind === 'link' ? links.resolve(written, from) : links.resolveFile(written, from));
}

/** The same resolver, which writes down what it was asked until somebody takes the list. */
export function writtenDown(links: LinkResolver, plan: SitePlan): { links: LinkResolver; take(): Lookup[] } {
  const answer = answerOf(links, plan);
  let asked = new Map<string, Lookup>();
  const note = (kind: LookupKind, written: string, from: string): void => {
    const key = `${kind} ${written}`;
    if (!asked.has(key)) asked.set(key, [kind, written, from, answer(kind, written, from)]);
  };
  return {
    links: {
      resolve(href, from) {
        note('link', href, from);
        return links.resolve(href, from);
      },
      resolveFile(address, from) {
        note('file', address, from);
        return links.resolveFile(address, from);
      },
    },
    take() {
      const all = [...asked.values()];
      asked = new Map();
      return all;
    },
  };
}
