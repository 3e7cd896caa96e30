import { slugOf } from '@docyard/render/source-rules';
import { z } from 'zod';
import { SiteCheckError, type ToolContext } from '../contract.ts';
import { findingText, sortFindings } from './findings.ts';
import { lineAt, linesOf, readText } from './files.ts';
import { filePath } from './inputs.ts';
import { findLinks, withoutCode } from './links.ts';
import { clipLine } from './line-format.ts';
import { addressOf, linksTo, readSite, type SiteView } from './site.ts';
import { defineTool, listItems, renderingSeconds } from './tool.ts';

export const pageInfo = defineTool({
  name: 'page_info',
  description:
    'Describes one page without its text: address, front matter, headings with anchors, links on it, links to it ' +
    'from other pages, navigation entries, and findings.',
  maxSeconds: renderingSeconds,
  input: z.object({ path: filePath }),
  async run(context, { path }) {
    const text = await readText(context, path);
    const site = await readSite(context);
    const route = site.routeOf(path);
    const inbound = route === undefined ? [] : await linksTo(context, site, route);
    const entries = route === undefined ? [] : site.navigationEntries(route);
    const parts: [string, string[]][] = [
      ['Front matter', frontMatterLines(text)],
      ['Headings', headingLines(text)],
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

function frontMatterLines(text: string): string[] {
  const lines = linesOf(text);
  if (lines[0]?.trim() !== '---') return [];
  const end = lines.findIndex((line, index) => index > 0 && line.trim() === '---');
  return end === -1 ? [] : lines.slice(1, end);
}

function headingLines(text: string): string[] {
  const afterFrontMatter = frontMatterLines(text).length;
  const lines = linesOf(text);
  return linesOf(withoutCode(text)).flatMap((bare, index) => {
    // `bare` has no code; the title may contain some, so it is read from the page.
    if (index <= afterFrontMatter || !/^#{1,6}[ \t]/.test(bare)) return [];
    const [, marks, title = ''] = /^(#{1,6})[ \t]+(\S.{0,500})/.exec(lines[index] ?? '') ?? [];
    if (marks === undefined) return [];
    const [, ownId] = /\{#([\w-]{1,100})\}\s*$/.exec(title) ?? [];
    const words = title.replace(/\{#[^}]{1,100}\}\s*$/, '').trim();
    return [`${index + 1}: ${marks} ${words} (#${ownId ?? slugOf(words.replaceAll(/[`*]/g, ''))})`];
  });
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
