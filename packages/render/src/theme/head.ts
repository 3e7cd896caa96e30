/** The head of a page: its policy, titles and descriptions for machines, stylesheets and scripts. */
import { attributes, element, escapeText } from '../html.ts';
import type { PageView } from './shell.ts';
import { plainTitle } from './text.ts';

/** A page with a form may ask what that form is for, and show the pictures it is answered with. */
export function contentSecurityPolicy({ connectSources }: { connectSources?: string[] | undefined }): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${connectSources ? ' blob:' : ''}`,
    "media-src 'self'",
    "font-src 'self' data:",
    /** Tools that judge a page read robots.txt from within it. */
    ["connect-src 'self'", ...(connectSources ?? [])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

export function headHtml(view: PageView): string {
  const { settings, prefix } = view;
  const name = settings.name;
  const title = plainTitle(view.title);
  const fullTitle = title === name ? name : `${title} - ${name}`;
  const meta: [string, string | undefined][] = [
    ['description', view.description || undefined],
    ['generator', 'Docyard'],
    ['robots', view.noIndex ? 'noindex' : undefined],
    ['og:type', 'website'],
    ['og:site_name', name],
    ['og:title', title],
    ['og:description', view.description || undefined],
    ['og:url', view.canonical],
    ['twitter:card', 'summary'],
  ];
  const own = new Map(view.metatags);
  const all = [...meta.filter(([key]) => !own.has(key)), ...own];
  const lines = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy({})}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element('title', {}, escapeText(fullTitle)),
    ...all.flatMap(([key, content]) =>
      content === undefined
        ? []
        : [
            `<meta${attributes(key.startsWith('og:') ? { property: key, content } : { name: key, content })}>`,
          ],
    ),
    ...(view.canonical ? [`<link${attributes({ rel: 'canonical', href: view.canonical })}>`] : []),
    ...view.alternates.map(([hreflang, href]) => `<link${attributes({ rel: 'alternate', hreflang, href })}>`),
    ...faviconLinks(view),
    `<script src="${prefix}_docyard/theme.js"></script>`,
    ...view.stylesheets.map((href) => `<link${attributes({ rel: 'stylesheet', href })}>`),
    `<script src="${prefix}_docyard/app.js" defer></script>`,
  ];
  return `${lines.join('\n')}\n`;
}

function faviconLinks({ favicon }: PageView): string[] {
  if (!favicon) return [];
  if (favicon.light === favicon.dark) return [`<link${attributes({ rel: 'icon', href: favicon.light })}>`];
  return [
    `<link${attributes({ rel: 'icon', href: favicon.light, media: '(prefers-color-scheme: light)' })}>`,
    `<link${attributes({ rel: 'icon', href: favicon.dark, media: '(prefers-color-scheme: dark)' })}>`,
  ];
}
