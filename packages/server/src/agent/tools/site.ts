/**
 * What tools know of the site without rendering it: its pages and their addresses, its configuration, and which link means
 * which page. Links are resolved by the renderer's own rules. It changes nothing.
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
  /** Every file, sorted. */
  files: string[];
  /** The files that hold the configuration, the first of which the site begins with. */
  config: ConfigFile[];
  configFile: string;
  hasNavigation: boolean;
  resolver: LinkResolver;
  /** The address of a page, without leading slash; undefined when the file is none. */
  routeOf(file: string): string | undefined;
  fileOf(route: string): string | undefined;
  /** What a text of the navigation means. */
  routeOfEntry(text: string): string | undefined;
  navigationEntries(route: string): ConfigReference[];
}

export interface InboundLink {
  file: string;
  line: number;
  link: WrittenLink;
}

const mostScannedBytes = 100_000_000;
/** A hostile file of this size takes 0.8 s to look through; real pages are a hundredth of it. */
const mostSourceCharacters = 1_000_000;

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

/** Without redirects: a link that goes through one names another address than the page's. */
export function resolverFor(files: readonly string[]): LinkResolver {
  const routes = files.filter(isPageFile).map(routeOfFile);
  const generated = generatedFiles({ hasOrigin: true });
  return createLinkResolver({ routes, files, redirects: [], basePath: '', generatedFiles: generated });
}

/** Whether a link names this page itself, and not a folder that the page happens to be the first of. */
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

/** Reads every Markdown file of the site in turn, snippets as well; or files of another kind. */
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
    if (text === undefined || text.length > mostSourceCharacters) continue;
    bytes += text.length;
    if (bytes > mostScannedBytes) return;
    yield { file, text };
  }
}

/** Links of other pages to this one. */
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

/** The address readers see: a page called `index` stands for its folder. */
export function addressOf(route: string): string {
  return `/${route.replace(/(?:^|\/)index$/, '')}`;
}

const mostTitleSearch = 4000;

/** The title of a page as its front matter has it. */
export function titleOf(source: string): string | undefined {
  const [, matter] =
    /^\ufeff?\s{0,100}---[ \t]*\r?\n([\s\S]{0,4000})/.exec(source.slice(0, mostTitleSearch)) ?? [];
  const [, title] = /^title:[ \t]*(.{1,300})$/im.exec(matter ?? '') ?? [];
  return title?.trim().replace(/^(["'])(.*)\1$/, '$2');
}
