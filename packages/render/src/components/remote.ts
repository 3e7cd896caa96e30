/** Links that replace pictures, frames and videos of other hosts. An exported page contacts no other host. */
import { type ElementCall, type PageContext, elementsNamed } from './contract.ts';
import { element, escapeText } from '../text/html.ts';

const framed = new Set(['iframe', 'video', 'audio']);

/** Undefined when the element's file is on the site. */
export function remoteMedia(call: ElementCall, page: PageContext): string | undefined {
  const { name, props, place } = call;
  if (!framed.has(name)) return undefined;
  const href = page.remoteAddress(addressOf(call) ?? '');
  if (href === undefined) return undefined;
  page.report('remote_embed', notice(name === 'iframe' ? 'frame' : name, href), place, hint, href);
  const host = hostOf(viewerAddress(href));
  const title = props.text('title') ?? (name === 'iframe' ? 'Embedded content' : `A ${name}`);
  return element(
    'a',
    { class: 'dy-remote-embed', href: viewerAddress(href), rel: 'noopener' },
    element('span', { class: 'dy-remote-title' }, escapeText(title)) +
      element('span', { class: 'dy-remote-host' }, `Opens on ${escapeText(host)}`),
  );
}

/** A picture keeps its classes, which may restrict it to light or dark. */
export function remoteImage(href: string, alt: string | undefined, classes = ''): string {
  const own = alt === undefined ? 'dy-remote-image dy-remote-unnamed' : 'dy-remote-image';
  const text = alt ?? `Image on ${hostOf(href)}`;
  return element('a', { class: `${own} ${classes}`.trim(), href, rel: 'noopener' }, escapeText(text));
}

const emptyLink = /<a class="(?:dy-anchor|dy-remote-image dy-remote-unnamed)\b[^<>]*>[^<]*<\/a>/g;

/** Links must not be nested; inner ones keep only their text. */
export function withoutLinks(html: string): string {
  return html.includes('<a') ? html.replaceAll(emptyLink, '').replaceAll(/<a\b[^>]*>|<\/a>/g, '') : html;
}

export const hint = 'Add the file to the repository to show it on the page.';

export function remoteNotice(href: string, problem: string | undefined, otherwise: string): string {
  const what = `The image "${href.slice(0, 200)}" is on another host and`;
  return problem === undefined ? `${what} ${otherwise}` : `${what} could not be fetched: ${problem}`;
}

function notice(kind: string, href: string): string {
  return `The ${kind} "${href.slice(0, 200)}" is on another host; the page links to it`;
}

function addressOf({ props, children }: ElementCall): string | undefined {
  return props.text('src') ?? elementsNamed(children, 'source')[0]?.props.text('src');
}

function hostOf(href: string): string {
  return URL.canParse(href) ? new URL(href).hostname.replace(/^www\./, '') : href;
}

function viewerAddress(href: string): string {
  return href
    .replace(
      /^https:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]+).*$/,
      'https://www.youtube.com/watch?v=$1',
    )
    .replace(/^https:\/\/(?:www\.)?loom\.com\/embed\//, 'https://www.loom.com/share/')
    .replace(/^https:\/\/player\.vimeo\.com\/video\//, 'https://vimeo.com/');
}
