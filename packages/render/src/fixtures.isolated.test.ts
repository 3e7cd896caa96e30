/**
 * Every navigation shape and anomaly met in real sites, each a small site in `fixtures/navigation` or
 * `fixtures/anomalies` with an `expected.json`. `npx vitest run packages/render/src/fixtures.isolated.test.ts -u`
 * writes them anew; review the difference.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { type Rendered, fixture, renderFolder } from '../test/support/render-fixture.ts';

vi.mock(import('./pipeline/process-pool.ts'), () => import('../test/support/in-process-pool.ts'));

describe.each([
  ['navigation', surroundingsOf],
  ['anomalies', contentOf],
] as const)('%s', (folder, describePage) => {
  it.each(readdirSync(fixture(folder)).toSorted())('%s', async (name) => {
    const rendered = await renderFolder(fixture(`${folder}/${name}`));
    const expected = {
      pages: Object.fromEntries(
        pagesOf(rendered).map(([path, html]) => [path, describePage(html, rendered, path)]),
      ),
      ...branchesOf(rendered),
      diagnostics: rendered.diagnostics
        .map(
          ({ severity, code, file, line }) =>
            `${severity} ${code} ${file}${line === undefined ? '' : `:${line}`}`,
        )
        .toSorted(),
    };
    await expect(`${JSON.stringify(expected, null, 2)}\n`).toMatchFileSnapshot(
      fixture(`${folder}/${name}/expected.json`),
    );
  });
});

function pagesOf({ files }: Rendered): [string, string][] {
  return [...files]
    .filter(
      ([path]) =>
        path.endsWith('.html') && !['404.html', 'print.html', '_docyard/sign-in.html'].includes(path),
    )
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The surroundings of pages that are guests in a branch, by branch name. */
function branchesOf({ files }: Rendered) {
  const scripts = [...files].flatMap(([path, content]) => {
    const name = /^_docyard\/nav\/branch-(.*)\.js$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, content }];
  });
  if (scripts.length === 0) return {};
  const shown = scripts.map(({ name, content }) => {
    const data = JSON.parse(content.slice(content.indexOf('{'), content.lastIndexOf(';'))) as BranchData;
    const html = `${data.header}<nav class="dy-site-sidebar">${data.sidebar}</nav>\n`;
    const pages = data.pages.map(([route, href, , trail]) =>
      [route, href, textOf(data.trails[trail] ?? '')].filter(Boolean).join(' → '),
    );
    return [name, { ...surroundingsOf(html), pages }] as const;
  });
  return { branches: Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

interface BranchData {
  header: string;
  sidebar: string;
  pages: [route: string, href: string, title: string, trail: number][];
  trails: string[];
}

/** The current entry of a list has a star before it, the name of a group a hash. */
function surroundingsOf(html: string) {
  const sidebar = /<nav[^>]* class="dy-site-sidebar[^>]*>([\s\S]*?)<\/nav>\n/.exec(html)?.[1] ?? '';
  const anchors = /<ul class="dy-nav-anchors[^"]*">([\s\S]*?)<\/ul>/.exec(sidebar)?.[0] ?? '';
  const menus = [...html.matchAll(/<details class="dy-menu[^>]*>([\s\S]*?)<\/details>/g)];
  const entries = [anchors, ...menus.map(([whole]) => whole)]
    .reduce((rest, part) => rest.replace(part, ''), sidebar)
    .replace(/<div class="dy-drawer-links">[\s\S]*?<\/div>/, '');
  const tabs = /<nav class="dy-tab-bar"[^>]*>([\s\S]*?)<\/nav>/.exec(html)?.[1] ?? '';
  return withoutEmpty({
    title: textOf(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? ''),
    tabs: linksOf(tabs),
    menus: [...new Set(menus.map(([, inner = '']) => inner))].map(
      (inner) => `${/aria-label="([^"]*)"/.exec(inner)?.[1] ?? ''} = ${linksOf(inner).join(', ')}`,
    ),
    anchors: linksOf(anchors),
    sidebar: linksOf(entries),
    previous: neighbourOf(html, 'prev'),
    next: neighbourOf(html, 'next'),
  });
}

function neighbourOf(html: string, rel: string): string {
  const link = new RegExp(`<a[^>]* rel="${rel}"[^>]*>([\\s\\S]*?)</a>`).exec(html)?.[1] ?? '';
  return textOf(link.replace(/<span class="dy-pagination-word">[^<]*<\/span>/, ''));
}

function linksOf(html: string): string[] {
  const found = [...html.matchAll(/<(a|h\d|summary)\b([^>]*)>([\s\S]*?)<\/\1>/g)];
  return found.flatMap(([, tag, attributes = '', inner = '']) => {
    const text = textOf(inner);
    if (tag !== 'a') return text === '' ? [] : [`# ${text}`];
    const current = attributes.includes('aria-current') ? '*' : '';
    const [, href = ''] = / href="([^"]*)"/.exec(attributes) ?? [];
    const [, navHref] = / data-nav-href="([^"]*)"/.exec(attributes) ?? [];
    return [`${current}${text} → ${href}${navHref === undefined ? '' : `, with scripts ${navHref}`}`];
  });
}

function contentOf(html: string, rendered: Rendered, path: string) {
  const content = rendered.content(path);
  return withoutEmpty({
    title: textOf(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html)?.[1] ?? ''),
    lead: textOf(/<p class="dy-lead">([\s\S]*?)<\/p>/.exec(html)?.[1] ?? ''),
    failed: content.includes('class="dy-error-panel"') ? 'error panel' : '',
    ids: [...content.matchAll(/<h\d[^>]* id="([^"]*)"/g)].map(([, id = '']) => id),
    links: [...content.matchAll(/<a\b(?![^>]*class="dy-anchor")[^>]*>[\s\S]*?<\/a>/g)].flatMap(([link]) =>
      linksOf(link),
    ),
    pictures: [...content.matchAll(/<img[^>]* src="([^"]*)"/g)].map(([, src = '']) => src),
    text: textOf(
      content.replaceAll(
        /<a class="dy-anchor"[\s\S]*?<\/a>|<svg[\s\S]*?<\/svg>|<button[\s\S]*?<\/button>/g,
        '',
      ),
    ),
  });
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,:;!?)])/g, '$1')
    .trim();
}

function withoutEmpty(values: Record<string, string | string[]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.length > 0));
}
