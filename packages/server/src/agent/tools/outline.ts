import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { type ConfigFile, property, requireUsable } from './config.ts';
import { textIfAny } from './files.ts';
import { clipLine } from './line-format.ts';
import { readSite, type SiteView, titleOf } from './site.ts';
import { pluralize, defineTool, listItems, withinLimits } from './tool.ts';

const maxLines = 600;
const maxLineCharacters = 300;
const maxHeadings = 40;
const maxDepth = 30;
const divisions = 'languages versions products tabs dropdowns anchors menu groups pages'.split(' ');
const names = 'group tab anchor dropdown product version language item name'.split(' ');

export const outline = defineTool({
  name: 'outline',
  description:
    'Shows the navigation of the site: groups and pages with their titles, entries whose page is missing, and pages that ' +
    'are not in the navigation. Start with it.',
  input: z.object({
    offset: z.int().min(1).default(1).describe('First line to show, for example 601.'),
  }),
  async run(context, { offset }) {
    const { navigation, orphans } = await readOutline(context);
    const lines = [
      ...navigation.map(({ text }) => text),
      ...listItems(
        orphans.slice(1).map(({ text }) => text),
        'list_files shows all.',
        200,
      ),
    ];
    if (orphans[0] !== undefined) lines.splice(navigation.length, 0, orphans[0].text);
    const shown = withinLimits(lines.slice(offset - 1), maxLines, context.maxResultBytes);
    const left = lines.length - (offset - 1) - shown.length;
    const more =
      left > 0 ? [`… ${pluralize(left, 'more line')}. Continue with offset ${offset + shown.length}.`] : [];
    return { text: [...shown, ...more].join('\n') };
  },
});

export interface OutlineLine {
  text: string;
  depth: number;
  /** Path, title and headings of a page; undefined for other lines. */
  words?: string;
}

/** `orphans` starts with its heading, unless it is empty. */
export async function readOutline(
  context: ToolContext,
): Promise<{ navigation: OutlineLine[]; orphans: OutlineLine[] }> {
  const site = await readSite(context);
  requireUsable(site.config);
  const pages = await readPages(context, site);
  const named = new Set<string>();
  const lineOf = (entry: string, depth: number, note = ''): OutlineLine => {
    const route = site.routeOfEntry(entry);
    const page = route === undefined ? undefined : pages.get(route);
    const missing = /^[A-Z]+ \//.test(entry) ? '' : ' (no such file)';
    if (route === undefined || page === undefined) return lineAt(depth, `${entry}${missing}${note}`);
    named.add(route);
    return lineAt(depth, `${page.file}${page.title && ` “${page.title}”`}${note}`, page.words);
  };
  const [first] = site.config;
  const head =
    first === undefined
      ? 'There is no docs.json: the navigation follows the folders.'
      : `Navigation in ${first.path}:`;
  const lines = first?.root ? navigationLines(site.config, first, lineOf) : [];
  const left = [...pages].filter(([route]) => !named.has(route)).map(([, page]) => page);
  const orphans = left.map(({ file, words }) => lineAt(1, file, words));
  const orphansHead = lineAt(0, `Not in the navigation (${pluralize(left.length, 'page')}):`);
  return {
    navigation: [lineAt(0, head), ...lines],
    orphans: orphans.length === 0 ? [] : [orphansHead, ...orphans],
  };
}

function lineAt(depth: number, text: string, words?: string): OutlineLine {
  const line = clipLine(`${'  '.repeat(depth)}${text}`, maxLineCharacters);
  return { text: line, depth, ...(words === undefined ? {} : { words }) };
}

interface Page {
  file: string;
  title: string;
  words: string;
}

async function readPages(context: ToolContext, site: SiteView): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>();
  for (const file of site.files) {
    const route = site.routeOf(file);
    if (route === undefined) continue;
    context.signal.throwIfAborted();
    const text = (await textIfAny(context, file)) ?? '';
    const title = titleOf(text) ?? '';
    const headings = text.split('\n').filter((line) => line.startsWith('#'));
    pages.set(route, { file, title, words: [file, title, ...headings.slice(0, maxHeadings)].join(' ') });
  }
  return pages;
}

function navigationLines(
  files: readonly ConfigFile[],
  first: ConfigFile,
  lineOf: (entry: string, depth: number, note?: string) => OutlineLine,
): OutlineLine[] {
  const lines: OutlineLine[] = [];
  const walk = (node: Node | undefined, depth: number): void => {
    if (node === undefined || depth > maxDepth) return;
    const value = included(files, node);
    if (value.type === 'string') lines.push(lineOf(String(value.value), depth));
    else if (value.type === 'array') for (const item of value.children ?? []) walk(item, depth);
    else if (value.type === 'object') walkObject(value, depth);
  };
  const walkObject = (node: Node, depth: number): void => {
    const label = names.map((name) => property(node, name)).find((found) => found?.type === 'string');
    const href = property(node, 'href') ?? property(node, 'url');
    if (label) lines.push(lineAt(depth, `[${String(label.value)}]${href ? ` → ${String(href.value)}` : ''}`));
    const inner = label ? depth + 1 : depth;
    const root = property(node, 'root');
    if (root?.type === 'string') lines.push(lineOf(String(root.value), inner, " (the group's own page)"));
    for (const key of [...divisions, 'global']) walk(property(node, key), inner);
  };
  walk(first.root && property(first.root, 'navigation'), 1);
  return lines;
}

function included(files: readonly ConfigFile[], node: Node): Node {
  const reference = node.type === 'object' ? property(node, '$ref') : undefined;
  if (reference?.type !== 'string') return node;
  const name = String(reference.value).replace(/^(?:\.{0,2}\/)+/, '');
  return files.find(({ path }) => path === name || path.endsWith(`/${name}`))?.root ?? node;
}
