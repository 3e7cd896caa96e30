/**
 * Writes the not-found page. Servers show it at any depth, so it references no other file: its style is inline
 * and allowed by hash in its CSP.
 */
import { createHash } from 'node:crypto';
import type { SiteSettings } from '../config/settings.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { escapeAttribute, escapeText } from '../text/html.ts';
import { readableOn } from '../css/colors.ts';
import { hooked } from '../model/style-hooks.ts';

export interface NotFoundLink {
  label: string;
  href: string;
}

export function* notFoundOutput(context: OutputContext): Generator<OutputItem> {
  const { site, plan } = context;
  yield { path: '404.html', content: notFoundPage(site.settings, plan.basePath, notFoundLinks(context)) };
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

function notFoundPage(settings: SiteSettings, basePath: string, links: readonly NotFoundLink[] = []): string {
  const style = styleFor(settings);
  const title = settings.notFound.title ?? 'Page not found';
  const text =
    settings.notFound.description ??
    'The page may have moved, or the address may be mistyped. The home page lists everything there is.';
  const home = escapeAttribute(`${basePath}/`);
  const sections = links
    .map(
      ({ label, href }) =>
        `<li><a class="${hooked('', 'not-found-recommended-page-link')}" href="${escapeAttribute(`${basePath}/${href}`)}">${escapeText(label)}</a></li>`,
    )
    .join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${notFoundStyleSource(settings)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${settings.notFound.redirect ? `<meta http-equiv="refresh" content="0; url=${home}">\n` : ''}<title>${escapeText(title)} - ${escapeText(settings.name)}</title>
<style>${style}</style>
</head>
<body>
<main class="${hooked('', 'not-found-container')}">
<p class="${hooked('dy-code', 'not-found-status-code')}" aria-hidden="true">404</p>
<h1 class="${hooked('', 'not-found-title')}">${escapeText(title)}</h1>
<p class="${hooked('', 'not-found-description')}">${escapeText(text)}</p>
<p><a href="${home}">Go to the home page of ${escapeText(settings.name)}</a></p>
${sections ? `<ul class="${hooked('', 'not-found-recommended-pages-list')}">${sections}</ul>\n` : ''}</main>
</body>
</html>
`;
}

export function notFoundStyleSource(settings: SiteSettings): string {
  return `'sha256-${createHash('sha256').update(styleFor(settings)).digest('base64')}'`;
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
    `:root{color-scheme:${initial === 'system' ? 'light dark' : initial}}` +
    'body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.6 system-ui,sans-serif;' +
    `background:light-dark(${paper.light},${paper.dark});color:light-dark(#1f2328,#e6e8eb)}` +
    'main{padding:2rem;max-width:32rem;text-align:center}' +
    `.dy-code{margin:0;font-size:4rem;font-weight:700;line-height:1;color:light-dark(${light},${dark})}` +
    `a{color:light-dark(${light},${dark});text-underline-offset:.2em}` +
    'h1{margin:.5rem 0;letter-spacing:-.02em}' +
    'ul{display:flex;flex-wrap:wrap;justify-content:center;gap:.5rem 1.25rem;margin:1.5rem 0 0;padding:0;list-style:none}'
  );
}
