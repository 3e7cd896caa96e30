import { attributes, element, escapeText } from '../text/html.ts';
import { metaTags } from './meta-tags.ts';
import type { PageView } from './shell.ts';
import { tryItScript } from './files.ts';
import { plainTitle } from './titles.ts';

/**
 * Scripts always come from the site. Requests and images may use other hosts on pages with a request form,
 * interactive components or repository scripts that name them.
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
    /** Auditing tools such as Lighthouse fetch robots.txt from within the page. */
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
