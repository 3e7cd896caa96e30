/**
 * Makes pages and navigation entries from descriptions: one page for an entry of the navigation that names an
 * operation, or one for everything a description holds, in groups by tag. A file at the same address always wins.
 */
import { titleOfRoute, metaOf } from '../source/page-meta.ts';
import type { PageMeta } from '../model/page-source.ts';
import type { GroupEntry, NavEntry } from '../navigation/tree.ts';
import type { Binder } from './bind.ts';
import type { SpecLibrary } from './library.ts';
import { type DescribedEntry, tagOrder } from './operations.ts';
import type { ApiReference } from '../model/page-source.ts';
import type { Finding } from '../model/diagnostic.ts';
import type { SpecSource } from '../model/site-plan.ts';

const defaultDirectory = 'api-reference';
const maximumSegmentLength = 120;
/** The largest site known has 1,400; a hostile one could ask for every description in thousands of directories. */
const maximumPages = 20_000;

export interface ApiPagesOptions {
  /** Whether a file of the site has this address. */
  isFile: (route: string) => boolean;
  /** Where the configuration wants the pages of a description. */
  directoryOf: (spec: string) => string | undefined;
}

export class ApiPages {
  /** By route. */
  readonly generated = new Map<string, PageMeta>();
  /** Files that stand where a page would have been generated, with what they are about. */
  readonly byFile = new Map<string, DescribedEntry>();
  readonly #library: SpecLibrary;
  readonly #binder: Binder;
  readonly #options: ApiPagesOptions;
  /** The same operation may be listed several times: it has one page at each address. */
  readonly #routes = new Map<string, string>();
  /** How far the numbers behind an address have come. */
  readonly #taken = new Map<string, number>();

  constructor(library: SpecLibrary, binder: Binder, options: ApiPagesOptions) {
    this.#library = library;
    this.#binder = binder;
    this.#options = options;
  }

