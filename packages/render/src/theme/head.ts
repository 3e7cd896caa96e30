/** The head of a page: its policy, titles and descriptions for machines, stylesheets and scripts. */
import { attributes, element, escapeText } from '../text/html.ts';
import { metaTags } from './meta-tags.ts';
import type { PageView } from './shell.ts';
import { tryItScript } from './files.ts';
import { plainTitle } from './text.ts';

/**
 * A page with a form may ask what that form is for, and show the pictures it is answered with; so may one with
 * components of an author or scripts of the repository that name other hosts. Whatever runs is a file of the site.
 */
export function contentSecurityPolicy({
  connectSources,
  islands,
  customScripts,
}: Pick<PageView, 'connectSources' | 'islands' | 'customScripts'>): string {
  const hasScripts = (customScripts?.paths.length ?? 0) > 0;
  const asks = connectSources !== undefined || islands !== undefined || hasScripts;
  const hosts = new Set([
    ...(connectSources ?? []),
    ...(islands?.hosts ?? []),
    ...(customScripts?.hosts ?? []),
  ]);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${asks ? ' blob:' : ''}`,
    "media-src 'self'",
    "font-src 'self' data:",
    /** Tools that judge a page read robots.txt from within it. */
    ["connect-src 'self'", ...hosts].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export function headHtml(view: PageView): string {
  const { settings, prefix } = view;
  const name = settings.name;
  const title = plainTitle(view.title);
  const fullTitle = title === name ? name : `${title} - ${name}`;
  const lines = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(view)}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element('title', {}, escapeText(fullTitle)),
    ...metaTags(view),
    ...faviconLinks(view),
    `<script src="${prefix}_docyard/theme.js"></script>`,
    ...view.stylesheets.map((href) => `<link${attributes({ rel: 'stylesheet', href })}>`),
    ...(view.islands ? [deferred(view.islands.runtime)] : []),
    deferred(`${prefix}_docyard/app.js`),
    ...(view.islands?.modules ?? []).map(deferred),
    ...(view.connectSources ? [deferred(`${prefix}${tryItScript}`)] : []),
    ...(view.customScripts?.paths ?? []).map(deferred),
  ];
  return `${lines.join('\n')}\n`;
}

function deferred(src: string): string {
  return `<script src="${src}" defer></script>`;
}

function faviconLinks({ favicon }: PageView): string[] {
  if (!favicon) return [];
  if (favicon.light === favicon.dark) return [`<link${attributes({ rel: 'icon', href: favicon.light })}>`];
  return [
    `<link${attributes({ rel: 'icon', href: favicon.light, media: '(prefers-color-scheme: light)' })}>`,
    `<link${attributes({ rel: 'icon', href: favicon.dark, media: '(prefers-color-scheme: dark)' })}>`,
  ];
}
