/**
 * The checks of the Agent-Friendly Documentation Spec 0.4.0 (https://agentdocsspec.com/spec/) on a served site. Each returns what
 * fails. `section-header-quality` depends on the words of the author, and `auth-alternative-access` applies to private sites only.
 */
export interface CheckedSite {
  /** The origin and base path in the files of the export. */
  publicUrl: string;
  /** The address that serves them. */
  servedUrl: string;
}

interface Page {
  url: string;
  html: string;
  markdownUrl: string;
  markdown: string;
}

interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Fetched {
  site: CheckedSite;
  /** By path. */
  indexes: ReadonlyMap<string, Answer>;
  pages: readonly Page[];
  /** Of `<loc>` in the sitemap. */
  listed: readonly string[];
}

export type Check = (fetched: Fetched) => Promise<string[]> | string[];

const maxCharacters = 50_000;
const maxPageCharacters = 100_000;
const maxParallel = 8;

export async function fetchSite(site: CheckedSite, maxPages = 200): Promise<Fetched> {
  const listed = await sitemapUrls(site);
  const sample = listed.filter((_, at) => at % Math.ceil(listed.length / maxPages) === 0);
  const pages = await inParallel(sample, async (url) => ({
    url,
    html: (await get(site, url)).text,
    ...(await markdownOf(site, url)),
  }));
  return { site, indexes: await nestedIndexes(site), pages, listed };
}

export const checks: Readonly<Record<string, Check>> = {
  'llms-txt-exists': ({ indexes }) => {
    const root = indexes.get('llms.txt');
    return root?.status === 200 && isText(root) ? [] : ['llms.txt is missing'];
  },
  'llms-txt-valid': ({ indexes }) =>
    [...indexes].flatMap(([path, { text }]) =>
      /^# \S.*\n\n> \S/.test(text) && /^## \S.*\n\n- \[.+\]\(\S+\)/m.test(text)
        ? []
        : [`${path} has another form`],
    ),
  'llms-txt-size': ({ indexes }) =>
    [...indexes].flatMap(([path, { text }]) =>
      text.length <= maxCharacters ? [] : [`${path} has ${text.length} characters`],
    ),
  'llms-txt-links-resolve': async ({ site, indexes }) =>
    failures(linksOf(indexes, site), async (url) => (await get(site, url)).status === 200),
  'llms-txt-links-markdown': async ({ site, indexes }) =>
    failures(
      linksOf(indexes, site).filter((url) => !/\.(?:json|ya?ml)$/.test(url)),
      async (url) => url.endsWith('/llms.txt') || isMarkdown(await get(site, url)),
    ),
  'llms-txt-directive': ({ pages }) =>
    pages.flatMap(({ url, html, markdown }) => [
      ...(/^> .*\]\((?:\.\.\/)*llms\.txt\)/.test(markdown) ? [] : [`the Markdown of ${url} has none`]),
      ...(/<link rel="llms-txt"[^>]* href="(?:\.\.\/)*llms\.txt">/.test(html)
        ? []
        : [`the HTML of ${url} has none`]),
    ]),
  'markdown-url-support': ({ site, pages }) =>
    failures(
      pages.map(({ markdownUrl }) => markdownUrl),
      async (url) => isMarkdown(await get(site, url)),
    ),
  'content-negotiation': ({ site, pages }) =>
    failures(
      pages.map(({ url }) => url),
      async (url) => {
        const answer = await get(site, url, 'text/markdown, text/html;q=0.9, */*;q=0.1');
        return isMarkdown(answer) && /\baccept\b(?!-)/i.test(answer.headers.get('vary') ?? '');
      },
    ),
  'rendering-strategy': ({ pages }) =>
    pages.flatMap(({ url, html }) => (/<main[\s\S]*<h1[\s\S]*<\/main>/.test(html) ? [] : [url])),
  'page-size-markdown': ({ pages }) =>
    pages.flatMap(({ url, markdown }) =>
      markdown.length <= maxPageCharacters ? [] : [`${url}: ${markdown.length}`],
    ),
  'page-size-html': ({ pages }) =>
    pages.flatMap(({ url, html }) => {
      const { length } = convertedText(html);
      return length <= maxPageCharacters ? [] : [`${url}: ${length}`];
    }),
  'content-start-position': ({ pages }) =>
    pages.flatMap(({ url, html }) => {
      const start = convertedText(html.slice(0, html.indexOf('<main'))).length;
      return start <= Math.max(0.5 * convertedText(html).length, 200) ? [] : [`${url}: ${start}`];
    }),
  'tabbed-content-serialization': ({ pages }) =>
    pages.flatMap(({ url, html }) => {
      const panels = html.split('role="tabpanel"').slice(1);
      const length = panels.reduce(
        (sum, panel) => sum + convertedText(panel.split('</main>')[0] ?? '').length,
        0,
      );
      return panels.length === 0 || length / panels.length <= maxCharacters ? [] : [`${url}: ${length}`];
    }),
  'markdown-code-fence-validity': ({ indexes, pages }) =>
    [
      ...[...indexes].map(([path, { text }]) => [path, text] as const),
      ...pages.map(({ url, markdown }) => [url, markdown] as const),
    ].flatMap(([name, text]) => (hasOpenFence(text) ? [name] : [])),
  'http-status-codes': async ({ site, pages }) =>
    failures(
      pages.slice(0, 10).flatMap(({ url }) => [`${url}-7f3a`, `${url}-7f3a.md`]),
      async (url) => (await get(site, url)).status === 404,
    ),
  'redirect-behavior': ({ site, pages }) =>
    failures(
      pages.slice(0, 50).map(({ url }) => (url.endsWith('/') ? url.slice(0, -1) : `${url}/`)),
      async (url) => {
        const { status, headers } = await get(site, url);
        return status < 300 || status === 404 || (headers.get('location') ?? '').startsWith('/');
      },
    ),
  'llms-txt-coverage': ({ site, indexes, listed }) => {
    const found = new Set(linksOf(indexes, site));
    const missing = listed.filter((url) => !markdownUrls(url).some((each) => found.has(each)));
    return missing.length <= listed.length * 0.05 ? [] : missing;
  },
  'markdown-content-parity': ({ pages }) =>
    pages.flatMap(({ url, html, markdown }) => {
      const content = /<div[^>]* class="dy-content[\s\S]*?<\/main>/.exec(html)?.[0] ?? '';
      const headings = [...content.matchAll(/<h2[^>]*>([\s\S]*?)<\/h2>/g)].map(([, text = '']) =>
        words(convertedText(text)),
      );
      const missing = headings.filter((heading) => heading !== '' && !words(markdown).includes(heading));
      return headings.length < 10 || missing.length < headings.length * 0.2
        ? []
        : [`${url}: ${missing.join(', ')}`];
    }),
  'cache-header-hygiene': ({ site, indexes, pages }) =>
    failures([...indexes.keys(), ...pages.map(({ markdownUrl }) => markdownUrl)], async (url) => {
      const { headers } = await get(site, url);
      return (
        headers.has('etag') &&
        /no-cache|must-revalidate|max-age=\d{1,3}\b/.test(headers.get('cache-control') ?? '')
      );
    }),
  'auth-gate-detection': ({ pages }) =>
    pages.flatMap(({ url, html }) => (/type="password"/.test(html) || html === '' ? [url] : [])),
};

