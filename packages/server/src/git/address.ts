/** Decides whether a repository address may be fetched, by its text and the IP addresses of its host. */
import { EgressError, type EgressPolicy, addressesFor } from '../egress/addresses.ts';
import { SourceError, type SourceRequest } from '../ports/sources.ts';

export type Address =
  | { kind: 'folder'; path: string }
  | { kind: 'local-git'; path: string }
  | { kind: 'remote'; url: URL };

export function parseAddress(
  request: Pick<SourceRequest, 'repository' | 'ref' | 'directory' | 'allowLocal'>,
): Address {
  checkRef(request.ref);
  checkDirectory(request.directory);
  const text = request.repository;
  if (/[\0-\u001f\u007f]/.test(text)) throw refused('The repository contains a control character.');
  const address = text.startsWith('/') ? parsePath(text, request.ref) : parseUrl(text);
  if (address.kind !== 'remote' && !request.allowLocal) {
    throw refused(
      'This organization cannot read folders of the server.',
      'Use an https:// address, or ask the operator to create the organization with --local-sources.',
    );
  }
  return address;
}

/** Without a ref the folder is read directly, with a ref it is a git repository. */
function parsePath(path: string, ref: string | null): Address {
  return ref === null ? { kind: 'folder', path } : { kind: 'local-git', path };
}

function parseUrl(text: string): Address {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refused(
      `${text} is neither a URL nor an absolute path.`,
      'Use https://host/owner/repository.git, or an absolute path.',
    );
  }
  if (url.protocol === 'file:') {
    if (url.host !== '') throw refused('A file:// address must not name a host.');
    return { kind: 'local-git', path: decodedPath(url) };
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused(
      `The scheme ${url.protocol}// is not supported.`,
      'Use the https:// address of the repository.',
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The address must not contain a user name or password.', 'Remove the part before the @.');
  }
  if (url.search !== '' || url.hash !== '')
    throw refused('The address must not contain a query or fragment.');
  return { kind: 'remote', url };
}

function decodedPath(url: URL): string {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    throw refused(`${url.href} contains invalid percent-encoding.`, 'Write a percent sign as %25.');
  }
}

/** Throws a SourceError for an invalid name; null is the default branch. */
export function checkRef(ref: string | null): void {
  if (ref === null) return;
  const bad =
    !/^[A-Za-z0-9][A-Za-z0-9._/+@-]*$/.test(ref) || /\.\.|\/\/|@\{|\.lock(\/|$)|\/\.|[./]$/.test(ref);
  if (bad) throw refused(`${ref} is not the name of a branch, tag or commit.`);
}

export function checkDirectory(directory: string | null): void {
  if (directory === null) return;
  const bad = directory
    .split('/')
    .some((part) => part === '' || part === '.' || part === '..' || part === '.git');
  if (bad || /[\0-\u001f\u007f\\]/.test(directory)) {
    throw refused(
      `${directory} is not a folder inside the repository.`,
      'Use a path such as docs or packages/docs.',
    );
  }
}

/** The IP addresses for git. If one of them is not allowed, all are rejected. */
export async function resolveHost(url: URL, policy: EgressPolicy): Promise<string[]> {
  try {
    return await addressesFor(url, policy);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const isRefused = error.problem === 'refused' || error.problem === 'offline';
    const code = isRefused ? 'source_refused' : 'source_unavailable';
    throw new SourceError(code, error.message, error.hint);
  }
}

function refused(message: string, hint?: string): SourceError {
  return new SourceError('source_refused', message, hint);
}
