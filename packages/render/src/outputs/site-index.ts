/** Writes the navigation and the API operations of all languages and versions as JSON, for the MCP server of `docyard site`. */
import type { ApiTarget } from '../model/site-plan.ts';
import type { Branch, NavEntry } from '../navigation/tree.ts';
import { isListed } from '../site/visibility.ts';
import { plainTitle } from '../theme/titles.ts';
import type { OutputContext, OutputItem } from './contract.ts';

/** Paths are relative to the root of the site; the path of the home page is empty. */
interface IndexedPage {
  title: string;
  path: string;
}

interface IndexedSection {
  title: string;
  entries: IndexedEntry[];
}

type IndexedEntry = IndexedPage | IndexedSection;

interface IndexedOperation extends IndexedPage {
  method: string;
  /** A path or a URL, or the name of a webhook or channel. */
  target: string;
  kind: 'operation' | 'webhook' | 'channel';
}

export function* siteIndex(context: OutputContext): Generator<OutputItem> {
  const { settings } = context.site;
  const pages = listedPages(context);
  const content = {
    format: 1,
    name: settings.name,
    description: settings.description ?? '',
    instructions: settings.machineReaders.instructions,
    navigation: navigationOf(context, pages),
    operations: operationsOf(context, pages),
  };
  yield { path: '_docyard/site.json', content: JSON.stringify(content) };
}

function listedPages({ site, pages, publicAddresses }: OutputContext): ReadonlyMap<string, IndexedPage> {
  const listed = pages.filter(({ route, failed }) => !failed && isListed(site, site.metas.get(route)));
  return new Map(
    listed.map(({ route, title }) => [
      route,
      { title: plainTitle(title), path: publicAddresses.pathOf(route) },
    ]),
  );
}

function navigationOf({ site }: OutputContext, pages: ReadonlyMap<string, IndexedPage>): IndexedEntry[] {
  const root: IndexedEntry[] = [];
  for (const branch of site.navigation.branches) {
    const entries = entriesOf(branch.entries, pages);
    if (entries.length > 0) sectionOf(branch, root).push(...entries);
  }
  const others = [...pages].filter(([route]) => !site.navigation.places.has(route));
  if (others.length > 0) root.push({ title: 'Other pages', entries: others.map(([, page]) => page) });
  return root;
}

/** The entries of the division that a branch leads to. Branches with the same first steps share sections. */
function sectionOf({ steps }: Branch, root: IndexedEntry[]): IndexedEntry[] {
  let entries = root;
  for (const { division } of steps) {
    const title = plainTitle(division.label);
    let section = entries.find((entry) => 'entries' in entry && entry.title === title);
    if (section === undefined || !('entries' in section)) entries.push((section = { title, entries: [] }));
    entries = section.entries;
  }
  return entries;
}

function entriesOf(entries: readonly NavEntry[], pages: ReadonlyMap<string, IndexedPage>): IndexedEntry[] {
  return entries.flatMap((entry): IndexedEntry[] => {
    if (entry.kind === 'link') return [];
    if (entry.kind === 'page') return pageAt(entry.route, pages);
    const inside = [
      ...(entry.root === undefined ? [] : pageAt(entry.root, pages)),
      ...entriesOf(entry.entries, pages),
    ];
    return inside.length === 0 ? [] : [{ title: plainTitle(entry.label), entries: inside }];
  });
}

function pageAt(route: string, pages: ReadonlyMap<string, IndexedPage>): IndexedPage[] {
  const page = pages.get(route);
  return page === undefined ? [] : [page];
}

function operationsOf({ site }: OutputContext, pages: ReadonlyMap<string, IndexedPage>): IndexedOperation[] {
  return [...pages].flatMap(([route, page]) => {
    const target = site.metas.get(route)?.api;
    const operation = target && operationOf(target);
    return operation === undefined ? [] : [{ ...operation, ...page }];
  });
}

function operationOf(target: ApiTarget): Omit<IndexedOperation, keyof IndexedPage> | undefined {
  switch (target.kind) {
    case 'operation':
      return { kind: 'operation', method: target.method, target: target.path };
    case 'front-matter':
      return { kind: 'operation', method: target.method, target: target.url };
    case 'webhook':
      return { kind: 'webhook', method: target.method, target: target.name };
    case 'channel':
      return { kind: 'channel', method: '', target: target.name };
    case 'schema':
      return undefined;
  }
}
