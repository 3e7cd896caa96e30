/**
 * What of this machine a rendering process needs in order to run: Node, the libraries it is linked with, and this program. It
 * is all that such a process sees besides the files of its order.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface OwnFiles {
  /** Programs that give up rights and set limits; undefined where they are not installed. */
  setpriv: string | undefined;
  prlimit: string | undefined;
  /** Shown where they lie. */
  paths: readonly string[];
}

/** Only where a Linux system has them, so that nobody else's program is run in their place. */
const programFolders = ['/usr/bin', '/bin'];
const libraryFolders = ['/lib', '/lib64', '/usr/lib', '/usr/lib64'];

export async function findOwnFiles(): Promise<OwnFiles> {
  const [setpriv, prlimit] = [findProgram('setpriv'), findProgram('prlimit')];
  const programs = [process.execPath, setpriv, prlimit].filter((path) => path !== undefined);
  const libraries = await librariesOf(programs);
  return { setpriv, prlimit, paths: [...programs, ...libraries, ...ownFolders()] };
}

function findProgram(name: string): string | undefined {
  return programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Where nobody can be asked, all libraries of the system are shown. */
async function librariesOf(programs: readonly string[]): Promise<string[]> {
  const found = (await toldByLoader(programs)) ?? (await toldByScript(programs));
  if (found.length > 0) return [...new Set([...found, ...besidesOf(found)])];
  return libraryFolders.filter((folder) => existsSync(folder));
}

/**
 * The loader of Debian names the libraries of a program instead of starting it when it is asked like this; any other would start it,
 * to tell its version. `ldd` asks the same way, after sixteen processes and 10 ms more.
 */
async function toldByLoader(programs: readonly string[]): Promise<string[] | undefined> {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const answers = programs.map(async (program) => librariesIn(await answerOf(program, ['--version'], env)));
  const libraries = await Promise.all(answers);
  return libraries.every(({ length }) => length > 0) ? libraries.flat() : undefined;
}

async function toldByScript(programs: readonly string[]): Promise<string[]> {
  return librariesIn(await answerOf('ldd', programs, { PATH: '/usr/bin:/bin' }));
}

/** Empty when there is none. */
async function answerOf(
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

/** What native code of packages is linked with by convention, where the C library lies. */
function besidesOf(libraries: readonly string[]): string[] {
  const folders = new Set(libraries.filter((path) => /^(libc|ld-)/.test(basename(path))).map(dirname));
  const names = ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6', 'libutil.so.1', 'libgcc_s.so.1'];
  return [...folders]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .filter((path) => existsSync(path));
}

/**
 * The packages with the programs that were built of them, and every folder in which Node looks for others. Nothing that an
 * operator might keep beside them.
 */
function ownFolders(): string[] {
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
