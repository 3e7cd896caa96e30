/**
 * Writes the not-found page. Servers show it at any depth, so its addresses are absolute. Its inline style, allowed by hash in its CSP, is
 * all it needs; where the addresses lead to the site, it also gets the header, the search and the footer of the other pages.
 */
import { createHash } from 'node:crypto';
import type { SiteSettings } from '../config/settings.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { attributes, escapeAttribute, escapeText } from '../text/html.ts';
import { baselineLayer } from '../css/layers.ts';
import { readableOn } from '../css/colors.ts';
import { hooked } from '../model/style-hooks.ts';
import { contentSecurityPolicy, deferred, faviconLinks, linkHtml } from '../theme/head.ts';
import type { SiteFrame } from '../theme/compose.ts';
import { rootAttributes } from '../theme/shell.ts';

export interface NotFoundLink {
  label: string;
  href: string;
}

export function* notFoundOutput(context: OutputContext): Generator<OutputItem> {
  const { site, plan, frameAt } = context;
  const root = `${plan.basePath}/`;
  yield {
    path: '404.html',
    content: notFoundPage(site.settings, root, frameAt(root), notFoundLinks(context)),
  };
}

function notFoundLinks({ site, plan, addresses }: OutputContext): NotFoundLink[] {
  const rendered = new Set(plan.rendered);
  const links = new Map<string, string>();
  for (const branch of site.navigation.branches) {
    const route = branch.pages.find((page) => rendered.has(page));
    const label = branch.steps[0]?.division.label;
    if (route === undefined || label === undefined || links.has(label)) continue;
    if (branch.steps[0]?.switcher.kind === 'language') continue;
    links.set(label, addresses.hrefOf(route));
  }
  return [...links].slice(0, 8).map(([label, href]) => ({ label, href }));
}

function notFoundPage(
  settings: SiteSettings,
  root: string,
  frame: SiteFrame,
  links: readonly NotFoundLink[],
): string {
  const title = settings.notFound.title ?? 'Page not found';
  const text =
    settings.notFound.description ??
    'The page may have moved, or the address may be mistyped. The home page lists everything there is.';
  const home = escapeAttribute(root);
  const sections = links
    .map(
      ({ label, href }) =>
        `<li><a class="${hooked('', 'not-found-recommended-page-link')}" href="${escapeAttribute(root + href)}">${escapeText(label)}</a></li>`,
    )
    .join('');
  return `<!doctype html>
<html${attributes({ ...rootAttributes(settings, frame.language), 'data-page-mode': 'none' })}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${withNotFoundStyle(contentSecurityPolicy({}), settings)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${settings.notFound.redirect ? `<meta http-equiv="refresh" content="0; url=${home}">\n` : ''}<title>${escapeText(title)} - ${escapeText(settings.name)}</title>
<style>${styleFor(settings)}</style>
${[
  ...faviconLinks(frame),
  `<script src="${home}_docyard/theme.js"></script>`,
  ...frame.stylesheets.map((href) => linkHtml({ rel: 'stylesheet', href })),
  deferred(`${home}_docyard/app.js`),
].join('\n')}
</head>
<body>
${frame.header}
<main id="content-area" class="${hooked('dy-not-found', 'not-found-container')}">
<p class="${hooked('dy-not-found-code', 'not-found-status-code')}" aria-hidden="true">404</p>
<h1 class="${hooked('', 'not-found-title')}">${escapeText(title)}</h1>
<p class="${hooked('', 'not-found-description')}">${escapeText(text)}</p>
<p><a href="${home}">Go to the home page of ${escapeText(settings.name)}</a></p>
${sections ? `<ul class="${hooked('', 'not-found-recommended-pages-list')}">${sections}</ul>\n` : ''}</main>
${frame.footer}
</body>
</html>
`;
}

/** Allows the style of the not-found page. */
export function withNotFoundStyle(policy: string, settings: SiteSettings): string {
  const hash = createHash('sha256').update(styleFor(settings)).digest('base64');
  return policy.replace("style-src 'self'", `style-src 'self' 'sha256-${hash}'`);
}

function styleFor(settings: SiteSettings): string {
  const paper = {
    light: settings.background?.color?.light ?? '#ffffff',
    dark: settings.background?.color?.dark ?? '#0e1116',
  };
  const light = readableOn(settings.colors.primary, paper.light);
  const dark = readableOn(settings.colors.light ?? settings.colors.primary, paper.dark);
  const { initial } = settings.appearance;
  return (
    `@layer ${baselineLayer}{:root{color-scheme:${initial === 'system' ? 'light dark' : initial}}` +
    'body{margin:0;font:16px/1.6 system-ui,sans-serif;' +
    `background:light-dark(${paper.light},${paper.dark});color:light-dark(#1f2328,#e6e8eb)}` +
    '.dy-site-navbar,.dy-site-footer{display:none}' +
    '.dy-not-found{margin:0 auto;padding:20vh 2rem 2rem;max-width:32rem;text-align:center}' +
    `.dy-not-found-code{margin:0;font-size:4rem;font-weight:700;line-height:1;color:light-dark(${light},${dark})}` +
    `a{color:light-dark(${light},${dark});text-underline-offset:.2em}` +
    'h1{margin:.5rem 0;letter-spacing:-.02em}' +
    '.dy-not-found ul{display:flex;flex-wrap:wrap;justify-content:center;gap:.5rem 1.25rem;margin:1.5rem 0 0;padding:0;list-style:none}}'
  );
}
