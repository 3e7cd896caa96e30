import { slugOf } from '@docyard/render/source-rules';
import { z } from 'zod';
import { SiteCheckError, type ToolContext } from '../contract.ts';
import { existingPath } from './existing-path.ts';
import { findingText, sortFindings } from './findings.ts';
import { lineAt, readText } from './files.ts';
import { filePath } from './inputs.ts';
import { findLinks } from './links.ts';
import { clipLine } from './line-format.ts';
import { pageSections, type PageSection } from './page-sections.ts';
import { addressOf, linksTo, readSite, type SiteView } from './site.ts';
import { defineTool, listItems, renderingSeconds } from './tool.ts';

export const pageInfo = defineTool({
  name: 'page_info',
  description:
    'Describes one page without its text: address, front matter, headings with anchors, links on it, links to it ' +
    'from other pages, navigation entries, and findings.',
  maxSeconds: renderingSeconds,
  input: z.object({ path: filePath }),
  async run(context, { path: given }) {
    const path = await existingPath(context.tree, given, { inAnyFolder: true });
    const text = await readText(context, path);
    const site = await readSite(context);
    const route = site.routeOf(path);
    const inbound = route === undefined ? [] : await linksTo(context, site, route);
    const entries = route === undefined ? [] : site.navigationEntries(route);
    const { frontMatter, sections } = pageSections(text);
    const parts: [string, string[]][] = [
      ['Front matter', frontMatter],
      ['Headings', headingLines(sections)],
      ['Links on it', outboundLines(text, path, site)],
      ['Links to it', inbound.map(({ file, line, link }) => `${file}:${line} ${link.href}`)],
      ['In the navigation', entries.map(({ file, text: entry }) => `${file}: "${entry}"`)],
      ['Findings', await findingLines(context, path, route)],
    ];
    const head =
      route === undefined
        ? `${path} is not a page (a snippet or a note).`
        : `${path} has the address ${addressOf(route)}`;
    const lines = parts.flatMap(([title, items]) => [
      `${title}${items.length === 0 ? ': none' : ` (${items.length}):`}`,
      ...listItems(
        items.map((item) => `  ${clipLine(item, 300)}`),
        '',
        60,
      ),
    ]);
    return { text: [head, ...lines].join('\n') };
  },
});

function headingLines(sections: readonly PageSection[]): string[] {
  return sections.flatMap(({ line, level, title, id }) =>
    level === 0
      ? []
      : [`${line}: ${'#'.repeat(level)} ${title} (#${id ?? slugOf(title.replaceAll(/[`*]/g, ''))})`],
  );
}

function outboundLines(text: string, path: string, site: SiteView): string[] {
  return findLinks(text).flatMap(({ href, start, kind }) => {
    if (kind === 'import') return [`${lineAt(text, start)}: imports ${href}`];
    const target =
      kind === 'file' ? site.resolver.resolveFile(href, path) : site.resolver.resolve(href, path);
    const meaning = {
      page: () => ('route' in target ? `the page ${site.fileOf(target.route) ?? target.route}` : ''),
      file: () => ('file' in target ? `the file ${target.file}` : ''),
      output: () => 'a file of the export',
      outside: () => 'another host',
      here: () => 'this page',
      unsafe: () => 'an address that is not allowed',
      withheld: () => 'a page that other readers see',
      broken: () => 'not a file: a redirect, a generated page, or broken',
    }[target.kind]();
    return [`${lineAt(text, start)}: ${href} → ${meaning}`];
  });
}

async function findingLines(
  context: ToolContext,
  path: string,
  route: string | undefined,
): Promise<string[]> {
  if (route === undefined) return [];
  try {
    const { findings } = await context.site.renderPage(path, context.signal);
    return sortFindings(findings).map((finding) => findingText(finding).slice(2));
  } catch (error) {
    if (error instanceof SiteCheckError) return [`unknown: ${error.message}`];
    throw error;
  }
}
