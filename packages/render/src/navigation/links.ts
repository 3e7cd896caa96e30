/**
 * Resolves authors' links to a page, a site file, an external address or nothing. It rejects schemes that
 * execute code and applies configured redirects.
 */
import { detachedText } from '../text/compact-values.ts';
import { percentDecode } from '../text/percent-decode.ts';
import { type OutsideTarget, cleanAddress, outsideTarget, schemeOf } from '../text/link-scheme.ts';
import { matchesPath } from '../model/path-pattern.ts';
import { splitSuffix } from './addresses.ts';
import { type Pattern, fill, matcherOf, parseDestination, parseSource } from './redirect-pattern.ts';
import type { Redirect, RemotePicture } from '../model/site-plan.ts';

export type LinkTarget =
  | { kind: 'page'; route: string; suffix: string }
  | { kind: 'file'; file: string; output: string; suffix: string }
  | { kind: 'output'; path: string; suffix: string }
  | { kind: 'here'; suffix: string }
  | OutsideTarget
  /** A page that the readers may not see. */
  | { kind: 'withheld' }
  | { kind: 'broken' };

export interface LinkTable {
  routes: readonly string[];
  /** Pages that the readers may not see. */
  withheld?: readonly string[];
  files: readonly string[];
  redirects: readonly Redirect[];
  basePath: string;
  generatedFiles: readonly string[];
  /** Original and portable names. */
  renamedRoutes?: readonly (readonly [string, string])[];
  renamedFiles?: readonly (readonly [string, string])[];
  /** Downloaded images, by their URL. */
  pictures?: ReadonlyMap<string, RemotePicture>;
}

export interface LinkResolver {
  /** `from` is the source file of the page with the link. */
  resolve(href: string, from: string): LinkTarget;
  resolveFile(address: string, from: string): LinkTarget;
}

/** Without a page at the root, the first page is shown there. */
const homeFile = 'index.html';
const maxRedirects = 5;
const maxKnown = 5000;
const maxKnownLength = 500;
/** Hosted sites of this format often use one of these base paths and include it in links. */
const customaryBasePaths = ['/docs', '/documentation'];

