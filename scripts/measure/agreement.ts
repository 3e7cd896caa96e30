/**
 * Holds the renderer's check of its output against the crawl, which shares no code with it: what one calls broken must be
 * broken for the other.
 */
import type { Diagnostic } from '@docyard/render';
import type { Miss } from './crawl.ts';

/** Each difference as a sentence; none when both agree. */
export function disagreements(misses: readonly Miss[], diagnostics: readonly Diagnostic[]): string[] {
  const told = targetsOf(diagnostics, ['broken_anchor', 'broken_link', 'image_missing']);
  const missed = new Set(misses.map(({ target }) => target));
  const untold = misses.filter(
    (miss) => (miss.why === 'no such id' || miss.why === 'no such file') && !told.has(originOf(miss)),
  );
  /** A link that the renderer could not resolve is not written, so only anchors can be looked up in the crawl. */
  const unfounded = [...targetsOf(diagnostics, ['broken_anchor'])].filter((target) => !missed.has(target));
  return [
    ...untold.map(({ page, address, why }) => `${page}: ${address} (${why}) is not in the report`),
    ...unfounded.map((target) => `${target} is in the report, and there`),
  ];
}

/** Documents for printing repeat the links of pages, with ids of the form `page:id`; they are told where they come from. */
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
