/**
 * The site as tools see it without rendering: pages, addresses, configuration and links, resolved by the
 * renderer's rules.
 */
import {
  createLinkResolver,
  generatedFiles,
  isPageFile,
  type LinkResolver,
  routeOfFile,
} from '@docyard/render/source-rules';
import type { ToolContext } from '../contract.ts';
import { type ConfigFile, type ConfigReference, readConfig, referencesOf } from './config.ts';
import { lineAt, textIfAny } from './files.ts';
import { findLinks, type WrittenLink } from './links.ts';

export interface SiteView {
  files: string[];
  /** The configuration files, starting with the main one. */
  config: ConfigFile[];
  configFile: string;
  hasNavigation: boolean;
  resolver: LinkResolver;
  /** Without a leading slash; undefined if the file is not a page. */
  routeOf(file: string): string | undefined;
  fileOf(route: string): string | undefined;
  routeOfEntry(text: string): string | undefined;
  navigationEntries(route: string): ConfigReference[];
}

export interface InboundLink {
  file: string;
  line: number;
  link: WrittenLink;
}

const maxScannedBytes = 100_000_000;
const maxSourceCharacters = 1_000_000;

export async function readSite(context: ToolContext): Promise<SiteView> {
  const files = (await context.tree.list()).map(({ path }) => path).toSorted();
  const config = await readConfig(context);
  const routes = new Map(files.filter(isPageFile).map((file) => [routeOfFile(file), file]));
  const references = referencesOf(config);
  const entries = references.filter(({ kind }) => kind === 'navigation');
  const routeOfEntry = (text: string): string | undefined => {
    const route = text
      .trim()
      .replace(/[?#].*$/, '')
      .replace(/\.(?:mdx?|html)$/i, '')
      .replace(/^\/{1,9}/, '')
      .replace(/\/$/, '');
    return [route, route === '' ? 'index' : `${route}/index`].find((candidate) => routes.has(candidate));
  };
  return {
    files,
    config,
    configFile: config[0]?.path ?? 'docs.json',
    hasNavigation: entries.length > 0,
    resolver: resolverFor(files),
    routeOf: (file) => (routes.get(routeOfFile(file)) === file ? routeOfFile(file) : undefined),
    fileOf: (route) => routes.get(route),
    routeOfEntry,
    navigationEntries: (route) => entries.filter(({ text }) => routeOfEntry(text) === route),
  };
}

/** Without redirects: a link through a redirect does not name the page's address. */
export function resolverFor(files: readonly string[]): LinkResolver {
  const routes = files.filter(isPageFile).map(routeOfFile);
  const generated = generatedFiles({ hasOrigin: true });
  return createLinkResolver({ routes, files, redirects: [], basePath: '', generatedFiles: generated });
}

/** Whether a link names this page, not a folder whose first page it is. */
export function meansPage(resolver: LinkResolver, href: string, from: string, route: string): boolean {
  const target = resolver.resolve(href, from);
  if (target.kind !== 'page' || target.route !== route) return false;
  const [path = ''] = href.split(/[?#]/, 1);
  const name = lastPart(path.replace(/\.(?:mdx?|html)$/i, ''));
  const parts = route.split('/');
  const names =
    parts.at(-1) === 'index' ? ['index', '', '.', '..', parts.at(-2) ?? ''] : [parts.at(-1) ?? ''];
  return names.some((each) => each.toLowerCase() === name.toLowerCase());
}

function lastPart(path: string): string {
  const trimmed = path.trim().replace(/\/$/, '');
  const name = trimmed.slice(trimmed.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Yields all Markdown files including snippets, or files of another kind. */
export async function* sourceFiles(
  context: ToolContext,
  site: SiteView,
  kind: RegExp = /\.mdx?$/,
): AsyncGenerator<{ file: string; text: string }> {
  let bytes = 0;
  for (const file of site.files) {
    if (!kind.test(file)) continue;
    context.signal.throwIfAborted();
    const text = await textIfAny(context, file);
    if (text === undefined || text.length > maxSourceCharacters) continue;
    bytes += text.length;
    if (bytes > maxScannedBytes) return;
    yield { file, text };
  }
}

export async function linksTo(context: ToolContext, site: SiteView, route: string): Promise<InboundLink[]> {
  const found: InboundLink[] = [];
  for await (const { file, text } of sourceFiles(context, site)) {
    if (site.routeOf(file) === route) continue;
    for (const link of findLinks(text)) {
      if (link.kind === 'link' && meansPage(site.resolver, link.href, file, route))
        found.push({ file, line: lineAt(text, link.start), link });
    }
  }
  return found;
}

/** The public address: `index` stands for its folder. */
export function addressOf(route: string): string {
  return `/${route.replace(/(?:^|\/)index$/, '')}`;
}

const maxTitleSearch = 4000;

export function titleOf(source: string): string | undefined {
  const [, matter] =
    /^\ufeff?\s{0,100}---[ \t]*\r?\n([\s\S]{0,4000})/.exec(source.slice(0, maxTitleSearch)) ?? [];
  const [, title] = /^title:[ \t]*(.{1,300})$/im.exec(matter ?? '') ?? [];
  return title?.trim().replace(/^(["'])(.*)\1$/, '$2');
}
