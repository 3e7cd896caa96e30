import type { Diagnostic } from '../model/diagnostic.ts';
import { asList, asObject, asText } from '../config/json.ts';
import { playgroundOf } from '../config/api.ts';
import { readContextual } from '../config/settings.ts';
import { iconText } from '../icons/reference.ts';
import { flatText, sharedIfEmpty } from '../text/compact-values.ts';
import { unsafeScheme } from '../text/link-scheme.ts';
import {
  channelReference,
  operationReference,
  schemaReference,
  frontMatterOperation,
} from './api-spelling.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { splitFrontMatter } from './split-source.ts';
import { decodeSource } from './source.ts';
import type { ApiReference, GroupRule, PageMeta, PageMode, PageSource } from '../model/page-source.ts';

export function readPageMeta(bytes: Uint8Array, file: string, route: string): Omit<PageSource, 'sourceHash'> {
  const { matter, body } = splitFrontMatter(decodeSource(bytes));
  const { data, problem } = readFrontMatter(matter && flatText(matter));
  const diagnostics: Diagnostic[] = problem
    ? [
        {
          severity: 'warning',
          code: 'front_matter_syntax',
          message: `The front matter is not valid YAML and was read line by line: ${problem.message}`,
          file,
          line: problem.line + 1,
          column: 1,
          hint: 'Quote values that contain a colon, a quote or a line break.',
        },
      ]
    : [];
  const imports = importedPages(body);
  if (data['mode'] === 'assistant') {
    diagnostics.push({
      severity: 'info',
      code: 'mode_unsupported',
      message: 'The page mode "assistant" needs a hosted site; the default layout is used',
      file,
      line: 1,
    });
  }
  const scheme = unsafeScheme(asText(data['url']) ?? '');
  if (scheme !== undefined) {
    diagnostics.push({
      severity: 'warning',
      code: 'unsafe_link',
      message: `"url" has the scheme "${scheme}", which is not allowed; the entry links to the page itself`,
      file,
      line: 1,
    });
  }
  const to = readReference(data);
  const needsTitle = asText(data['title']) === undefined && firstHeading(body) === undefined;
  const reference = to && { to, line: lineOfReference(matter ?? ''), needsTitle };
  const meta = metaOf(data, body, file, route);
  if (body.includes('```mermaid')) meta.hasDiagram = true;
  return {
    meta: reference ? { ...meta, reference } : meta,
    imports: sharedIfEmpty(imports),
    diagnostics: sharedIfEmpty(diagnostics),
  };
}

