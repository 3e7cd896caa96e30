/** Finds documentation sites in folders, as folders or as `*.tar.gz` archives. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface FoundSite {
  name: string;
  /** The folder that holds docs.json or mint.json. */
  root: string;
}

const configurations = ['docs.json', 'mint.json'];
const maxDepth = 5;

/** The given folders, or the one that `DOCYARD_SITES` names. Empty when there is neither. */
export function siteFolders(given: readonly string[]): string[] {
  const fallback = process.env['DOCYARD_SITES'];
  return given.length > 0 || !fallback ? [...given] : [fallback];
}

export const noSitesMessage =
  'No documentation sites to read: pass a folder, or set DOCYARD_SITES to one. It holds sites as folders or *.tar.gz archives.';

/** Unpacks archives into `scratch`. Throws when a folder holds no site. */
export function findSites(folders: readonly string[], scratch: string): FoundSite[] {
  return folders.flatMap((folder) => {
    const found = sitesIn(folder, scratch);
    if (found.length === 0) throw new Error(`${folder} holds no site: no docs.json, mint.json or *.tar.gz`);
    return found;
  });
}

function sitesIn(folder: string, scratch: string): FoundSite[] {
  const own = siteBelow(folder, 0);
  if (own !== undefined) return [{ name: basename(folder), root: own }];
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      const name = entry.name.replace(/\.tar\.gz$/, '');
      const unpacked = entry.isDirectory()
        ? path
        : name === entry.name
          ? undefined
          : unpack(path, join(scratch, name));
      const root = unpacked === undefined ? undefined : siteBelow(unpacked, maxDepth);
      return root === undefined ? [] : [{ name, root }];
    });
}

function unpack(archive: string, target: string): string {
  mkdirSync(target, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', target], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${archive} cannot be unpacked: ${stderr}`);
  return target;
}

/** Searches breadth-first for a folder with a configuration. */
function siteBelow(folder: string, depth: number): string | undefined {
  let level = [folder];
  for (let at = 0; at <= depth; at += 1) {
    const found = level.find((each) => configurations.some((name) => existsSync(join(each, name))));
    if (found !== undefined) return found;
    level = level.flatMap((each) =>
      readdirSync(each, { withFileTypes: true })
        .filter(
          (entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules',
        )
        .map((entry) => join(each, entry.name)),
    );
  }
  return undefined;
}
