import type { Node } from 'jsonc-parser';
import { z } from 'zod';
import type { ToolContext } from '../contract.ts';
import { type ConfigFile, property, requireUsable } from './config.ts';
import { textIfAny } from './files.ts';
import { clipLine } from './line-format.ts';
import { readSite, type SiteView, titleOf } from './site.ts';
import { pluralize, defineTool, listItems, withinLimits } from './tool.ts';

const maxLines = 600;
const maxDepth = 30;
const divisions = 'languages versions products tabs dropdowns anchors menu groups pages'.split(' ');
const names = 'group tab anchor dropdown product version language item name'.split(' ');

export const outline = defineTool({
  name: 'outline',
  description:
    'Shows the navigation of the site: groups and pages with their titles, entries whose page is missing, and pages that ' +
    'are not in the navigation. Start with it.',
  input: z.object({
    offset: z.int().min(1).default(1).describe('First line to show.'),
  }),
  async run(context, { offset }) {
    const site = await readSite(context);
    requireUsable(site.config);
    const lines = await outlineLines(context, site);
    const shown = withinLimits(lines.slice(offset - 1), maxLines);
    const left = lines.length - (offset - 1) - shown.length;
    const more =
      left > 0 ? [`… ${pluralize(left, 'more line')}. Continue with offset ${offset + shown.length}.`] : [];
    return { text: [...shown, ...more].join('\n') };
  },
});

async function outlineLines(context: ToolContext, site: SiteView): Promise<string[]> {
  const named = new Set<string>();
  const titles = new Map<string, string>();
  for (const file of site.files) {
    const route = site.routeOf(file);
    if (route === undefined) continue;
    context.signal.throwIfAborted();
    titles.set(route, titleOf((await textIfAny(context, file)) ?? '') ?? '');
  }
  const pageText = (entry: string): string => {
    const route = site.routeOfEntry(entry);
    if (route === undefined) return /^[A-Z]+ \//.test(entry) ? entry : `${entry} (no such file)`;
    named.add(route);
    return `${site.fileOf(route) ?? route}${titles.get(route) ? ` “${titles.get(route)}”` : ''}`;
  };
  const [first] = site.config;
  const lines = first?.root ? navigationLines(site.config, first, pageText) : [];
  const orphans = [...titles.keys()]
    .filter((route) => !named.has(route))
    .map((route) => site.fileOf(route) ?? route);
  const head =
    first === undefined
      ? 'There is no docs.json: the navigation follows the folders.'
      : `Navigation in ${first.path}:`;
  return [
    head,
    ...lines,
    ...(orphans.length > 0 ? [`Not in the navigation (${pluralize(orphans.length, 'page')}):`] : []),
    ...listItems(
      orphans.map((file) => `  ${file}`),
      'list_files shows all.',
      200,
    ),
  ].map((line) => clipLine(line, 300));
}

function navigationLines(
  files: readonly ConfigFile[],
  first: ConfigFile,
  pageText: (entry: string) => string,
): string[] {
  const lines: string[] = [];
  const indent = (depth: number): string => '  '.repeat(depth);
  const walk = (node: Node | undefined, depth: number): void => {
    if (node === undefined || depth > maxDepth) return;
    const value = included(files, node);
    if (value.type === 'string') lines.push(`${indent(depth)}${pageText(String(value.value))}`);
    else if (value.type === 'array') for (const item of value.children ?? []) walk(item, depth);
    else if (value.type === 'object') walkObject(value, depth);
  };
  const walkObject = (node: Node, depth: number): void => {
    const label = names.map((name) => property(node, name)).find((found) => found?.type === 'string');
    const href = property(node, 'href') ?? property(node, 'url');
    if (label)
      lines.push(`${indent(depth)}[${String(label.value)}]${href ? ` → ${String(href.value)}` : ''}`);
    const inner = label ? depth + 1 : depth;
    const root = property(node, 'root');
    if (root?.type === 'string')
      lines.push(`${indent(inner)}${pageText(String(root.value))} (the group's own page)`);
    for (const key of [...divisions, 'global']) walk(property(node, key), inner);
  };
  const navigation = first.root && property(first.root, 'navigation');
  walk(navigation, 1);
  return lines;
}

function included(files: readonly ConfigFile[], node: Node): Node {
  const reference = node.type === 'object' ? property(node, '$ref') : undefined;
  if (reference?.type !== 'string') return node;
  const name = String(reference.value).replace(/^(?:\.{0,2}\/)+/, '');
  return files.find(({ path }) => path === name || path.endsWith(`/${name}`))?.root ?? node;
}