const importLine = /import\s[^'"\n]{1,500}?from\s{1,10}['"]([^'"\n]{1,500}\.mdx?)['"]/y;

function importedPages(body: string): string[] {
  const files: string[] = [];
  const lineAfter = (from: number): number => {
    const end = body.indexOf('\nimport', from);
    return end < 0 ? -1 : end + 1;
  };
  let at = body.startsWith('import') ? 0 : lineAfter(0);
  while (at >= 0) {
    importLine.lastIndex = at;
    const file = importLine.exec(body)?.[1];
    if (file !== undefined) files.push(flatText(file));
    at = lineAfter(file === undefined ? at : importLine.lastIndex);
  }
  return files;
}

export function metaOf(data: FrontMatter, body: string, file: string, route: string): PageMeta {
  const title = asText(data['title']) ?? firstHeading(body) ?? titleOfRoute(route);
  const mode = asText(data['mode']);
  const icon = iconText(data['icon'], data['iconType']);
  const playground = playgroundOf(data['playground']);
  return {
    route,
    file,
    title,
    sidebarTitle: asText(data['sidebarTitle']) ?? title,
    description: asText(data['description']) ?? '',
    ...(icon ? { icon } : {}),
    ...optionalText('tag', data),
    ...(unsafeScheme(asText(data['url']) ?? '') === undefined ? optionalText('url', data) : {}),
    ...optionalText('canonical', data),
    mode: isMode(mode) ? mode : 'default',
    hidden: isTrue(data['hidden']),
    noIndex: isTrue(data['noindex']) || isTrue(data['hidden']),
    deprecated: isTrue(data['deprecated']),
    searchable: data['searchable'] !== false && data['searchable'] !== 'false',
    ...(Number(data['boost']) > 0 ? { boost: Number(data['boost']) } : {}),
    keywords: sharedIfEmpty(texts(data['keywords']).flatMap((words) => words.split(','))),
    hidePagination: isTrue(data['hideFooterPagination']),
    showsFeed: isTrue(data['rss']),
    groups: sharedIfEmpty(readGroups(data['groups'])),
    ...readPublic(data),
    metatags: sharedIfEmpty(readMetatags(data)),
    endpoint: endpointOf(readReference(data)),
    ...(isTrue(data['hideApiMarker']) ? { hideApiMarker: true } : {}),
    ...(playground ? { playground } : {}),
    ...readOrder(data),
    ...readTimes(data),
    ...(asObject(data['contextual']) ? { contextual: readContextual(data['contextual']) } : {}),
  };
}

function readOrder(data: FrontMatter): { order?: number } {
  const order = Number(asText(data['sidebar_position']) ?? asText(data['order']) ?? Number.NaN);
  return Number.isFinite(order) ? { order } : {};
}

function readTimes(data: FrontMatter): { lastUpdated?: string; timestamp?: boolean } {
  const value = data['lastUpdatedDate'];
  const text = value instanceof Date ? value.toISOString() : asText(value);
  const date =
    text !== undefined && /^\d{4}-\d{2}-\d{2}/.test(text) ? { lastUpdated: text.slice(0, 10) } : {};
  return typeof data['timestamp'] === 'boolean' ? { ...date, timestamp: data['timestamp'] } : date;
}

function optionalText<Key extends 'tag' | 'url' | 'canonical'>(
  key: Key,
  data: FrontMatter,
): Partial<Record<Key, string>> {
  const value = asText(data[key]);
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

function readPublic({ public: value }: FrontMatter): { isPublic?: boolean } {
  if (isTrue(value)) return { isPublic: true };
  return value === false || value === 'false' ? { isPublic: false } : {};
}

function isMode(mode: string | undefined): mode is PageMode {
  return mode !== undefined && ['default', 'wide', 'custom', 'frame', 'center'].includes(mode);
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

function firstHeading(body: string): string | undefined {
  let start = 0;
  for (let lines = 0; lines < 200 && start < body.length; lines++) {
    const end = body.indexOf('\n', start);
    const line = body.slice(start, end < 0 ? body.length : end);
    start += line.length + 1;
    if (line.trim() === '' || /^(?:import|export)\s/.test(line)) continue;
    const text = /^#[ \t]+(.+)$/.exec(line)?.[1];
    return (text && flatText(text.replace(/\s*\{#[^}]*\}\s*$|\s+#+\s*$/, '').trim())) || undefined;
  }
  return undefined;
}

const referenceKeys = {
  openapi: operationReference,
  'openapi-schema': schemaReference,
  asyncapi: channelReference,
  api: frontMatterOperation,
};

function readReference(data: FrontMatter): ApiReference | undefined {
  for (const [key, read] of Object.entries(referenceKeys)) {
    const text = asText(data[key]);
    const reference = text === undefined ? undefined : read(text);
    if (reference?.kind === 'front-matter') return { ...reference, ...readRequest(data) };
    if (reference) return reference;
  }
  return undefined;
}

function readRequest(data: FrontMatter): { authMethod?: string; contentType?: string } {
  const method = (asText(data['authMethod']) ?? asText(data['auth']))?.toLowerCase();
  const contentType = asText(data['contentType'])?.trim();
  return {
    ...(method !== undefined && authMethods.has(method) ? { authMethod: method } : {}),
    ...(contentType !== undefined && /^[\w.+-]{1,60}\/[\w.+-]{1,80}$/.test(contentType)
      ? { contentType }
      : {}),
  };
}

const authMethods = new Set(['bearer', 'basic', 'key', 'cobo', 'none']);

function lineOfReference(matter: string): number {
  const before = matter.slice(
    0,
    Math.max(0, matter.search(/^(?:openapi|openapi-schema|asyncapi|api)\s*:/im)),
  );
  return before.split('\n').length + 1;
}

function endpointOf(reference: ApiReference | undefined): PageMeta['endpoint'] {
  if (reference?.kind === 'operation') return { method: reference.method, path: reference.path };
  return reference?.kind === 'front-matter' ? { method: reference.method, path: reference.url } : undefined;
}

export function titleOfRoute(route: string): string {
  const parts = route.split('/');
  const last = parts.at(-1) === 'index' ? (parts.at(-2) ?? 'Home') : (parts.at(-1) ?? route);
  const words = last.replaceAll(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function readGroups(value: unknown): GroupRule[] {
  const plain = asList(value).filter((item) => typeof item === 'string');
  const rules = asList(value).flatMap((item) => {
    if (typeof item === 'string' || typeof item !== 'object' || item === null) return [];
    const part = item as Record<string, unknown>;
    return [{ includes: texts(part['includes']), excludes: texts(part['excludes']) }];
  });
  const single = typeof value === 'string' ? [value] : [];
  const named = [...plain, ...single];
  return named.length ? [{ includes: named, excludes: [] }, ...rules] : rules;
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');
}

/** Pages without groups are visible to everyone. */
export function isVisibleTo(groups: readonly string[], rules: readonly GroupRule[]): boolean {
  if (rules.length === 0) return true;
  return rules.some(
    ({ includes, excludes }) =>
      !excludes.some((name) => groups.includes(name)) &&
      (includes.length === 0 || includes.some((name) => name === '*' || groups.includes(name))),
  );
}

function readMetatags(data: FrontMatter): [string, string][] {
  const tags = Object.entries(data).flatMap(([key, value]): [string, string][] => {
    const text = asText(value);
    return text !== undefined && /^(?:og|twitter|article):[\w:]+$/.test(key) ? [[key, text]] : [];
  });
  const keywords = asList(data['keywords']).filter((item) => typeof item === 'string');
  const robots = asText(data['robots']);
  return [
    ...tags,
    ...(keywords.length ? [['keywords', keywords.join(', ')] as [string, string]] : []),
    ...(robots ? [['robots', robots] as [string, string]] : []),
  ];
}
