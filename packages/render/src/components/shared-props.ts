/** Properties that many components share: `icon`, `className`, `style`, `id`, `color`. */
import type { ElementCall, PageContext } from './contract.ts';
import { element } from '../text/html.ts';
import { declarationsOf } from './style.ts';

export function iconOf({ props, place }: ElementCall, page: PageContext, name = 'icon'): string {
  const named = props.icon(name);
  if (named !== undefined) return page.icon(named, place);
  const value = props.value(name);
  if (value === undefined || value === null || typeof value !== 'object') return '';
  const own = page.renderProp(props, name);
  return own && element('span', { class: 'dy-icon dy-icon-own', 'aria-hidden': 'true' }, own);
}

/** The class names of the component, and what the author sets with `className` and `style`. */
export function classesOf(
  { props, place }: ElementCall,
  page: PageContext,
  ...own: (string | false | undefined)[]
): string {
  const given = props.text('className') ?? props.text('class');
  const style = page.styleClass(
    declarationsOf(props.value('style'), (address) => page.styleFile(address, place)),
  );
  return [...own, given && page.useClasses(given), style].filter(Boolean).join(' ');
}

/**
 * The author's `id` unless the page has it already; otherwise one derived from a text. Headings need no call:
 * `page.heading` does the same.
 */
export function idOf(given: string | undefined, text: string, page: PageContext): string {
  const wanted = given?.trim().replaceAll(/\s+/g, '-');
  return wanted && page.claimId(wanted) ? wanted : page.uniqueId(wanted ?? text);
}

const colorPattern =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|rgba|hsl|hsla|oklch|oklab|lch|lab|hwb)\([\d\s.,%/a-z-]+\)|[a-z]+)$/i;

/** Undefined for anything but a color that is safe in a stylesheet. */
export function safeColor(text: unknown): string | undefined {
  return typeof text === 'string' && colorPattern.test(text.trim()) ? text.trim() : undefined;
}
