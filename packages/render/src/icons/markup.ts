/** The HTML of an icon given as a library name, a file, a URL or an emoji. */
import { attributes, element, escapeText } from '../text/html.ts';
import { iconSvg } from './library.ts';
import { isIconAddress } from './reference.ts';
import type { IconLibrary } from '../model/site-plan.ts';

export interface IconSources {
  library: IconLibrary;
  /** Resolves a site file or URL for the current page; undefined when the file is missing. */
  picture: (address: string) => string | undefined;
}

/** Undefined for an unknown icon; empty for a missing image file. */
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
