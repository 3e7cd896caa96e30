/**
 * `move_page`: moves a page and updates links, navigation and redirects. The whole change is computed before
 * anything is written.
 */
import { z } from 'zod';
import type { FileChange, ToolContext } from '../contract.ts';
import {
  type ConfigFile,
  type ConfigReference,
  referencesOf,
  requireUsable,
  withRedirect,
  withReferences,
} from './config.ts';
import { existingPath, newPath } from './existing-path.ts';
import { isInScope, lineAt, readText, requireInScope, writeAll } from './files.ts';
import { filePath, newFilePath } from './inputs.ts';
import { findLinks } from './links.ts';
import { type Move, pageAddress, rewriteInbound, rewriteMoved } from './rewrite-links.ts';
import { addressOf, meansPage, readSite, resolverFor, type SiteView, sourceFiles } from './site.ts';
import { pluralize, defineTool, listItems, ToolError } from './tool.ts';

export const movePage = defineTool({
  name: 'move_page',
  description:
    'Moves or renames a page: moves the file, changes links to it in other pages and its own relative links, changes its ' +
    'entries in the navigation, and adds a redirect from the old address. Use it instead of writing a copy.',
  input: z.object({
    from: filePath.describe('The current path, for example guides/start.mdx.'),
    to: newFilePath.describe('The new path, with the same extension, for example guides/begin.mdx.'),
  }),
  async run(context, { from: given, to: wanted }) {
    const from = await existingPath(context.tree, given, { inAnyFolder: false });
    const to = withExtensionOf(from, await newPath(context.tree, wanted));
    const source = await readText(context, from);
    const site = await readSite(context);
    const move = await planMove(context, site, from, to);
    const report: string[] = [];
    const unchanged: string[] = [];
    const own = rewriteMoved(source, move);
    if (own.links.length > 0) report.push(`${to}: ${pluralize(own.links.length, 'link')} of its own`);
    const changes: FileChange[] = [{ path: to, content: own.text }];
    for await (const { file, text } of sourceFiles(context, site)) {
      if (file === from) continue;
      const { text: now, links } = rewriteInbound(text, file, move);
      if (links.length === 0) continue;
      const lines = [...new Set(links.map((link) => lineAt(text, link.start)))].join(', ');
      if (isInScope(context, file)) {
        changes.push({ path: file, content: now });
        report.push(`${file}: ${pluralize(links.length, 'link')} (line ${lines})`);
      } else unchanged.push(`${file} (line ${lines}) is outside the scope`);
    }
    unchanged.push(...(await scriptsThatName(context, site, move)));
    changes.push(...configChanges(context, site, move, report, unchanged), { path: from, content: null });
    const wasSeen = context.seen.has(from);
    const written = await writeAll(context, changes);
    if (!wasSeen) context.seen.delete(to);
    return { text: reportText(move, report, unchanged), changes: written };
  },
});

/** A new path without an extension is meant as a page. */
function withExtensionOf(from: string, to: string): string {
  const name = to.slice(to.lastIndexOf('/') + 1);
  return name === '' || name.includes('.') ? to : to + (/\.mdx?$/.exec(from)?.[0] ?? '');
}

async function planMove(context: ToolContext, site: SiteView, from: string, to: string): Promise<Move> {
  for (const path of [from, to]) requireInScope(context, path);
  const extension = /\.mdx?$/;
  if (!extension.test(from))
    throw new ToolError(
      `${from} is not a page. move_page moves only .mdx and .md files. Leave it where it is.`,
    );
  if (extension.exec(to)?.[0] !== extension.exec(from)?.[0]) {
    throw new ToolError(
      `Keep the extension: move ${from} to a path that ends with ${extension.exec(from)?.[0]}.`,
    );
  }
  if (from === to) throw new ToolError('`from` and `to` are the same. Give the new path as `to`.');
  const [fromRoute, toRoute] = [from, to].map((path) => path.replace(extension, '')) as [string, string];
  const existing = (await context.tree.read(to)) === undefined ? site.fileOf(toRoute) : to;
  if (existing !== undefined && existing !== from) {
    throw new ToolError(`${existing} already has the address ${addressOf(toRoute)}. Choose another path.`);
  }
  requireUsable(site.config);
  const files = [...site.files.filter((file) => file !== from), to].toSorted();
  return { from, to, fromRoute, toRoute, before: site.resolver, after: resolverFor(files) };
}

/** A run does not edit scripts; the redirect covers them. */
async function scriptsThatName(context: ToolContext, site: SiteView, move: Move): Promise<string[]> {
  const named: string[] = [];
  for await (const { file, text } of sourceFiles(context, site, /\.[jt]sx?$/)) {
    const links = findLinks(text).filter(
      ({ kind, href }) =>
        kind === 'link' && href.startsWith('/') && meansPage(move.before, href, file, move.fromRoute),
    );
    const lines = links.map(({ start }) => lineAt(text, start)).join(', ');
    if (links.length > 0) named.push(`${file} (line ${lines}) is a script and names the old address`);
  }
  return named;
}

