/** The packages of the lockfile that Docyard redistributes: in an installation on any platform, or inside the dashboard. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface LockedPackage {
  name: string;
  version: string;
  license: string | undefined;
  /** `sha512-` and the hash in base64. */
  integrity: string | undefined;
  os: readonly string[];
  cpu: readonly string[];
  libc: readonly string[];
  /** The paths in the lockfile of the packages that it needs. */
  needs: readonly string[];
}

type Names = Record<string, string>;

interface LockEntry {
  name?: string;
  version?: string;
  license?: string;
  integrity?: string;
  link?: boolean;
  resolved?: string;
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
  dependencies?: Names;
  devDependencies?: Names;
  optionalDependencies?: Names;
  peerDependencies?: Names;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** Not part of the built dashboard. Its other development dependencies are. */
const buildTool = /^(?:vite|@vitejs\/.*|@types\/.*)$/;

const lockfile = fileURLToPath(new URL('../package-lock.json', import.meta.url));

/** By path in the lockfile. The workspaces are included, without an integrity. */
export function productionPackages(file: string = lockfile): Map<string, LockedPackage> {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, LockEntry> };
  const root = packages[''] ?? {};
  const workspaces = Object.keys(packages).filter((path) => /^packages\/[^/]+$/.test(path));
  const found = new Map<string, LockedPackage>();
  const waiting = [...workspaces, ...neededBy('', { optionalDependencies: root.optionalDependencies ?? {} })];
  for (const path of waiting) {
    const entry = packages[path];
    if (entry === undefined || found.has(path)) continue;
    const needs = neededBy(path, entry);
    found.set(path, described(path, entry, needs));
    waiting.push(...needs);
  }
  return found;

  function neededBy(path: string, entry: LockEntry): string[] {
    const peers = Object.keys(entry.peerDependencies ?? {}).filter(
      (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
    );
    const bundled = path === 'packages/dashboard' ? Object.keys(entry.devDependencies ?? {}) : [];
    return [
      ...Object.keys(entry.dependencies ?? {}),
      ...Object.keys(entry.optionalDependencies ?? {}),
      ...peers,
      ...bundled.filter((name) => !buildTool.test(name)),
    ].flatMap((name) => placeOf(name, path) ?? []);
  }

  /** As Node resolves a name: the nearest `node_modules` wins. */
  function placeOf(name: string, from: string): string | undefined {
    for (let folder = from; ; folder = parentOf(folder)) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
      const entry = packages[path];
      if (entry !== undefined) return entry.link === true ? entry.resolved : path;
      if (folder === '') return undefined;
    }
  }
}

function described(path: string, entry: LockEntry, needs: readonly string[]): LockedPackage {
  return {
    name: entry.name ?? path.replace(/^.*node_modules\//, ''),
    version: entry.version ?? '',
    license: entry.license,
    integrity: entry.integrity,
    os: [entry.os ?? []].flat(),
    cpu: [entry.cpu ?? []].flat(),
    libc: [entry.libc ?? []].flat(),
    needs,
  };
}

function parentOf(path: string): string {
  const at = path.lastIndexOf('/node_modules/');
  return at < 0 ? '' : path.slice(0, at);
}
