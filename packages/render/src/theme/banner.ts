import type { Banner } from '../config/settings.ts';
import { element, escapeAttribute } from '../text/html.ts';
import { interfaceIcon } from '../icons/interface.ts';
import type { Words } from '../words/words.ts';

/** Without content, the language has no banner. */
export interface GuestBanner {
  language: string;
  banner?: Banner | undefined;
  bannerHtml: string;
  words: Words;
}

/** Used by the script that replaces the branch around the page. */
export function guestBannerHtml(guest: GuestBanner): string {
  const content = guest.bannerHtml ? bannerHtml(guest, '') : '';
  return `${element('template', { 'data-banner': guest.language }, content)}\n`;
}

export function bannerHtml({ bannerHtml: content, banner, words }: GuestBanner, id: string): string {
  const close = banner?.dismissible
    ? `<button type="button" class="dy-icon-button" data-banner-close aria-label="${escapeAttribute(words.close)}">${interfaceIcon('xmark')}</button>`
    : '';
  const classes = `dy-site-banner dy-banner-${banner?.kind ?? 'info'}${banner?.color ? ' dy-banner-own' : ''}`;
  return (
    `<div${id} class="${classes}" role="region" aria-label="${escapeAttribute(words.notice)}">` +
    `<p>${content}</p>${close}</div>\n`
  );
}