function configChanges(
  context: ToolContext,
  site: SiteView,
  move: Move,
  report: string[],
  unchanged: string[],
): FileChange[] {
  if (site.routeOf(move.from) === undefined) return [];
  const references = referencesOf(site.config).filter((reference) => namesPage(reference, site, move));
  const isOutOfScope = (file: string): boolean => !isInScope(context, file);
  const blocked = references.find(({ kind, file }) => kind === 'navigation' && isOutOfScope(file));
  if (blocked !== undefined) {
    throw new ToolError(
      `The navigation in ${blocked.file} names this page, and that file is outside the scope of this job. Do not move the page.`,
    );
  }
  const renamed = site.config.map((file) => {
    const ownReferences = references.filter(
      (reference) => reference.file === file.path && !isOutOfScope(file.path),
    );
    if (ownReferences.length > 0) report.push(`${file.path}: ${referenceText(ownReferences, file)}`);
    return withReferences(
      file,
      ownReferences.map((reference) => ({ reference, text: newText(reference, move) })),
    );
  });
  const redirected = redirects(context, site, renamed, move, report, unchanged);
  return redirected.flatMap((file, index) =>
    file.text === site.config[index]?.text ? [] : [{ path: file.path, content: file.text }],
  );
}

function redirects(
  context: ToolContext,
  site: SiteView,
  files: readonly ConfigFile[],
  move: Move,
  report: string[],
  unchanged: string[],
): readonly ConfigFile[] {
  const source = addressOf(move.fromRoute);
  const destination = addressOf(move.toRoute);
  const isPlain = !/[:*()%?#\s]/.test(source + destination) && source !== '/';
  // An address that is still a page is never redirected.
  const redirect = isPlain && !hasPage(site, move, source) ? { source, destination } : undefined;
  const result = withRedirect(files, redirect, (known) => sameAddress(known, destination));
  if (result === undefined || (!result.added && result.removed.length === 0)) {
    unchanged.push(`no redirect leads from ${source} to ${destination}`);
    return files;
  }
  if (!isInScope(context, result.file)) {
    unchanged.push(
      `${result.file} is outside the scope, so no redirect leads from ${source} to ${destination}`,
    );
    return files;
  }
  if (result.added) report.push(`${result.file}: redirect ${source} → ${destination} added`);
  for (const removed of result.removed)
    report.push(`${result.file}: redirect from ${removed} removed, because the page is there now`);
  return files.map((file) => (file.path === result.file ? { ...file, text: result.text } : file));
}

function hasPage(site: SiteView, move: Move, address: string): boolean {
  const route = address.slice(1);
  return [route, `${route}/index`].some(
    (each) => each === move.toRoute || (each !== move.fromRoute && site.fileOf(each) !== undefined),
  );
}

function sameAddress(a: string, b: string): boolean {
  const plain = (address: string): string => `/${address.replace(/^\/+/, '').replace(/\/$/, '')}`;
  return plain(a) === plain(b);
}

function namesPage({ kind, text }: ConfigReference, site: SiteView, move: Move): boolean {
  if (kind === 'navigation') return site.routeOfEntry(text) === move.fromRoute;
  if (kind === 'redirect-source' || !text.startsWith('/')) return false;
  return meansPage(site.resolver, text, site.configFile, move.fromRoute);
}

function newText({ kind, text, file }: ConfigReference, move: Move): string {
  if (kind !== 'navigation') return pageAddress(text, file, move.toRoute, move.after);
  const [extension = ''] = /\.mdx?$/.exec(text) ?? [];
  return `${text.startsWith('/') ? '/' : ''}${move.toRoute}${extension}`;
}

function referenceText(references: readonly ConfigReference[], file: ConfigFile): string {
  const words = {
    navigation: 'navigation entry',
    link: 'link',
    'redirect-destination': 'redirect destination',
    'redirect-source': '',
  };
  return references.map(({ kind, start }) => `${words[kind]} (line ${lineAt(file.text, start)})`).join(', ');
}

function reportText(
  { from, to, toRoute }: Move,
  report: readonly string[],
  unchanged: readonly string[],
): string {
  return [
    `Moved ${from} to ${to}. Its address is ${addressOf(toRoute)}.`,
    ...(report.length > 0
      ? [
          'Changed:',
          ...listItems(
            report.map((line) => `- ${line}`),
            'diff shows all.',
          ),
        ]
      : []),
    ...(unchanged.length > 0
      ? [
          'Unchanged:',
          ...listItems(
            unchanged.map((line) => `- ${line}`),
            '',
          ),
        ]
      : []),
  ].join('\n');
}
