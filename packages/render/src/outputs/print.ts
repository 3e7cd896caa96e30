/**
 * Writes the site as printable documents: cover, contents and every page of the default language and version. A
 * large site gets one document per section and an index.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Pieces, encodedPieces } from '../text/encoded-text.ts';
import { attributes, element, escapeAttribute, escapeText } from '../text/html.ts';
import { mathStylesheet } from '../math/files.ts';
import { prefixToRoot, relativeHref } from '../navigation/addresses.ts';
import { apiStylesheet } from '../theme/files.ts';
import { contentSecurityPolicy } from '../theme/head.ts';
import { inThemeLayer } from '../css/layers.ts';
import { hooked } from '../model/style-hooks.ts';
import { inlineCode } from '../theme/titles.ts';
import { isRightToLeft, languageCode } from '../words/words.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { type CollectedPage, type PrintedPage, hrefFromRoot } from './print-pages.ts';
import { printedId } from './print-section.ts';

/** What browsers lay out for printing in reasonable time. */
const maxDocument = { pages: 500, bytes: 4_500_000 };
const stylesheet = '_docyard/print.css';
const pagesPerBatch = 50;

export async function* printOutput(context: OutputContext): AsyncGenerator<OutputItem> {
  const { print } = context;
  if (print.pages.length === 0) return;
  const css = readFileSync(new URL('../theme/files/print.css', import.meta.url), 'utf8');
  yield { path: stylesheet, content: inThemeLayer(css) };
  const collected = print.collectedPages();
  if (collected.length < print.pages.length)
    yield { finding: truncationFinding(context.site.configFile, print.pages.length - collected.length) };
  const name = freeName(context);
  const index = `${name}.html`;
  const parts = partsOf(collected, name);
  const printedAt = placesIn(context, parts);
  for (const part of parts) {
    context.signal?.throwIfAborted();
    yield { path: part.file, content: await document(context, part, printedAt) };
  }
  if (parts[0]?.file !== index) yield { path: index, content: listOfParts(context, parts) };
}

function truncationFinding(file: string, pages: number): Diagnostic {
  const what = pages === 1 ? 'page is' : `${pages} pages are`;
  const message = `The site exceeds the size limit for printing: the last ${what} omitted`;
  return { severity: 'warning', code: 'print_cut', message, file };
}

/** A site page may already have the name. */
function freeName({ plan, addresses }: OutputContext): string {
  const taken = [...plan.rendered.map((route) => addresses.outputOf(route)), ...plan.files];
  return taken.some((path) => path === 'print.html' || path.startsWith('print/')) ? '_print' : 'print';
}

interface Part {
  label: string;
  file: string;
  pages: CollectedPage[];
}

/** One document when everything fits, else one per outermost label, split where it exceeds the limits. */
function partsOf(pages: CollectedPage[], name: string): Part[] {
  if (fits(pages)) return [{ label: '', file: `${name}.html`, pages }];
  const files = new Set<string>();
  return [...Map.groupBy(pages, ({ trail }) => trail[0] ?? 'Pages')].flatMap(([label, members]) => {
    const stem = `${name}/${fileSlug(label) || 'part'}`;
    const pieces = splitPages(members);
    return pieces.map((piece, index) => ({
      label: pieces.length === 1 ? label : `${label} (${index + 1} of ${pieces.length})`,
      file: freeFile(stem, files),
      pages: piece,
    }));
  });
}

function fits(pages: readonly CollectedPage[]): boolean {
  return pages.length <= maxDocument.pages && bytesOf(pages) <= maxDocument.bytes;
}

