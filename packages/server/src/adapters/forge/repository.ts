import { ForgeError, type ForgeSettings } from '../../ports/forge.ts';

export interface Repository {
  url: URL;
  /** The decoded path without `.git`. */
  parts: string[];
}

export function parseRepository(address: string): Repository {
  const url = parseAddress(address, 'repository');
  const parts = url.pathname.split('/').filter(Boolean).map(decoded);
  const last = parts.pop()?.replace(/\.git$/, '') ?? '';
  parts.push(last);
  const bad = parts.some((part) => part === '' || part === '.' || part === '..' || /[/\\\p{C}]/u.test(part));
  if (bad || parts.length < 2 || parts.length > 22) {
    throw refused(`${url.href} is not the address of a repository.`, 'Use https://host/owner/repository.');
  }
  return { url, parts };
}

export function apiBaseOf({ apiBase }: Pick<ForgeSettings, 'apiBase'>, defaultBase: string): URL {
  return parseAddress(apiBase ?? defaultBase, 'API');
}

export function ownerAndName({ url, parts }: Repository): { owner: string; name: string } {
  const [owner = '', name = '', ...more] = parts;
  if (more.length > 0) throw refused(`${url.href} is not of the form https://host/owner/repository.`);
  return { owner, name };
}

/** Removes the root of the API address from the path, such as `/git` of `https://host/git/api/v4`. */
export function withoutRoot({ url, parts }: Repository, base: URL, suffix: RegExp): string[] {
  const root = base.pathname.replace(/\/$/, '').replace(suffix, '').split('/').filter(Boolean).map(decoded);
  const isBelow = base.origin === url.origin && root.every((part, index) => parts[index] === part);
  return isBelow ? parts.slice(root.length) : parts;
}

export function encodedPath(...parts: string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function parseAddress(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refused(`The address of the ${what} is not an https:// address.`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refused(`The address of the ${what} must not contain a user name, password, query or fragment.`);
  }
  return url;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refused('The address contains invalid percent-encoding.', 'Write a percent sign as %25.');
  }
}

function refused(message: string, hint?: string): ForgeError {
  return new ForgeError('rejected', message, { hint });
}
