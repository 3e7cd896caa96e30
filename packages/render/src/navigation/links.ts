/**
 * Says what an author's link means: a page, a file of the site, an outside address, or nothing.
 * It refuses schemes that run code and applies the redirects of the configuration; it does not write HTML.
 */
import { keptText } from '../text/kept.ts';
import { type OutsideTarget, cleanAddress, outsideTarget, schemeOf } from '../text/link-scheme.ts';
import { matchesPath } from '../model/path-pattern.ts';
import { type Pattern, fill, matcherOf, parseDestination, parseSource } from './redirect-pattern.ts';
import type { Redirect, RemotePicture } from '../model/site-plan.ts';

export type LinkTarget =
  | { kind: 'page'; route: string; suffix: string }
  /** `output` is its name there. */
  | { kind: 'file'; file: string; output: string; suffix: string }
  /** A file that the export itself makes. */
  | { kind: 'output'; path: string; suffix: string }
  | { kind: 'here'; suffix: string }
  | OutsideTarget
  | { kind: 'broken' };

export interface LinkTable {
  routes: readonly string[];
  files: readonly string[];
  redirects: readonly Redirect[];
  basePath: string;
  /** Patterns of the paths that outputs are written to. */
  generatedFiles: readonly string[];
  /** Pages and files under other names than their own, by those. */
  renamedRoutes?: readonly (readonly [string, string])[];
  renamedFiles?: readonly (readonly [string, string])[];
  /** Pictures of other hosts that are files of the output, by address. */
  pictures?: ReadonlyMap<string, RemotePicture>;
}

export interface LinkResolver {
  /** `from` is the source file of the page the link is on. */
  resolve(href: string, from: string): LinkTarget;
  /** The file an image, video or icon address means, if the site has it. */
  resolveFile(address: string, from: string): LinkTarget;
}

/** A site without a page at its root shows its first page there. */
const homeFile = 'index.html';
const maximumRedirects = 5;
/** Targets that are remembered, of at most this length each. */
const maximumKnown = 5000;
const maximumKnownLength = 500;
/** Sites of this format are published under one of these, and write it into their links. */
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

  /** A folder without a page of its own stands for its first page, in the order of the navigation. */
  const folders = new Map<string, string>();
  for (const route of table.routes) {
    for (let slash = route.indexOf('/'); slash > 0; slash = route.indexOf('/', slash + 1)) {
      const folder = route.slice(0, slash);
      if (!folders.has(folder)) folders.set(folder, route);
    }
  }

  const isPage = (route: string): boolean => findPage(route) !== undefined;
  const isOutput = (path: string): boolean =>
    table.generatedFiles.some((pattern) => matchesPath(pattern, path, isPage));

  const find = (path: string, suffix: string): LinkTarget | undefined => {
    const route = findPage(path);
    if (route !== undefined) return { kind: 'page', route, suffix };
    const file = trimSlashes(path);
    if (files.has(file)) return fileTarget(file, suffix);
    return isOutput(file) ? { kind: 'output', path: file, suffix } : undefined;
  };

  const findFolder = (path: string): LinkTarget | undefined => {
    const route = folders.get(trimSlashes(path));
    return route === undefined ? undefined : { kind: 'page', route, suffix: '' };
  };

  const follow = (path: string, suffix: string): LinkTarget | undefined => {
    let current = `/${trimSlashes(path)}`;
    for (let hop = 0; hop < maximumRedirects; hop++) {
      const destination = firstMatch(redirects, current);
      if (destination === undefined) return undefined;
      if (/^https?:\/\//i.test(destination)) return { kind: 'outside', href: destination };
      const [encoded, ownSuffix] = splitSuffix(destination);
      const target = decodePath(encoded);
      const found = find(target, ownSuffix || suffix);
      if (found) return found;
      current = `/${trimSlashes(target)}`;
    }
    return undefined;
  };

  /** Relative to the file's folder, then to the page seen as a folder, then to the root: the order sites rely on. */
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

  /** What does not depend on the page it is on: the same targets are linked to from many pages. */
  const known = new Map<string, LinkTarget>();

  const resolve = (raw: string, from: string): LinkTarget => {
    const remembered = known.get(raw);
    if (remembered) return remembered;
    const isSameEverywhere = raw.startsWith('/') || /^[a-z]+:/i.test(raw);
    if (!isSameEverywhere || raw.length > maximumKnownLength) return resolveAnew(raw, from);
    const address = keptText(raw);
    const target = resolveAnew(address, from);
    if (known.size >= maximumKnown) known.clear();
    known.set(address, target);
    return target;
  };

  const resolveAnew = (raw: string, from: string): LinkTarget => {
    const href = cleanAddress(raw);
    if (href === '' || href.startsWith('#') || href.startsWith('?')) return { kind: 'here', suffix: href };
    const outside = outsideTarget(href);
    if (outside) return outside;
    const [path, suffix] = splitSuffix(href);
    const decoded = decodePath(path);
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
    const file = candidates(decodePath(path), from).find((option) => files.has(option));
    return file === undefined ? { kind: 'broken' } : fileTarget(file, suffix);
  };

  return { resolve, resolveFile };
}

/** Only these can be loaded as a file. */
function isWebAddress(target: LinkTarget): boolean {
  return target.kind === 'outside' && /^https?:/i.test(target.href);
}

function splitSuffix(href: string): [string, string] {
  const end = href.search(/[?#]/);
  return end < 0 ? [href, ''] : [href.slice(0, end), href.slice(end)];
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function trimSlashes(path: string): string {
  return path.replace(/^\/+/, '').replace(/\/+$/, '');
}

/** Resolves `.` and `..`; whatever climbs above the root stays at the root. */
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

/** What no server could be told of safely is told to the author elsewhere, and leads nowhere. */
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