function bytesOf(pages: readonly CollectedPage[]): number {
  return pages.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A page larger than the limit gets a document for itself. */
function splitPages(pages: readonly CollectedPage[]): CollectedPage[][] {
  const pieces: CollectedPage[][] = [];
  let bytes = 0;
  for (const page of pages) {
    const last = pieces.at(-1);
    if (last && last.length < maxDocument.pages && bytes + page.bytes <= maxDocument.bytes) {
      last.push(page);
      bytes += page.bytes;
    } else {
      pieces.push([page]);
      bytes = page.bytes;
    }
  }
  return pieces;
}

function fileSlug(label: string): string {
  const slug = label
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return Array.from(slug).slice(0, 60).join('');
}

/** Different labels may have the same slug. */
function freeFile(stem: string, taken: Set<string>): string {
  let file = `${stem}.html`;
  for (let next = 2; taken.has(file); next++) file = `${stem}-${next}.html`;
  taken.add(file);
  return file;
}

type PrintedAt = (path: string) => { route: string; file: string } | undefined;

function placesIn({ addresses }: OutputContext, parts: readonly Part[]): PrintedAt {
  const places = new Map(
    parts.flatMap(({ file, pages }) =>
      pages.map(({ route }) => [hrefFromRoot(addresses, route), { route, file }] as const),
    ),
  );
  return (path) => places.get(path);
}

async function document(
  context: OutputContext,
  { label, file, pages }: Part,
  printedAt: PrintedAt,
): Promise<Uint8Array> {
  const { site, print } = context;
  const prefix = prefixToRoot(file);
  const place = {
    prefix,
    printedAt: (path: string) => {
      const at = printedAt(path);
      return at && { route: at.route, document: at.file === file ? '' : relativeHref(prefix, at.file) };
    },
    ...(context.fragmentOn ? { fragmentOn: context.fragmentOn } : {}),
  };
  const sections: Pieces[number][] = [];
  for (const [index, page] of pages.entries()) {
    if (index % pagesPerBatch === 0) await yieldToEventLoop();
    const id = printedId(page.route);
    sections.push(
      `<article class="dy-printed-page" aria-labelledby="${id}">\n` +
        `<h2 id="${id}" tabindex="-1">${inlineCode(page.title)}</h2>\n<div class="${hooked('dy-content', 'mdx-content', 'prose')}">`,
    );
    for (const piece of print.inDocument(page, place)) sections.push(piece);
    sections.push('</div>\n</article>\n');
  }
  const { start, end } = shell(context, { prefix, title: label || site.name });
  return encodedPieces([start, contents(pages), ...sections, end]);
}

function contents(pages: readonly PrintedPage[]): string {
  let html = '';
  let current = '';
  for (const { route, title, trail } of pages) {
    const label = trail.join(' / ');
    if (label !== current && label !== '') html += `<li class="dy-part">${escapeText(label)}</li>`;
    current = label;
    html += `<li><a href="#${printedId(route)}">${inlineCode(title)}</a></li>`;
  }
  return `<nav class="dy-printed-contents" aria-label="Contents"><h2>Contents</h2><ul>${html}</ul></nav>\n`;
}

function listOfParts(context: OutputContext, parts: readonly Part[]): string {
  const items = parts
    .map(({ label, file, pages }) => {
      const link = element('a', { href: relativeHref('', file) }, escapeText(label));
      return `<li>${link} (${pages.length} ${pages.length === 1 ? 'page' : 'pages'})</li>`;
    })
    .join('');
  const body = `<nav class="dy-printed-contents" aria-label="Parts"><h2>Parts</h2><ul>${items}</ul></nav>\n`;
  const { start, end } = shell(context, { prefix: '', title: context.site.name });
  return start + body + end;
}

function shell(
  { site, print, plan }: OutputContext,
  { prefix, title }: { prefix: string; title: string },
): { start: string; end: string } {
  const { settings, name } = site;
  const first = print.pages[0]?.route ?? '';
  const language = languageCode(site.navigation.places.get(first)?.branch.language ?? 'en');
  const html = attributes({
    lang: language,
    dir: isRightToLeft(language) ? 'rtl' : undefined,
    'data-look': settings.theme,
    'data-theme': 'light',
    class: 'light',
  });
  const styles = [
    '_docyard/style.css',
    '_docyard/site.css',
    ...(print.features.has('api') ? [apiStylesheet] : []),
    ...(print.features.has('math') ? [mathStylesheet] : []),
    ...site.files.stylesheets,
    stylesheet,
  ].map((file) => `<link rel="stylesheet" href="${escapeAttribute(relativeHref(prefix, file))}">`);
  const home = plan.rendered.length > 0 ? `${prefix}index.html` : prefix;
  const heading = title === name ? name : `${name}: ${title}`;
  const lead = settings.description ? `<p class="dy-lead">${escapeText(settings.description)}</p>` : '';
  const start = `<!doctype html>
<html${html}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy({ connectSources: undefined })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeText(heading)} - for printing</title>
${styles.join('\n')}
</head>
<body class="dy-printed">
<main>
<header class="dy-printed-cover"><h1>${escapeText(heading)}</h1>${lead}<p class="dy-printed-hint">This is the whole text for printing. <a href="${home}">Read it page by page</a></p></header>
`;
  return { start, end: '</main>\n</body>\n</html>\n' };
}