  /** The page of an operation that the navigation lists by itself. */
  page(reference: ApiReference, sources: readonly SpecSource[]): { route?: string; finding?: Finding } {
    const { entry, finding } = this.#binder.bind(reference, { sources });
    if (!entry || entry.isExcluded) return finding ? { finding } : {};
    const { spec } = entry.target;
    const around = sources.find(({ source }) => this.#library.find(source).includes(spec));
    const route = this.#routeOf(entry, around?.directory);
    return { ...(route === undefined ? {} : { route }), ...(finding ? { finding } : {}) };
  }

  /** Entries for everything the descriptions hold: what has no tag first, then a group for each tag. */
  expand(sources: readonly SpecSource[]): { entries: NavEntry[]; findings: Finding[] } {
    const loose: NavEntry[] = [];
    const groups = new Map<string, GroupEntry>();
    const findings: Finding[] = [];
    for (const { source, directory } of sources) {
      const keys = this.#library.find(source);
      if (keys.length === 0) findings.push(unknownSource(source));
      for (const entry of keys.flatMap((key) => this.#inTagOrder(key))) {
        if (entry.isExcluded) continue;
        const route = this.#routeOf(entry, directory);
        if (route === undefined)
          return { entries: [...loose, ...groups.values()], findings: [...findings, tooMany] };
        if (this.generated.get(route)?.hidden) continue;
        if (entry.group === undefined) loose.push({ kind: 'page', route });
        else groupNamed(entry.group, groups).entries.push({ kind: 'page', route });
      }
    }
    return { entries: [...loose, ...groups.values()], findings };
  }

  #inTagOrder(key: string): DescribedEntry[] {
    const spec = this.#library.get(key);
    if (!spec) return [];
    const order = tagOrder(spec.document);
    const rank = ({ tag }: DescribedEntry): number => {
      const at = tag === undefined ? -1 : order.indexOf(tag);
      return tag !== undefined && at < 0 ? order.length : at;
    };
    return spec.entries.toSorted((a, b) => rank(a) - rank(b));
  }

  /** Undefined when there are more pages than anybody could want. */
  #routeOf(entry: DescribedEntry, around: string | undefined): string | undefined {
    const directory = around ?? this.#options.directoryOf(entry.target.spec) ?? defaultDirectory;
    const wanted = wantedRoute(entry, directory);
    const key = JSON.stringify([entry.target, wanted]);
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    if (this.generated.size >= maximumPages) return undefined;
    let count = this.#taken.get(wanted) ?? 0;
    let route = count === 0 ? wanted : `${wanted}-${count}`;
    while (this.generated.has(route) || this.byFile.has(route)) route = `${wanted}-${++count}`;
    this.#taken.set(wanted, count);
    this.#routes.set(key, route);
    if (this.#options.isFile(route)) this.byFile.set(route, entry);
    else this.generated.set(route, generatedMeta(entry, route));
    return route;
  }
}

const tooMany: Finding = {
  severity: 'warning',
  code: 'openapi_invalid',
  message: `More than ${maximumPages} pages would be made from API descriptions; the others are left out`,
};

function unknownSource(source: string): Finding {
  return {
    severity: 'warning',
    code: 'openapi_operation_missing',
    message: `There is no API description "${source}"; its pages are left out`,
    hint: 'Name a file of the site, from its root.',
  };
}

function groupNamed(label: string, groups: Map<string, GroupEntry>): GroupEntry {
  const group = groups.get(label) ?? { kind: 'group', label, expanded: false, entries: [] };
  groups.set(label, group);
  return group;
}

/** `api-reference/users/create-a-user`, or the address that the description asks for. */
function wantedRoute(entry: DescribedEntry, directory: string): string {
  const asked = entry.href === undefined || /^[a-z]+:/i.test(entry.href) ? '' : safePath(entry.href);
  if (asked !== '') return asked;
  const { method, path } = entry.endpoint;
  const name = slug(entry.title ?? '') || slug(`${method} ${path}`) || 'operation';
  const parts = [safePath(directory), entry.tag === undefined ? '' : slug(entry.tag), name];
  return parts.filter((part) => part !== '').join('/');
}

/** The format's own rule, so that addresses stay what they are published as; and nothing a file name must not hold. */
function slug(text: string): string {
  return text
    .replaceAll(/\s+/g, '-')
    .replaceAll(/\{[^{}]*\}/g, '-')
    .replaceAll(/[{}(),.'/\\?#%:*"<>|\p{Cc}]/gu, '')
    .replaceAll(/-{2,}/g, '-')
    .toLowerCase()
    .slice(0, maximumSegmentLength);
}

/** A path as an author writes it, without a way out of the site. */
function safePath(path: string): string {
  const parts = path.replace(/[?#].*$/, '').split('/');
  return parts
    .map((part) => part.replaceAll(/[\\:*"<>|\p{Cc}]/gu, '').trim())
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .join('/');
}

function generatedMeta(entry: DescribedEntry, route: string): PageMeta {
  const { openapi: _, ...metadata } = entry.metadata;
  const data = {
    title: entry.title ?? titleOfRoute(route),
    description: leadOf(entry.description),
    deprecated: entry.deprecated,
    ...metadata,
  };
  const meta = metaOf(data, '', entry.target.spec, route);
  return {
    ...meta,
    hidden: meta.hidden || entry.isHidden,
    endpoint: entry.endpoint,
    api: entry.target,
    generated: true,
    ...(entry.content === undefined ? {} : { content: entry.content }),
  };
}

/** The first paragraph of a description as it is written, when it is prose; the page shows the rest. */
export function leadOf(description: string): string {
  const first = (description.trim().split(/\n\s*\n/, 1)[0] ?? '').trim();
  const hasBlocks = first
    .split('\n')
    .some((line) => /^\s{0,20}(?:[#>|<]|[*+-]\s|\d{1,9}[.)]\s|```)/.test(line));
  return hasBlocks ? '' : first;
}
