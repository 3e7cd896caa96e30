/**
 * Redirects and headers from `_hosts/docyard.json` of a bundle. Without a valid file the defaults apply.
 * Patterns match in linear time.
 */
import { z } from 'zod';

export const rulesFile = '_hosts/docyard.json';

/** The limits of the renderer. */
export const maxRulesBytes = 32 * 1024 * 1024;
const maxRedirects = 40_000;
const maxPatterns = 500;

const placeOfSite = z
  .string()
  .max(2048)
  .regex(/^\/(?![/\\])[\x21-\x7e]*$/);
const address = z.union([
  placeOfSite,
  z
    .string()
    .max(2048)
    .regex(/^https?:\/\/[\x21-\x7e]+$/i),
]);
const Part = z.union([
  z.object({ text: z.string().max(2048) }),
  z.object({ name: z.string().max(200), rest: z.boolean() }),
]);
const Pattern = z.array(Part).min(1).max(20);
/** A line break would start another header. */
const headerValue = z
  .string()
  .max(4096)
  .regex(/^[\x20-\x7e]*$/);

const Rules = z.object({
  format: z.literal(1),
  basePath: z
    .string()
    .max(1024)
    .regex(/^(?:\/[^/\\\p{Cc}]+)*$/u),
  headers: z.partialRecord(
    z.enum(['Content-Security-Policy', 'X-Content-Type-Options', 'Referrer-Policy']),
    headerValue,
  ),
  redirects: z
    .array(z.object({ from: z.string().max(2048), to: address, permanent: z.boolean() }))
    .max(maxRedirects),
  patterns: z.array(z.object({ from: Pattern, to: Pattern, permanent: z.boolean() })).max(maxPatterns),
});

export interface SiteRules {
  /** The path that the site was exported for. Decoded; empty for the root. */
  basePath: string;
  headers: [name: string, value: string][];
  /** Redirects by exact path without extension. */
  exact: ReadonlyMap<string, Redirect>;
  patterns: readonly PatternRule[];
}

/** `to` is an encoded path from the root of the site, or a URL. */
export interface Redirect {
  to: string;
  permanent: boolean;
}

type PatternRule = z.infer<typeof Rules>['patterns'][number];
type PatternParts = PatternRule['from'];

/** Pages carry their policy in a meta element, which cannot contain frame-ancestors. */
const defaultHeaders = {
  'Content-Security-Policy': "frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
};

/** Documentation needs none of these features. same-site lets sites of the same organization embed images. */
const alwaysSent = {
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-site',
};

export function readRules(text: string | undefined): SiteRules {
  const { success, data } = Rules.safeParse(parsedOrUndefined(text));
  const headers: Record<string, string> = {
    ...defaultHeaders,
    ...(success ? data.headers : {}),
    ...alwaysSent,
  };
  return {
    basePath: success ? data.basePath : '',
    headers: Object.entries(headers),
    exact: new Map((success ? data.redirects : []).map(({ from, ...redirect }) => [from, redirect])),
    patterns: success ? data.patterns : [],
  };
}

/** Ignores a trailing slash, `/index.html` and `.html`. */
export function exactRedirect({ exact }: SiteRules, path: string): Redirect | undefined {
  if (exact.size === 0) return undefined;
  return exact.get(path) ?? exact.get(path.replace(/(?:\/|\/index\.html|\.html)$/, ''));
}

/** The first matching pattern, in the order of the author. */
export function patternRedirect({ patterns }: SiteRules, path: string): Redirect | undefined {
  for (const { from, to, permanent } of patterns) {
    const values = matched(from, path) ?? (path.endsWith('/') ? matched(from, path.slice(0, -1)) : undefined);
    if (values === undefined) continue;
    const target = filled(to, values);
    // A placeholder value must not turn a path into the URL of another host.
    if (address.safeParse(target).success) return { to: target, permanent };
  }
  return undefined;
}

/** A placeholder ends at the next occurrence of the following text: no backtracking. */
function matched(pattern: PatternParts, path: string): Map<string, string> | undefined {
  const values = new Map<string, string>();
  let at = 0;
  for (const [index, part] of pattern.entries()) {
    if ('text' in part) {
      if (isFolderBeforeRest(pattern, index) && path.slice(at) === part.text.slice(0, -1)) {
        return values;
      }
      if (!path.startsWith(part.text, at)) return undefined;
      at += part.text.length;
      continue;
    }
    const end = endOfPlaceholder(pattern, index, path, at);
    const value = path.slice(at, end);
    if (end < at || !(part.rest ? isRest : isSegment).test(value)) return undefined;
    values.set(part.name, value);
    at = end;
  }
  return at === path.length ? values : undefined;
}

/** `/old/*` also matches `/old`. */
function isFolderBeforeRest(pattern: PatternParts, index: number): boolean {
  const part = pattern[index];
  const next = pattern[index + 1];
  const isLast = index + 2 === pattern.length;
  return isLast && part !== undefined && 'text' in part && part.text.endsWith('/') && isRestPart(next);
}

function isRestPart(part: PatternParts[number] | undefined): boolean {
  return part !== undefined && 'rest' in part && part.rest;
}

function endOfPlaceholder(pattern: PatternParts, index: number, path: string, at: number): number {
  const next = pattern[index + 1];
  if (next === undefined) return path.length;
  if (!('text' in next)) return -1;
  const isLast = index + 2 === pattern.length;
  return isLast ? path.length - next.text.length : path.indexOf(next.text, at + 1);
}

/** Values of a Location header: no control characters, backslashes or leading slashes. */
const isSegment = /^[^/\\\p{Cc}\s]+$/u;
const isRest = /^(?:[^/\\\p{Cc}\s][^\\\p{Cc}\s]*)?$/u;

function filled(pattern: PatternParts, values: ReadonlyMap<string, string>): string {
  return pattern
    .map((part) => ('text' in part ? part.text : encodedPath(values.get(part.name) ?? '')))
    .join('');
}

/** Percent-encodes a decoded path. */
export function encodedPath(path: string): string {
  return encodeURI(path.toWellFormed()).replaceAll('?', '%3F').replaceAll('#', '%23');
}

function parsedOrUndefined(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
