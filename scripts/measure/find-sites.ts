/**
 * Finds documentation sites below folders: unpacked ones, and those in `*.tar.gz` archives, which are unpacked first.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface FoundSite {
  name: string;
  /** The folder that holds docs.json or mint.json. */
  root: string;
}

const configurations = ['docs.json', 'mint.json'];
const deepest = 5;

/** `scratch` is where archives are unpacked. Throws when a folder holds no site. */
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
      const root = unpacked === undefined ? undefined : siteBelow(unpacked, deepest);
      return root === undefined ? [] : [{ name, root }];
    });
}

function unpack(archive: string, target: string): string {
  mkdirSync(target, { recursive: true });
  const { status, stderr } = spawnSync('tar', ['-xzf', archive, '-C', target], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${archive} cannot be unpacked: ${stderr}`);
  return target;
}

/** The nearest folder with a configuration, level by level. */
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
