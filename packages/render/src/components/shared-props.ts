/** Properties that many components have in common: an icon, a class, a colour. */
import type { ElementCall, PageContext } from './contract.ts';
import { element } from '../text/html.ts';
import { declarationsOf } from './style.ts';

/** The icon of an element: a name, a file, an emoji, or markup of the author's own. */
export function iconOf({ props, place }: ElementCall, page: PageContext, name = 'icon'): string {
  const named = props.icon(name);
  if (named !== undefined) return page.icon(named, place);
  const value = props.value(name);
  if (value === undefined || value === null || typeof value !== 'object') return '';
  const own = page.renderProp(props, name);
  return own && element('span', { class: 'dy-icon dy-icon-own', 'aria-hidden': 'true' }, own);
}

/** The component's own classes with those the author added, and one for an inline style. */
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

/** The id an author gave, as it is, unless the page has it already; otherwise one made from a text. */
export function idOf(given: string | undefined, text: string, page: PageContext): string {
  const wanted = given?.trim().replaceAll(/\s+/g, '-');
  return wanted && page.claimId(wanted) ? wanted : page.uniqueId(wanted ?? text);
}

const colorPattern =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|(?:rgb|rgba|hsl|hsla|oklch|oklab|lch|lab|hwb)\([\d\s.,%/a-z-]+\)|[a-z]+)$/i;

/** A colour that may stand in a stylesheet; undefined for anything else. */
export function safeColor(text: unknown): string | undefined {
  return typeof text === 'string' && colorPattern.test(text.trim()) ? text.trim() : undefined;
}
