/** Compares addresses of repositories. */

/** Forges report `https` and `ssh` addresses, with and without `.git`, or only project and name. */
export function isSameRepository(reported: string, configured: string): boolean {
  if (reported === configured) return true;
  const known = placeOf(configured);
  if (known === undefined) return false;
  const given = placeOf(reported);
  if (given !== undefined) return given === known;
  const path = withoutSuffix(reported);
  return path.includes('/') && known.endsWith(`/${path}`);
}

/** Host and path. Undefined for a local path. */
function placeOf(address: string): string | undefined {
  const [, sshHost, sshPath] = /^[\w.-]+@([\w.-]+):(?!\/\/)(.+)$/.exec(address) ?? [];
  if (sshHost !== undefined && sshPath !== undefined)
    return `${sshHost.toLowerCase()}/${withoutSuffix(sshPath)}`;
  const url = URL.parse(address);
  if (url === null || url.host === '') return undefined;
  // Bitbucket Data Center has `scm` only in http addresses.
  return `${url.hostname.toLowerCase()}/${withoutSuffix(url.pathname.replace(/^\/scm\//, '/'))}`;
}

function withoutSuffix(path: string): string {
  return path
    .toLowerCase()
    .split('/')
    .filter(Boolean)
    .join('/')
    .replace(/\.git$/, '');
}
