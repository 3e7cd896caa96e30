/**
 * `npm run pack -- FOLDER` writes the tarballs of the packages. Node does not strip types below node_modules, so the packages
 * contain JavaScript with unchanged line numbers.
 */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePrograms } from './bundle-programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = ['api', 'bundle', 'dashboard', 'render', 'site', 'server'] as const;
type Package = (typeof packages)[number];
/** Libraries, which are published with types. */
const typed: readonly Package[] = ['api', 'bundle', 'render', 'site'];

/** The client supports every Node that has the features it uses, and shares the caller's zod. */
const ofClient = { dependencyRange: '^', engines: { node: '>=20.3' } };

const forTests = /\.test\.ts$/;

/** The dashboard is published as it was built. `docyard` contains the same files. */
const dashboard = join(root, 'packages/server/dist/dashboard');
const isPublished = (file: string): boolean => !file.endsWith('.built-from');

interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: unknown;
  scripts?: unknown;
}

interface Origin {
  homepage: string;
  bugs: object;
  repository: object;
}

export async function packAll(target: string, names: readonly Package[] = packages): Promise<string[]> {
  if (names.includes('server') || names.includes('dashboard'))
    execFileSync(process.execPath, [join(root, 'scripts/dashboard.mjs')], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'docyard-pack-'));
  mkdirSync(target, { recursive: true });
  try {
    for (const name of names) stage(name, join(folder, name));
    if (names.includes('server')) await addPrograms(folder);
    writeTypes(
      folder,
      typed.filter((name) => names.includes(name)),
    );
    return names.map((name) => {
      const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(target)];
      const output = execFileSync('npm', args, { cwd: join(folder, name), encoding: 'utf8', stdio: quietly });
      const [{ filename = '' } = {}] = JSON.parse(output) as { filename?: string }[];
      return join(target, filename);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const quietly = ['ignore', 'pipe', 'ignore'] as const satisfies string[];

function stage(name: Package, folder: string): void {
  const source = join(root, 'packages', name);
  if (name === 'dashboard') cpSync(dashboard, join(folder, 'dist'), { recursive: true, filter: isPublished });
  const write = (file: string, text: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const file of name === 'dashboard' ? [] : filesBelow(source)) {
    if (forTests.test(file)) continue;
    const bytes = readFileSync(join(source, file));
    // The dashboard is shipped as it was built.
    if (/\.(ts|js)$/.test(file) && !/\/files\/|^dist\//.test(file)) {
      write(file.replace(/\.ts$/, '.js'), toJavaScript(bytes.toString()));
    } else write(file, bytes);
  }
  write('package.json', publishedManifest(name, readFileSync(join(source, 'package.json'), 'utf8')));
  write('LICENSE', readFileSync(join(root, 'LICENSE')));
  // The notices cover code in rendered pages.
  if (name === 'dashboard' || name === 'render' || name === 'server')
    write('THIRD-PARTY-NOTICES.md', readFileSync(join(root, 'THIRD-PARTY-NOTICES.md')));
  write('README.md', readFileSync(join(name === 'server' ? root : source, 'README.md')));
  if (name !== 'server') return;
  cpSync(join(root, 'docs'), join(folder, 'docs'), { recursive: true });
}

/** Bundles the published files, so that the bundle refers to them. */
async function addPrograms(folder: string): Promise<void> {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // npm leaves these out of a package.
  for (const name of packages) {
    const ownModules = join(root, 'packages', name, 'node_modules');
    if (existsSync(ownModules) && existsSync(join(folder, name)))
      symlinkSync(ownModules, join(folder, name, 'node_modules'));
  }
  const { version } = JSON.parse(readFileSync(join(folder, 'server/package.json'), 'utf8')) as Manifest;
  const programs = join(folder, 'server/dist/programs');
  await bundlePrograms({ packages: folder, target: join(programs, version), builtFrom: version });
  writeFileSync(join(programs, 'current'), version);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => /^(src|bin|sample|starter|dist\/dashboard)\//.test(file))
    .toSorted();
}

function toJavaScript(text: string): string {
  return nameJavaScript(stripTypeScriptTypes(text, { mode: 'strip' }));
}

/** Rewrites names of our own files, in imports and where a program is started. */
function nameJavaScript(text: string): string {
  return text.replaceAll(/(\b(?:from|import|new URL) ?\(?'[^'\n]+)\.ts'/g, `$1.js'`);
}

function publishedManifest(name: Package, text: string): string {
  const { devDependencies: _unused, scripts: _build, exports, ...rest } = JSON.parse(text) as Manifest;
  const { homepage, bugs, repository } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Origin;
  const manifest = {
    ...rest,
    homepage,
    bugs,
    repository: { ...repository, directory: `packages/${name}` },
    publishConfig: { access: 'public', provenance: true },
    ...(name === 'api' && { dependencies: ranged(rest.dependencies), engines: ofClient.engines }),
    ...(name === 'dashboard' && builtFiles),
    ...(exports && { exports: publishedExports(exports) }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The built files contain their libraries. */
const builtFiles = {
  dependencies: undefined,
  exports: { './package.json': './package.json', './dist/*': './dist/*' },
};

/** Types come first, because resolvers take the first matching condition. */
function publishedExports(exports: Record<string, string>): Record<string, object> {
  const doors = Object.entries(exports).map(([door, file]) => {
    const path = file.replace(/\.ts$/, '');
    return [door, { types: `${path}.d.ts`, default: `${path}.js` }];
  });
  return Object.fromEntries(doors) as Record<string, object>;
}

function ranged(dependencies: Record<string, string> = {}): Record<string, string> {
  const later = Object.entries(dependencies).map(([name, version]) => [
    name,
    ofClient.dependencyRange + version,
  ]);
  return Object.fromEntries(later) as Record<string, string>;
}

/** Declarations stand beside each file, where the compiler finds them. */
function writeTypes(folder: string, names: readonly Package[]): void {
  if (names.length === 0) return;
  const config = join(folder, 'tsconfig.json');
  const entries = names.flatMap((name) => {
    const source = join(root, 'packages', name);
    const { exports = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
    return Object.entries(exports).map(([door, file]) => [
      `@docyard/${name}${door.slice(1)}`,
      join(source, file),
    ]);
  });
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'packages'),
    outDir: join(folder, 'types'),
    typeRoots: [join(root, 'node_modules/@types')],
    // The compiler omits the declarations of a file that it reaches through node_modules first.
    paths: Object.fromEntries(entries.map(([door, file]) => [door, [file]])) as Record<string, string[]>,
  };
  // Declarations of modules without types.
  const ambient = names.flatMap((name) => globSync(join(root, 'packages', name, 'src/**/*.d.ts')));
  const files = [...entries.map(([, file]) => file), ...ambient];
  writeFileSync(
    config,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }),
  );
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', config], { stdio: 'inherit' });
  for (const name of names) {
    const made = join(folder, 'types', name);
    for (const file of filesBelow(made)) {
      writeFileSync(join(folder, name, file), nameJavaScript(readFileSync(join(made, file), 'utf8')));
    }
  }
}

if (import.meta.main) {
  const [target] = process.argv.slice(2);
  if (target === undefined || target.startsWith('-')) {
    console.log('npm run pack -- FOLDER\n\nWrites the packages as they are published, one tarball each.');
    process.exit(target === '--help' ? 0 : 2);
  }
  for (const file of await packAll(target)) console.log(file);
}
