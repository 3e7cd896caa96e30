/**
 * Generates pages and navigation entries from API descriptions. An existing file at the same route takes
 * precedence.
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
const maxSegmentLength = 120;
/** Limits hostile sites that reference every description from many directories. */
const maxPages = 20_000;

export interface ApiPagesOptions {
  isFile: (route: string) => boolean;
  directoryOf: (spec: string) => string | undefined;
}

export class ApiPages {
  readonly generated = new Map<string, PageMeta>();
  /** Files at the routes of generated pages, with the operations they document. */
  readonly byFile = new Map<string, DescribedEntry>();
  readonly #library: SpecLibrary;
  readonly #binder: Binder;
  readonly #options: ApiPagesOptions;
  /** An operation may be listed several times, with one page per address. */
  readonly #routes = new Map<string, string>();
  readonly #lastSuffix = new Map<string, number>();

  constructor(library: SpecLibrary, binder: Binder, options: ApiPagesOptions) {
    this.#library = library;
    this.#binder = binder;
    this.#options = options;
  }

  page(reference: ApiReference, sources: readonly SpecSource[]): { route?: string; finding?: Finding } {
    const { entry, finding } = this.#binder.bind(reference, { sources });
    if (!entry || entry.isExcluded) return finding ? { finding } : {};
    const { spec } = entry.target;
    const around = sources.find(({ source }) => this.#library.find(source).includes(spec));
    const route = this.#routeOf(entry, around?.directory);
    return { ...(route === undefined ? {} : { route }), ...(finding ? { finding } : {}) };
  }

  /** Untagged operations first, then one group per tag. */
  expand(sources: readonly SpecSource[]): { entries: NavEntry[]; findings: Finding[] } {
    const ungrouped: NavEntry[] = [];
    const groups = new Map<string, GroupEntry>();
    const findings: Finding[] = [];
    for (const { source, directory } of sources) {
      const keys = this.#library.find(source);
      if (keys.length === 0) findings.push(unknownSource(source));
      for (const entry of keys.flatMap((key) => this.#inTagOrder(key))) {
        if (entry.isExcluded) continue;
        const route = this.#routeOf(entry, directory);
        if (route === undefined)
          return { entries: [...ungrouped, ...groups.values()], findings: [...findings, tooMany] };
        if (this.generated.get(route)?.hidden) continue;
        if (entry.group === undefined) ungrouped.push({ kind: 'page', route });
        else groupNamed(entry.group, groups).entries.push({ kind: 'page', route });
      }
    }
    return { entries: [...ungrouped, ...groups.values()], findings };
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

  /** Undefined when the page limit is reached. */
  #routeOf(entry: DescribedEntry, around: string | undefined): string | undefined {
    const directory = around ?? this.#options.directoryOf(entry.target.spec) ?? defaultDirectory;
    const preferred = preferredRoute(entry, directory);
    const key = JSON.stringify([entry.target, preferred]);
    const known = this.#routes.get(key);
    if (known !== undefined) return known;
    if (this.generated.size >= maxPages) return undefined;
    let count = this.#lastSuffix.get(preferred) ?? 0;
    let route = count === 0 ? preferred : `${preferred}-${count}`;
    while (this.generated.has(route) || this.byFile.has(route)) route = `${preferred}-${++count}`;
    this.#lastSuffix.set(preferred, count);
    this.#routes.set(key, route);
    if (this.#options.isFile(route)) this.byFile.set(route, entry);
    else this.generated.set(route, generatedMeta(entry, route));
    return route;
  }
}

const tooMany: Finding = {
  severity: 'warning',
  code: 'openapi_invalid',
  message: `The API descriptions have more than ${maxPages} pages; the rest are omitted`,
};

function unknownSource(source: string): Finding {
  return {
    severity: 'warning',
    code: 'openapi_operation_missing',
    message: `The API description "${source}" does not exist; its pages are omitted`,
    hint: 'Use the path of a file, relative to the root of the site.',
  };
}

function groupNamed(label: string, groups: Map<string, GroupEntry>): GroupEntry {
  const group = groups.get(label) ?? { kind: 'group', label, expanded: false, entries: [] };
  groups.set(label, group);
  return group;
}

/** `api-reference/users/create-a-user`, or the address requested by the description. */
function preferredRoute(entry: DescribedEntry, directory: string): string {
  const requested = entry.href === undefined || /^[a-z]+:/i.test(entry.href) ? '' : safePath(entry.href);
  if (requested !== '') return requested;
  const { method, path } = entry.endpoint;
  const name = slug(entry.title ?? '') || slug(`${method} ${path}`) || 'operation';
  const parts = [safePath(directory), entry.tag === undefined ? '' : slug(entry.tag), name];
  return parts.filter((part) => part !== '').join('/');
}

/** Matches the slugs of the hosted format, so that published addresses stay valid. */
function slug(text: string): string {
  return text
    .replaceAll(/\s+/g, '-')
    .replaceAll(/\{[^{}]*\}/g, '-')
    .replaceAll(/[{}(),.'/\\?#%:*"<>|\p{Cc}]/gu, '')
    .replaceAll(/-{2,}/g, '-')
    .toLowerCase()
    .slice(0, maxSegmentLength);
}

/** Prevents path traversal. */
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

/** The first paragraph, when it is prose. */
export function leadOf(description: string): string {
  const first = (description.trim().split(/\n\s*\n/, 1)[0] ?? '').trim();
  const hasBlocks = first
    .split('\n')
    .some((line) => /^\s{0,20}(?:[#>|<]|[*+-]\s|\d{1,9}[.)]\s|```)/.test(line));
  return hasBlocks ? '' : first;
}
