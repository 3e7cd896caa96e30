/** Compares the renderer's link check with the crawl, which shares no code with it. */
import type { Diagnostic } from '@docyard/render';
import type { Miss } from './crawl.ts';

/** One sentence per difference. */
export function disagreements(misses: readonly Miss[], diagnostics: readonly Diagnostic[]): string[] {
  const reported = targetsOf(diagnostics, ['broken_anchor', 'broken_link', 'image_missing']);
  const missed = new Set(misses.map(({ target }) => target));
  const unreported = misses.filter(
    (miss) => (miss.why === 'no such id' || miss.why === 'no such file') && !reported.has(originOf(miss)),
  );
  /** The renderer does not write links that it cannot resolve, so the crawl can confirm only anchors. */
  const unfounded = [...targetsOf(diagnostics, ['broken_anchor'])].filter((target) => !missed.has(target));
  return [
    ...unreported.map(({ page, address, why }) => `${page}: ${address} (${why}) is not in the report`),
    ...unfounded.map((target) => `${target} is in the report, and there`),
  ];
}

/** Print documents repeat the links of pages with ids of the form `page:id`; the renderer reports them for the page. */
function originOf({ page, target }: Miss): string {
  const printed = /^_?print(?:\/[^#]*)?\.html(?:#|$)/;
  const [, route, id] = /#([^:]+):(.+)$/.exec(printed.test(page) && printed.test(target) ? target : '') ?? [];
  return route === undefined ? target : `${route}.html#${id}`;
}

function targetsOf(diagnostics: readonly Diagnostic[], codes: readonly Diagnostic['code'][]): Set<string> {
  return new Set(
    diagnostics.flatMap(({ code, target }) => (codes.includes(code) && target !== undefined ? [target] : [])),
  );
}
