/** Prints the imports between the folders of each package, and fails on an upward import or a cycle. `npm run check` runs it. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** From top to bottom. A folder imports only from folders below it. */
export const rendererLayers: readonly (readonly string[])[] = [
  ['preview'],
  ['pipeline'],
  ['cache'],
  ['check'],
  ['outputs'],
  ['theme'],
  ['site'],
  ['search'],
  ['api-pages'],
  ['asyncapi'],
  ['openapi'],
  ['page'],
  ['islands'],
  ['realm'],
  ['program'],
  ['components'],
  ['document'],
  ['diagrams', 'math'],
  ['evaluate'],
  ['assets'],
  ['navigation'],
  ['source'],
  ['config'],
  ['highlight'],
  ['icons'],
  ['facts'],
  ['css', 'words'],
  ['model', 'text'],
];

/** Packages whose folders have an order. */
export const layersByPackage: Readonly<Record<string, readonly (readonly string[])[]>> = {
  dashboard: [['frame'], ['screens'], ['session'], ['parts'], ['api'], ['edits']],
  render: rendererLayers,
  site: [
    ['command'],
    ['reporting'],
    ['refresh'],
    ['releases'],
    ['sources'],
    ['settings'],
    ['mcp'],
    ['answers'],
    ['search'],
    ['analytics', 'access'],
    ['serving'],
    ['disk', 'network'],
  ],
};

export interface Import {
  from: string;
  to: string;
}

/** Files directly in `src` are entry points and are left out. */
export function folderImports(packageName: string): Import[] {
  const source = join('packages', packageName, 'src');
  return sourceFiles(source)
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith(`${source}/`) || to.startsWith(`packages/${packageName}/`))
    .map(({ from, to }) => ({ from: relative(source, from), to: relative(source, to) }))
    .filter(({ from, to }) => from.includes('/') && to.includes('/') && folderOf(from) !== folderOf(to));
}

/** Without tests and files of the exported site. Paths are relative to the repository. */
export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(tsx?|js)$/.test(file) && !/\.test\.ts$|(^|\/)files\//.test(file))
    .map((file) => join(folder, file));
}

/** Relative imports become paths in the repository; others stay unchanged. */
export function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [
    ...text.matchAll(/^\s*(?:import|export)\s[^;]*?from\s+'([^']+)'/gm),
    ...text.matchAll(/^import\s+'([^']+)'/gm),
    ...text.matchAll(/\bimport\('([^']+)'\)/g),
  ].map(([, specifier]) => specifier ?? '');
  return specifiers.map((to) => ({ from: file, to: to.startsWith('.') ? join(dirname(file), to) : to }));
}

export function folderOf(file: string): string {
  return file.split('/', 1)[0] ?? '';
}

export function upwardImports(imports: readonly Import[], layers: readonly (readonly string[])[]): Import[] {
  const layerOf = (file: string): number => layers.findIndex((layer) => layer.includes(folderOf(file)));
  return imports.filter(({ from, to }) => layerOf(to) <= layerOf(from));
}

/** Each list is a strongly connected component. */
export function circles(imports: readonly Import[]): string[][] {
  const below = new Map<string, Set<string>>();
  for (const { from, to } of imports)
    below.set(folderOf(from), (below.get(folderOf(from)) ?? new Set()).add(folderOf(to)));
  const reached = new Map([...below.keys()].map((folder) => [folder, reachedFrom(folder, below)]));
  const found = new Map<string, string[]>();
  for (const [folder, all] of reached) {
    const circle = [...all].filter((other) => reached.get(other)?.has(folder)).toSorted();
    if (all.has(folder)) found.set(circle.join(' '), circle);
  }
  return [...found.values()];
}

function reachedFrom(start: string, below: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const next of below.get(folder) ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return reached;
}

function main(): void {
  let isBroken = false;
  for (const name of readdirSync(join(root, 'packages')).toSorted()) {
    const imports = folderImports(name);
    const pairs = new Set(imports.map(({ from, to }) => `${folderOf(from)} ${folderOf(to)}`));
    const folders = new Set(imports.flatMap(({ from, to }) => [folderOf(from), folderOf(to)]));
    const layers = layersByPackage[name];
    const upward = layers === undefined ? [] : upwardImports(imports, layers);
    const found = circles(imports);
    console.log(`${name}: ${folders.size} folders, ${pairs.size} edges, ${found.length} circles`);
    for (const circle of found) console.log(`  circle: ${circle.join(', ')}`);
    for (const { from, to } of upward) console.log(`  upward: ${from} imports ${to}`);
    if (upward.length > 0 || found.length > 0) isBroken = true;
  }
  if (isBroken) process.exitCode = 1;
}

if (import.meta.main) main();
