/** The HTML of an icon, whatever an author named it by: a name of a library, a file, an address, or an emoji. */
import { attributes, element, escapeText } from '../text/html.ts';
import { iconSvg } from './library.ts';
import { isIconAddress } from './reference.ts';
import type { IconLibrary } from '../model/site-plan.ts';

export interface IconSources {
  library: IconLibrary;
  /** The address of a file of the site as the page sees it, or of a picture elsewhere; undefined when it is missing. */
  picture: (address: string) => string | undefined;
}

/** Undefined when nobody knows the icon; empty when it is a picture that is missing. */
export function iconHtml(text: string, { library, picture }: IconSources): string | undefined {
  if (isIconAddress(text)) {
    const src = picture(text);
    return src === undefined ? '' : `<img${attributes({ class: 'dy-icon dy-icon-image', src, alt: '' })}>`;
  }
  const svg = iconSvg(text, library);
  if (svg !== undefined) return svg;
  return /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(text)
    ? element('span', { class: 'dy-icon dy-icon-text', 'aria-hidden': 'true' }, escapeText(text))
    : undefined;
}