async function sitemapUrls(site: CheckedSite): Promise<string[]> {
  const locations = async (path: string): Promise<string[]> => {
    const { text } = await get(site, path);
    const found = [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    );
    return text.includes('<sitemapindex') ? (await Promise.all(found.map(locations))).flat() : found;
  };
  return locations('sitemap.xml');
}

async function nestedIndexes(site: CheckedSite): Promise<ReadonlyMap<string, Answer>> {
  const found = new Map<string, Answer>();
  const waiting = ['llms.txt'];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (found.has(path)) continue;
    found.set(path, await get(site, path));
    const inside = linksOf(found, site).filter((url) => url.endsWith('/llms.txt'));
    waiting.push(...inside.map((url) => url.slice(site.publicUrl.length + 1)));
  }
  return found;
}

/** Links to the site itself, without duplicates. */
function linksOf(indexes: ReadonlyMap<string, Answer>, { publicUrl }: CheckedSite): string[] {
  const links = [...indexes.values()].flatMap(({ text }) =>
    [...text.matchAll(/^- \[.*?\]\((\S+?)\)(?::|$)/gm)].map(([, url = '']) => url),
  );
  return [...new Set(links)].filter((url) => url.startsWith(`${publicUrl}/`));
}

function markdownUrls(url: string): string[] {
  return url.endsWith('/') ? [`${url}index.md`] : [`${url}.md`, `${url}/index.md`];
}

/** As clients do, which try both. */
async function markdownOf(site: CheckedSite, url: string): Promise<Pick<Page, 'markdownUrl' | 'markdown'>> {
  const [file = url, index = url] = markdownUrls(url);
  const { status, text } = await get(site, file);
  if (status === 200) return { markdownUrl: file, markdown: text };
  return { markdownUrl: index, markdown: (await get(site, index)).text };
}

async function get({ publicUrl, servedUrl }: CheckedSite, url: string, accept = '*/*'): Promise<Answer> {
  const path = url.startsWith(publicUrl) ? url.slice(publicUrl.length) : `/${url}`;
  const answer = await fetch(servedUrl + path, { headers: { accept }, redirect: 'manual' });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function failures(
  urls: readonly string[],
  passes: (url: string) => Promise<boolean>,
): Promise<string[]> {
  const results = await inParallel(urls, passes);
  return urls.filter((_, at) => results[at] !== true);
}

async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let at = 0; at < items.length; at += maxParallel)
    results.push(...(await Promise.all(items.slice(at, at + maxParallel).map(work))));
  return results;
}

/** As programs do that read documentation: without navigation, scripts, styles and drawings. */
function convertedText(html: string): string {
  return html
    .replaceAll(/<(script|style|svg|nav|header|footer|head|noscript)\b[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function words(text: string): string {
  return (
    text
      .replaceAll(/&#?\w+;/g, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ');
}

function hasOpenFence(markdown: string): boolean {
  let open = '';
  for (const line of markdown.split('\n')) {
    const [, fence = '', rest = ''] = /^[\s>]*(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === '') continue;
    if (open === '' && !(fence.startsWith('`') && rest.includes('`'))) open = fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = '';
  }
  return open !== '';
}

function isText({ headers }: Answer): boolean {
  return headers.get('content-type')?.startsWith('text/') === true;
}

function isMarkdown({ status, headers }: Answer): boolean {
  return status === 200 && headers.get('content-type')?.startsWith('text/markdown') === true;
}
