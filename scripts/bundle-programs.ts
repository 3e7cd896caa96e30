/** Bundles the command and every process that it starts. Files that are read at run time, and worker threads, are not bundled. */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type Plugin } from 'rolldown';

interface Bundling {
  /** The folder with `api`, `render` and `server`, as sources or as published. */
  packages: string;
  target: string;
  builtFrom: string;
}

/** Packages that load their own files at run time cannot be bundled. */
const inlined =
  /^(zod|commander|css-tree|js-yaml|jsonc-parser|ignore|acorn|acorn-jsx|@scalar|kysely|hono|@hono\/node-server)(\/|$)/;

export async function bundlePrograms({ packages, target, builtFrom }: Bundling): Promise<void> {
  const extension = existsSync(join(packages, 'server/src/main.ts')) ? 'ts' : 'js';
  const main = join(packages, `server/src/main.${extension}`);
  const programs = [main, ...startedPrograms(packages)];
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map((file) => [nameOf(file, packages), file])),
    platform: 'node',
    // Some packages also publish an older format that resolves its parts only at run time.
    resolve: { mainFields: ['module', 'main'] },
    external: (id, _importer, isResolved) => !isResolved && !isInlined(id),
    plugins: [ownPackages(packages), places(packages), origin(builtFrom)],
    experimental: {
      // The debug information contains paths of this machine.
      attachDebugInfo: 'none',
      // Which chunks are merged depends on the order in which modules happen to load.
      chunkOptimization: { mergeCommonChunks: false, avoidRedundantChunkLoads: true },
    },
    logLevel: 'warn',
  });
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[hash].js',
  });
  refuseCircles(output.filter((file) => file.type === 'chunk'));
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  writeFileSync(join(target, 'LICENSES.txt'), licensesOf(modules));
}

/** A circle of files can use a constant before it is initialized, depending on which file is loaded first. */
function refuseCircles(chunks: readonly { fileName: string; imports: string[] }[]): void {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  const finished = new Set<string>();
  const visit = (file: string, above: readonly string[]): void => {
    if (above.includes(file))
      throw new Error(`Bundled files import each other in a circle: ${[...above, file].join(' → ')}.`);
    if (finished.has(file)) return;
    for (const imported of importsOf.get(file) ?? []) visit(imported, [...above, file]);
    finished.add(file);
  };
  for (const { fileName } of chunks) visit(fileName, []);
}

function isInlined(id: string): boolean {
  return inlined.test(id) || /^(\.|\/|@docyard\/|\0)/.test(id);
}

/** Matches a reference to another program, but not to a worker thread. */
const program = /(?<!new Worker\()new URL\('((?:\.\/)?[\w-]+\.[jt]s)', import\.meta\.url\)/g;

function startedPrograms(packages: string): string[] {
  return globSync('{render,server}/src/**/*.[jt]s', { cwd: packages, exclude: ['**/*.test.ts'] })
    .map((file) => join(packages, file))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(program)].map(([, name = '']) => join(dirname(file), name)),
    );
}

function nameOf(file: string, packages: string): string {
  const name = relative(packages, file).replace(/\.[jt]s$/, '');
  return name === 'server/src/main' ? 'main' : name.replace('/src/', '/').replaceAll('/', '-');
}

function ownPackages(packages: string): Plugin {
  return {
    name: 'own-packages',
    resolveId(id) {
      const [, name, door = ''] = /^@docyard\/(\w+)(\/.+)?$/.exec(id) ?? [];
      if (name === undefined) return null;
      const folder = join(packages, name);
      const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        exports?: Record<string, string | { default: string }>;
      };
      const found = exports[`.${door}`];
      if (found === undefined) throw new Error(`@docyard/${name} has no door ${door || '.'}.`);
      return join(folder, typeof found === 'string' ? found : found.default);
    },
  };
}

/**
 * Replaces `import.meta.url` of bundled modules, because they read files relative to their source. `render` is resolved as a
 * package, since it may be installed anywhere.
 */
function places(packages: string): Plugin {
  const [server, render] = [join(packages, 'server'), join(packages, 'render/src')];
  return {
    name: 'places',
    transform(code, id) {
      if (!id.startsWith(packages) || !code.includes('import.meta.')) return null;
      const from = (place: string, base: string): string => `new URL(${JSON.stringify(place)}, ${base})`;
      const own = id.startsWith(render)
        ? from(`./${relative(render, id)}`, `import.meta.resolve('@docyard/render')`)
        : from(`${toServer}/${relative(server, id)}`, 'import.meta.url');
      return code
        .replaceAll(program, (_, name: string) =>
          from(`./${nameOf(join(dirname(id), name), packages)}.js`, 'IMPORT_META_URL'),
        )
        .replaceAll('import.meta.url', `${own}.href`)
        .replaceAll('IMPORT_META_URL', 'import.meta.url');
    },
  };
}

/** From `dist/programs/NAME`. */
const toServer = '../../..';

/** Sets the value that `version` reports for these programs. */
function origin(builtFrom: string): Plugin {
  return {
    name: 'origin',
    transform: (code, id) =>
      /\/server\/src\/version\.[jt]s$/.test(id) ? code.replace('undefined;', `'${builtFrom}';`) : null,
  };
}

/** The bundle redistributes these packages, so it includes their licenses. */
export function licensesOf(modules: readonly string[]): string {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id)?.[0] ?? []),
  );
  return [...folders]
    .toSorted()
    .map((folder) => {
      const file = findLicense(folder);
      if (file === undefined) throw new Error(`${folder} has no license beside it.`);
      const text = readFileSync(file, 'utf8');
      return `${folder.replace(/^.*\/node_modules\//, '')}\n\n${text.trim()}\n`;
    })
    .join('\n---\n\n');
}

/** Some packages of a scope have no copy of their common license, which another one has. */
function findLicense(folder: string): string | undefined {
  const scope = dirname(folder);
  const others = basename(scope).startsWith('@') ? readdirSync(scope).map((name) => join(scope, name)) : [];
  for (const each of [folder, ...others]) {
    const file = readdirSync(each).find((name) => /^licen[cs]e([.-]\w+)?$/i.test(name));
    if (file !== undefined) return join(each, file);
  }
  return undefined;
}

if (import.meta.main) {
  const [target = '', builtFrom = ''] = process.argv.slice(2);
  const packages = fileURLToPath(new URL('../packages', import.meta.url));
  await bundlePrograms({ packages, target, builtFrom });
}
