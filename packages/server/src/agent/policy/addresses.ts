/**
 * Judges new links and images. Addresses that run code, carry credentials or carry data are blocked; a new host
 * makes the change a draft.
 */
import type { PageCode } from '@docyard/render/source-rules';
import type { DiffFile } from '../contract.ts';
import { type Change, type Objection, type Rule, addedTo, block, draft, isPage, quoted } from './rule.ts';

export const addressRule: Rule = { name: 'addresses', judge: judgeAddresses };

interface Address {
  url: string;
  use: 'link' | 'load';
}

function judgeAddresses(change: Change): Objection[] {
  const reportedHosts = new Set<string>();
  return change.files.flatMap((file) => {
    // The drawing rule blocks addresses in SVG files.
    if (file.after === null || file.after === file.before || /\.svg$/i.test(file.path)) return [];
    const before = file.before === null ? [] : addressesOf(file.from ?? file.path, file.before, change);
    const added = addedTo(before, addressesOf(file.path, file.after, change), ({ url }) => url);
    return added.flatMap((address) => judgeAddress(address, file, change, reportedHosts) ?? []);
  });
}

function judgeAddress(
  { url, use }: Address,
  { path }: DiffFile,
  { settings }: Change,
  reportedHosts: Set<string>,
): Objection | undefined {
  const parsed = parseAddress(url);
  if (parsed === 'inside') return undefined;
  if (parsed === undefined) return block(path, `The address ${quoted(url)} cannot be read.`);
  if (runsCode.test(parsed.protocol)) return block(path, `The address ${quoted(url)} can run code.`);
  if (parsed.username !== '' || parsed.password !== '')
    return block(path, `The address ${quoted(url)} contains a user name or password.`);
  // API descriptions contain examples that are not requested.
  if (carriesData(parsed))
    return (isPage(path) || /\.json$/i.test(path) ? block : draft)(
      path,
      `The address ${quoted(url)} carries encoded data.`,
    );
  if (!/^https?:$/.test(parsed.protocol))
    return url.includes('//') ? draft(path, `The address ${quoted(url)} opens another program.`) : undefined;
  const { hostname } = parsed;
  if (isForExamples(hostname) || settings.existing.hosts.has(hostname) || reportedHosts.has(hostname))
    return undefined;
  reportedHosts.add(hostname);
  return draft(
    path,
    use === 'load'
      ? `Content is loaded from ${hostname}, a new host.`
      : `A link leads to ${hostname}, a new host.`,
  );
}

const runsCode =
  /^(?:javascript|vbscript|livescript|data|blob|file|filesystem|view-source|about|jar|mhtml):$/;
const siteOrigin = 'https://docs.invalid/';

/**
 * Reads addresses as browsers do: they drop white space and control characters and accept backslashes. Opened
 * from disk, `https:/host` is another host, so it is treated as one.
 */
function parseAddress(url: string): URL | 'inside' | undefined {
  const text = url.replace(/^[\s\p{Cc}\uFFFD]+/u, '');
  const parsed = URL.parse(text) ?? URL.parse(text, siteOrigin);
  if (parsed === null) return /^(?:[a-z][a-z0-9+.-]*:)?[\\/]{2}/i.test(text) ? undefined : 'inside';
  return parsed.host === 'docs.invalid' && parsed.username === '' ? 'inside' : parsed;
}

function isForExamples(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|(?:.*\.)?(?:example|test|invalid|localhost|example\.(?:com|net|org)))$/.test(
    host,
  );
}

const maxQueryCharacters = 400;
const maxEscapes = 12;

/** Encoded data shows as long runs of mixed characters. Hexadecimal digests of 64 digits pass. */
function carriesData({ hostname, pathname, search, hash }: URL): boolean {
  const rest = `${pathname}${search}${hash}`;
  if (search.length > maxQueryCharacters || hash.length > maxQueryCharacters) return true;
  if ((rest.match(/%[0-9a-f]{2}/gi)?.length ?? 0) > maxEscapes && search.length > 60) return true;
  if (
    hostname.split('.').some((label) => label.length >= 32 && (isMixed(label) || /^[0-9a-f]+$/i.test(label)))
  )
    return true;
  return [...rest.matchAll(/[A-Za-z0-9+=_-]{44,}/g)].some(([run]) => isEncoded(run));
}

function isEncoded(run: string): boolean {
  if (/^[0-9a-f]+$/i.test(run)) return run.length > 64;
  const longestWord = Math.max(...run.split(/[-_]/).map((word) => word.length));
  return longestWord >= 44 || isMixed(run);
}

/** Encoded data alternates between cases and digits far more often than words. */
function isMixed(run: string): boolean {
  const changes = run.match(/[a-z](?=[A-Z0-9])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return changes > run.length / 4;
}

function addressesOf(path: string, text: string, { pageCode }: Change): Address[] {
  if (!isPage(path)) return textAddresses(text);
  const page = pageCode(text);
  return page === undefined ? textAddresses(text) : [...page.addresses, ...frontMatterAddresses(page)];
}

function frontMatterAddresses({ frontMatter }: PageCode): Address[] {
  const code = [
    ...frontMatter.matchAll(/:[ \t]{0,20}["']?[ \t]{0,20}((?:javascript|vbscript|data):[^\s"']{0,200})/gi),
  ];
  return [...code.map(([, url = '']): Address => ({ url, use: 'link' })), ...textAddresses(frontMatter)];
}

export function textAddresses(text: string): Address[] {
  return [...text.matchAll(/(?:\b[a-z][a-z0-9+.-]{0,20}:)?\/\/[^\s"'<>()[\]{}|\\^`]{1,4000}/gi)]
    .map(([url]) => ({ url: withoutTrailingPunctuation(url), use: 'link' as const }))
    .filter(({ url }) => /^[^/]*\/\/[^/]*[.:@]/.test(url));
}

/** A loop: a regular expression for the end would backtrack from every position. */
function withoutTrailingPunctuation(url: string): string {
  let end = url.length;
  while (end > 0 && '.,;:!?*_'.includes(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

export function hostOf(url: string): string | undefined {
  const parsed = parseAddress(url);
  return parsed instanceof URL && /^https?:$/.test(parsed.protocol) ? parsed.hostname : undefined;
}
