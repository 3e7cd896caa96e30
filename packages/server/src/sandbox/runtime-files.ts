/** The files that a sandboxed process needs to run: Node, its libraries and this program. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface RuntimeFiles {
  /** Undefined where they are not installed. */
  setpriv: string | undefined;
  prlimit: string | undefined;
  /** Mounted at the same path. */
  paths: readonly string[];
}

/** Only system folders, so that no other program is run in their place. */
const programFolders = ['/usr/bin', '/bin'];
const libraryFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];

export async function findRuntimeFiles(): Promise<RuntimeFiles> {
  const [setpriv, prlimit] = [findProgram('setpriv'), findProgram('prlimit')];
  const programs = [process.execPath, setpriv, prlimit].filter((path) => path !== undefined);
  const libraries = await librariesOf(programs);
  return { setpriv, prlimit, paths: [...programs, ...libraries, ...packageFolders()] };
}

function findProgram(name: string): string | undefined {
  return programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Falls back to all libraries of the system. */
async function librariesOf(programs: readonly string[]): Promise<string[]> {
  const found = (await listByLoader(programs)) ?? (await listByLdd(programs));
  if (found.length > 0) return [...new Set([...found, ...conventionalLibraries(found)])];
  return libraryFolders.filter((folder) => existsSync(folder));
}

/**
 * With this variable the dynamic loader lists libraries instead of starting the program. A loader without
 * support starts it, which `--version` makes harmless.
 */
async function listByLoader(programs: readonly string[]): Promise<string[] | undefined> {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const answers = programs.map(async (program) => librariesIn(await outputOf(program, ['--version'], env)));
  const libraries = await Promise.all(answers);
  return libraries.every(({ length }) => length > 0) ? libraries.flat() : undefined;
}

async function listByLdd(programs: readonly string[]): Promise<string[]> {
  return librariesIn(await outputOf('ldd', programs, { PATH: '/usr/bin:/bin' }));
}

/** Empty on failure. */
async function outputOf(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { timeout: 5000, env })).stdout;
  } catch {
    return '';
  }
}

function librariesIn(answer: string): string[] {
  return [...answer.matchAll(/(?:=> |^[ \t]+)(\/\S+) \(0x/gm)].flatMap(([, path]) => path ?? []);
}

/** Libraries that native packages link by convention, from the folder of the C library. */
function conventionalLibraries(libraries: readonly string[]): string[] {
  const folders = new Set(libraries.filter((path) => /^(libc|ld-)/.test(basename(path))).map(dirname));
  const names = ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6', 'libutil.so.1', 'libgcc_s.so.1'];
  return [...folders]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

/** Packages and every folder in which Node resolves modules, but nothing else beside them. */
function packageFolders(): string[] {
  const server = packageOf(fileURLToPath(import.meta.url));
  const { resolve } = createRequire(import.meta.url);
  const others = ['@docyard/api', '@docyard/bundle', '@docyard/render', '@docyard/site'].map((name) =>
    packageOf(resolve(name)),
  );
  const modules: string[] = [];
  for (let folder = server; folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) !== 'node_modules') modules.push(join(folder, 'node_modules'));
  }
  const own = ['package.json', 'src', 'dist/programs'].map((name) => join(server, name));
  const shown = [...own, ...others, ...modules];
  return shown.filter((path) => existsSync(path));
}

function packageOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