export function createLinkResolver(table: LinkTable): LinkResolver {
  const routes = new Map(table.routes.map((route) => [route, route]));
  for (const route of table.routes) {
    const lower = route.toLowerCase();
    if (!routes.has(lower)) routes.set(lower, route);
  }
  for (const [written, route] of table.renamedRoutes ?? []) routes.set(written, route);
  const files = new Set(table.files);
  const outputs = new Map(table.renamedFiles);
  const fileTarget = (file: string, suffix: string): LinkTarget => ({
    kind: 'file',
    file,
    output: outputs.get(file) ?? file,
    suffix,
  });
  const redirects = table.redirects.flatMap(compileRedirect);

  const findPage = (path: string): string | undefined => {
    const route = trimSlashes(path.replace(/\.(?:mdx?|html)$/i, '').replace(/\/$/, ''));
    for (const candidate of route === '' ? ['index'] : [route, `${route}/index`]) {
      const found = routes.get(candidate) ?? routes.get(candidate.toLowerCase());
      if (found !== undefined) return found;
    }
    return undefined;
  };

  /** A folder without an index page resolves to its first page in navigation order. */
  const folders = new Map<string, string>();
  for (const route of table.routes) {
    for (let slash = route.indexOf('/'); slash > 0; slash = route.indexOf('/', slash + 1)) {
      const folder = route.slice(0, slash);
      if (!folders.has(folder)) folders.set(folder, route);
    }
  }

  const withheld = new Set(
    (table.withheld ?? []).flatMap((route) => {
      const lower = route.toLowerCase();
      return [lower, ...foldersOf(lower)];
    }),
  );

  const isPage = (route: string): boolean => findPage(route) !== undefined;
  const isOutput = (path: string): boolean =>
    table.generatedFiles.some((pattern) => matchesPath(pattern, path, isPage));

  const isWithheld = (path: string): boolean =>
    withheld.size > 0 &&
    withheld.has(trimSlashes(path.replace(/\.(?:mdx?|html)$/i, '').replace(/\/$/, '')).toLowerCase());

  const find = (path: string, suffix: string): LinkTarget | undefined => {
    const route = findPage(path);
    if (route !== undefined) return { kind: 'page', route, suffix };
    const file = trimSlashes(path);
    if (files.has(file)) return fileTarget(file, suffix);
    if (isOutput(file)) return { kind: 'output', path: file, suffix };
    return findFolder(path) === undefined && isWithheld(path) ? { kind: 'withheld' } : undefined;
  };

  const findFolder = (path: string): LinkTarget | undefined => {
    const route = folders.get(trimSlashes(path));
    return route === undefined ? undefined : { kind: 'page', route, suffix: '' };
  };

  const follow = (path: string, suffix: string): LinkTarget | undefined => {
    let current = `/${trimSlashes(path)}`;
    for (let hop = 0; hop < maxRedirects; hop++) {
      const destination = firstMatch(redirects, current);
      if (destination === undefined) return undefined;
      if (/^https?:\/\//i.test(destination)) return { kind: 'outside', href: destination };
      const [encoded, ownSuffix] = splitSuffix(destination);
      const target = percentDecode(encoded);
      const found = find(target, ownSuffix || suffix);
      if (found) return found;
      current = `/${trimSlashes(target)}`;
    }
    return undefined;
  };

  /** Resolution order: the file's folder, the page as a folder, the root. */
  const candidates = (path: string, from: string): string[] => {
    if (path.startsWith('/')) {
      const bases = [table.basePath, ...customaryBasePaths].filter(
        (base) => base && (path === base || path.startsWith(`${base}/`)),
      );
      return [normalize(path), ...bases.map((base) => normalize(path.slice(base.length)))];
    }
    const folder = from.split('/').slice(0, -1).join('/');
    const asFolder = from.replace(/\.mdx?$/, '');
    return [normalize(`${folder}/${path}`), normalize(`${asFolder}/${path}`), normalize(path)];
  };

  /** Caches results that do not depend on the linking page. */
  const known = new Map<string, LinkTarget>();

  const resolve = (raw: string, from: string): LinkTarget => {
    const cached = known.get(raw);
    if (cached) return cached;
    const isSameEverywhere = raw.startsWith('/') || /^[a-z]+:/i.test(raw);
    if (!isSameEverywhere || raw.length > maxKnownLength) return resolveAnew(raw, from);
    const address = detachedText(raw);
    const target = resolveAnew(address, from);
    if (known.size >= maxKnown) known.clear();
    known.set(address, target);
    return target;
  };

  const resolveAnew = (raw: string, from: string): LinkTarget => {
    const href = cleanAddress(raw);
    if (href === '' || href.startsWith('#') || href.startsWith('?')) return { kind: 'here', suffix: href };
    const outside = outsideTarget(href);
    if (outside) return outside;
    const [path, suffix] = splitSuffix(href);
    const decoded = percentDecode(path);
    const options = candidates(decoded, from);
    for (const option of options) {
      const found = find(option, suffix);
      if (found) return found;
    }
    for (const option of options) {
      const found = follow(option, suffix) ?? findFolder(option);
      if (found) return found;
      if (option === '') return { kind: 'output', path: homeFile, suffix };
    }
    return { kind: 'broken' };
  };

  const broughtHome = (target: LinkTarget): LinkTarget => {
    const picture = target.kind === 'outside' ? table.pictures?.get(target.href) : undefined;
    return picture && 'file' in picture ? fileTarget(picture.file, '') : target;
  };

  const resolveFile = (raw: string, from: string): LinkTarget => {
    const address = cleanAddress(raw);
    if (/^data:image\/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]/i.test(address))
      return { kind: 'outside', href: address };
    const outside = outsideTarget(address);
    if (outside)
      return isWebAddress(outside)
        ? broughtHome(outside)
        : { kind: 'unsafe', scheme: schemeOf(address) ?? '' };
    const [path, suffix] = splitSuffix(address);
    const file = candidates(percentDecode(path), from).find((option) => files.has(option));
    return file === undefined ? { kind: 'broken' } : fileTarget(file, suffix);
  };

  return { resolve, resolveFile };
}

function foldersOf(route: string): string[] {
  const parts = route.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function isWebAddress(target: LinkTarget): boolean {
  return target.kind === 'outside' && /^https?:/i.test(target.href);
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, '').replace(/\/+$/, '');
}

/** Paths never climb above the root. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

interface CompiledRedirect {
  match: ReturnType<typeof matcherOf>;
  destination: Pattern;
}

/** Redirects without a safe representation are reported by the redirects output and ignored here. */
function compileRedirect({ source, destination }: Redirect): CompiledRedirect[] {
  const from = parseSource(source);
  const to = parseDestination(destination);
  return from && to ? [{ match: matcherOf(from), destination: to }] : [];
}

function firstMatch(redirects: readonly CompiledRedirect[], path: string): string | undefined {
  for (const { match, destination } of redirects) {
    const values = match(path);
    if (values) return fill(destination, (name) => values.get(name) ?? '');
  }
  return undefined;
}
