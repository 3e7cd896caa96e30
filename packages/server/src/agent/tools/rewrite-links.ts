/**
 * Rewrites addresses after a page has moved: links to it, and its own relative links. Each keeps its style
 * where possible.
 */
import { posix } from 'node:path';
import type { LinkResolver, LinkTarget } from '@docyard/render/source-rules';
import { findLinks, withLinks, type WrittenLink } from './links.ts';
import { addressOf, meansPage } from './site.ts';

export interface Move {
  from: string;
  to: string;
  fromRoute: string;
  toRoute: string;
  before: LinkResolver;
  after: LinkResolver;
}

interface Rewritten {
  text: string;
  links: WrittenLink[];
}

export function rewriteInbound(source: string, file: string, move: Move): Rewritten {
  // Relative links of a snippet depend on the page that includes it, so they are ambiguous.
  const isSnippet = /(?:^|\/)_?snippets\//.test(file);
  return rewrite(source, (link) => {
    if (link.kind === 'import')
      return importOf(link.href, file) === move.from ? importTo(link.href, file, move.to) : undefined;
    if (link.kind === 'file' || (isSnippet && !link.href.startsWith('/'))) return undefined;
    if (!meansPage(move.before, link.href, file, move.fromRoute)) return undefined;
    return pageAddress(link.href, file, move.toRoute, move.after);
  });
}

export function rewriteMoved(source: string, move: Move): Rewritten {
  return rewrite(source, (link) => {
    if (link.kind === 'import') {
      const target = importOf(link.href, move.from);
      return target === undefined || link.href.startsWith('/')
        ? undefined
        : importTo(link.href, move.to, target);
    }
    const target = resolved(move.before, link, move.from);
    if (target.kind === 'page' && target.route === move.fromRoute) {
      if (!meansPage(move.before, link.href, move.from, move.fromRoute)) return undefined;
      return pageAddress(link.href, move.to, move.toRoute, move.after);
    }
    if (link.href.startsWith('/') || (target.kind !== 'page' && target.kind !== 'file')) return undefined;
    // The renderer tolerates inexact paths; exact paths stay exact.
    const stays = isSame(resolved(move.after, link, move.to), target);
    if (stays && (!isExact(link.href, move.from, target) || isExact(link.href, move.to, target)))
      return undefined;
    return target.kind === 'page'
      ? pageAddress(link.href, move.to, target.route, move.after)
      : fileAddress(link.href, move.to, target.file);
  });
}

function rewrite(source: string, addressFor: (link: WrittenLink) => string | undefined): Rewritten {
  const changes = findLinks(source).flatMap((link) => {
    const href = addressFor(link);
    return href === undefined || href === link.href ? [] : [{ link, href }];
  });
  return { text: withLinks(source, changes), links: changes.map(({ link }) => link) };
}

function resolved(resolver: LinkResolver, link: WrittenLink, from: string): LinkTarget {
  return link.kind === 'file' ? resolver.resolveFile(link.href, from) : resolver.resolve(link.href, from);
}

function isSame(a: LinkTarget, b: LinkTarget): boolean {
  if (a.kind === 'page' && b.kind === 'page') return a.route === b.route;
  return a.kind === 'file' && b.kind === 'file' && a.file === b.file;
}

function isExact(href: string, from: string, target: LinkTarget): boolean {
  const path = posix.join(posix.dirname(from), splitSuffix(href)[0]);
  if (target.kind === 'file') return path === target.file;
  return target.kind === 'page' && path.replace(/\.(?:mdx?|html)$/i, '').replace(/\/$/, '') === target.route;
}

/** Keeps the style of the old address: relative or absolute, extension, trailing slash, anchor. */
export function pageAddress(old: string, from: string, route: string, resolver: LinkResolver): string {
  const [path, suffix] = splitSuffix(old);
  const [extension = ''] = /\.(?:mdx?|html)$/i.exec(path) ?? [];
  const ending = extension || (path.length > 1 && path.endsWith('/') ? '/' : '');
  const namesIndex = extension !== '' || path.split('/').at(-1) === 'index';
  const named = namesIndex ? route : addressOf(route).slice(1);
  const [base = ''] = /^\/(?:docs|documentation)(?=\/)/.exec(path) ?? [];
  const absolute = encodeURI(`${needsBase(base, route) ? base : ''}/${named}`.replace(/(.)\/$/, '$1'));
  const relative = encodeURI(posix.relative(posix.dirname(from), named));
  const dotted = path.startsWith('./') && !relative.startsWith('.') ? `./${relative}` : relative;
  const candidates = path.startsWith('/') ? [absolute + ending] : [dotted + ending, `./${relative}${ending}`];
  const works = candidates.find((candidate) => meansPage(resolver, candidate, from, route));
  return (works ?? encodeURI(addressOf(route))) + suffix;
}

/** A site published below `/docs` may write that prefix in its links; a page may also be in a folder `docs`. */
function needsBase(base: string, route: string): boolean {
  return base !== '' && !`/${route}`.startsWith(`${base}/`);
}

function fileAddress(old: string, from: string, file: string): string {
  const [path, suffix] = splitSuffix(old);
  const relative = posix.relative(posix.dirname(from), file);
  const dotted = path.startsWith('./') && !relative.startsWith('.') ? `./${relative}` : relative;
  return encodeURI(dotted) + suffix;
}

function importOf(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('/')) return specifier.slice(1);
  return /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(from), specifier) : undefined;
}

function importTo(old: string, from: string, target: string): string {
  if (old.startsWith('/')) return `/${target}`;
  const relative = posix.relative(posix.dirname(from), target);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function splitSuffix(href: string): [string, string] {
  const end = href.search(/[?#]/);
  return end < 0 ? [href, ''] : [href.slice(0, end), href.slice(end)];
}
