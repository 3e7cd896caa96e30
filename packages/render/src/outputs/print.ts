/**
 * The whole site as one document, for paper and for PDF: cover, contents and every page of the default language and
 * version in the order of the navigation. A large site gets one document for each part and a list of them.
 */
import { readFile } from 'node:fs/promises';
import { attributes, element, escapeAttribute, escapeText } from '../html.ts';
import { mathStylesheet } from '../math/files.ts';
import { relativeHref } from '../navigation/addresses.ts';
import { apiStylesheet } from '../theme/files.ts';
import { contentSecurityPolicy } from '../theme/head.ts';
import { inlineCode } from '../theme/text.ts';
import { isRightToLeft, languageCode } from '../theme/words.ts';
import type { OutputContext, OutputItem } from './list.ts';
import type { PrintedPage } from './print-pages.ts';
import { printedId, printedSection } from './print-section.ts';

/** What a browser lays out for printing in reasonable time. */
const largest = { pages: 500, bytes: 20_000_000 };
const stylesheet = '_docyard/print.css';

export async function* printOutput(context: OutputContext): AsyncGenerator<OutputItem> {
  const { print } = context;
  if (print.pages.length === 0) return;
  const css = await readFile(new URL('../theme/files/print.css', import.meta.url), 'utf8');
  yield { path: stylesheet, content: css };
  const name = freeName(context);
  if (print.pages.length <= largest.pages && print.bytes <= largest.bytes) {
    yield { path: `${name}.html`, content: document(context, '', print.pages, context.site.name) };
    return;
  }
  const parts = partsOf(print.pages, name);
  for (const { label, file, pages } of parts) {
    context.signal?.throwIfAborted();
    yield { path: file, content: document(context, '../', pages, label) };
  }
  yield { path: `${name}.html`, content: listOfParts(context, parts) };
}

/** A site may have a page about printing. */
function freeName({ pages, plan }: OutputContext): string {
  const taken = [...pages.map(({ output }) => output), ...plan.files];
  return taken.some((path) => path === 'print.html' || path.startsWith('print/')) ? '_print' : 'print';
}

interface Part {
  label: string;
  file: string;
  pages: PrintedPage[];
}

/** By the outermost label around a page; names of files are made of it and stay different. */
function partsOf(pages: readonly PrintedPage[], name: string): Part[] {
  const parts = new Map<string, Part>();
  const files = new Set<string>();
  for (const page of pages) {
    const label = page.trail[0] ?? 'Pages';
    let part = parts.get(label);
    if (!part) {
      const slug = label
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
        .replaceAll(/^-|-$/g, '')
        .slice(0, 60);
      let file = `${name}/${slug || 'part'}.html`;
      for (let next = 2; files.has(file); next++) file = `${name}/${slug || 'part'}-${next}.html`;
      files.add(file);
      part = { label, file, pages: [] };
      parts.set(label, part);
    }
    part.pages.push(page);
  }
  return [...parts.values()];
}

function document(
  context: OutputContext,
  prefix: string,
  pages: readonly PrintedPage[],
  title: string,
): string {
  const { site, addresses, print } = context;
  const wanted = new Set(pages.map(({ route }) => route));
  const hrefOf = (route: string): string => {
    const href = addresses.hrefOf(route);
    return href === '' ? '' : relativeHref('', href);
  };
  const byHref = new Map(pages.map(({ route }) => [hrefOf(route), route]));
  const sections: string[] = [];
  const kept: PrintedPage[] = [];
  for (const { page, html } of print.contents()) {
    if (!wanted.has(page.route)) continue;
    kept.push(page);
    const place = {
      route: page.route,
      href: hrefOf(page.route),
      prefix,
      printedAt: (path: string) => byHref.get(path),
    };
    sections.push(
      `<article class="printed-page" aria-labelledby="${printedId(page.route)}">\n` +
        `<h2 id="${printedId(page.route)}" tabindex="-1">${inlineCode(page.title)}</h2>\n` +
        `<div class="content">${printedSection(html, place)}</div>\n</article>\n`,
    );
  }
  return shell(context, prefix, title, site.name, `${contents(kept)}${sections.join('')}`);
}

function contents(pages: readonly PrintedPage[]): string {
  let html = '';
  let current = '';
  for (const { route, title, trail } of pages) {
    const label = trail.join(' / ');
    if (label !== current && label !== '') html += `<li class="part">${escapeText(label)}</li>`;
    current = label;
    html += `<li><a href="#${printedId(route)}">${inlineCode(title)}</a></li>`;
  }
  return `<nav class="printed-contents" aria-label="Contents"><h2>Contents</h2><ul>${html}</ul></nav>\n`;
}

function listOfParts(context: OutputContext, parts: readonly Part[]): string {
  const items = parts
    .map(({ label, file, pages }) => {
      const link = element('a', { href: relativeHref('', file) }, escapeText(label));
      return `<li>${link} (${pages.length} ${pages.length === 1 ? 'page' : 'pages'})</li>`;
    })
    .join('');
  const { name } = context.site;
  const body = `<nav class="printed-contents" aria-label="Parts"><h2>Parts</h2><ul>${items}</ul></nav>\n`;
  return shell(context, '', name, name, body);
}

function shell(context: OutputContext, prefix: string, title: string, name: string, body: string): string {
  const { site, print, pages } = context;
  const { settings } = site;
  const first = print.pages[0]?.route ?? '';
  const language = languageCode(site.navigation.places.get(first)?.branch.language ?? 'en');
  const html = attributes({
    lang: language,
    dir: isRightToLeft(language) ? 'rtl' : undefined,
    'data-look': settings.theme,
    'data-theme': 'light',
  });
  const styles = [
    '_docyard/style.css',
    '_docyard/site.css',
    ...(print.features.has('api') ? [apiStylesheet] : []),
    ...(print.features.has('math') ? [mathStylesheet] : []),
    ...site.files.stylesheets,
    stylesheet,
  ].map((file) => `<link rel="stylesheet" href="${escapeAttribute(relativeHref(prefix, file))}">`);
  const home = pages.length > 0 ? `${prefix}index.html` : prefix;
  const heading = title === name ? name : `${name}: ${title}`;
  const lead = settings.description ? `<p class="lead">${escapeText(settings.description)}</p>` : '';
  return `<!doctype html>
<html${html}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy({ connectSources: undefined })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeText(heading)} - for printing</title>
${styles.join('\n')}
</head>
<body class="printed">
<main>
<header class="printed-cover"><h1>${escapeText(heading)}</h1>${lead}<p class="printed-hint">This is the whole text for printing. <a href="${home}">Read it page by page</a></p></header>
${body}</main>
</body>
</html>
`;
}
