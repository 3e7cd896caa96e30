/** The folders of the sites that pairs are about: real sites if there are any, and the sample site. */
import { fileURLToPath } from 'node:url';
import { findSites, siteFolders } from '../../scripts/measure/find-sites.ts';

export const sampleFolder = fileURLToPath(new URL('../../packages/server/sample', import.meta.url));

/** Archives are unpacked into `scratch`. */
export function foldersBySite(given: readonly string[], scratch: string): Map<string, string> {
  const real = findSites(siteFolders(given), scratch).map(({ name, root }): [string, string] => [name, root]);
  return new Map([['sample', sampleFolder], ...real]);
}
