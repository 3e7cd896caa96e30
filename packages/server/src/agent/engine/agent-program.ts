/**
 * Turns `AGENT_COMMAND` into a program for the sandbox: what it can read besides the system, where its interpreter
 * is, and its environment.
 */
import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { systemFolders } from '../../config-agent.ts';
import { contains } from '../../folder-contains.ts';
import { modelOriginInside, searchPathInside, type SandboxedProgram } from './sandbox.ts';

export interface AgentSettings {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  readPaths: readonly string[];
  /** No folder that contains it is mounted. */
  dataDir: string;
}

/** The message is for operators. */
export class AgentProgramError extends Error {
  override name = 'AgentProgramError';
}

interface Host {
  searchPath: string;
  home: string;
  node: string;
}

const thisHost = (): Host => ({
  searchPath: process.env['PATH'] ?? '',
  home: homedir(),
  node: process.execPath,
});

/** `model` is the name of the project's model; null if there is none. */
export function agentProgram(
  { command: [command = '', ...args], environment, readPaths, dataDir }: AgentSettings,
  model: string | null,
  host = thisHost(),
): SandboxedProgram {
  for (const path of [command, ...readPaths]) {
    if (existsSync(path)) continue;
    const setting = path === command ? 'AGENT_COMMAND' : 'AGENT_READ_PATHS';
    throw new AgentProgramError(
      `${setting} names ${path}, which does not exist. Install it, or correct the path.`,
    );
  }
  const broad = [host.home, dataDir];
  const interpreters = interpretersOf(command, host);
  const files = [command, ...interpreters, ...args.filter((part) => isAbsolute(part) && existsSync(part))];
  const mounts = [...files.flatMap((path) => rootsOf(path, broad)), ...readPaths];
  const folders = interpreters.map(dirname).filter((folder) => !isOfSystem(folder));
  const searchPath = [...new Set([...folders, ...searchPathInside.split(delimiter)])].join(delimiter);
  return {
    command,
    args,
    readOnlyPaths: withoutNested(mounts.filter((path) => !isOfSystem(path))),
    environment: { PATH: searchPath, ...withModel(environment, model) },
  };
}

/** A variable that needs a model is left out without one. */
function withModel(environment: AgentSettings['environment'], model: string | null): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]): [string, string][] => {
    const text = value.replaceAll('{modelUrl}', modelOriginInside).replaceAll('{model}', () => model ?? '');
    return model === null && text !== value ? [] : [[name, text]];
  });
  return Object.fromEntries(entries);
}

/** The folders of a path as it is written and as it resolves: a command is often a link to its package. */
function rootsOf(path: string, broad: readonly string[]): string[] {
  return [...new Set([path, realpathSync(path)])].flatMap((each) => {
    const folder = statSync(each).isDirectory() ? each : dirname(each);
    const root = enclosingRoot(folder, broad) ?? folder;
    // A file in the home folder must not expose that folder.
    const own = isBroad(root, broad) ? each : root;
    return [own, ...modulesAbove(own)];
  });
}

/** Files that mark the folder of a program: packages of npm and virtual environments of Python. */
const markers = ['package.json', 'pyvenv.cfg'];

function enclosingRoot(folder: string, broad: readonly string[]): string | undefined {
  const parts = folder.split(sep);
  const modules = parts.indexOf('node_modules');
  if (modules !== -1) return parts.slice(0, modules + 1).join(sep);
  return ancestorsOf(folder).find(
    (each) => !isBroad(each, broad) && markers.some((marker) => existsSync(join(each, marker))),
  );
}

/** Node also looks for packages in the folders above a file. */
function modulesAbove(folder: string): string[] {
  return ancestorsOf(dirname(folder))
    .map((each) => join(each, 'node_modules'))
    .filter((modules) => existsSync(modules));
}

function isBroad(folder: string, broad: readonly string[]): boolean {
  return folder === sep || broad.some((each) => contains(folder, each));
}

function ancestorsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestorsOf(parent)];
}

/** The sandbox shows these folders anyway. */
function isOfSystem(path: string): boolean {
  return ['/usr', ...systemFolders].some((folder) => contains(folder, path));
}

function withoutNested(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => other !== path && contains(other, path)));
}

/** The program that the first line of a script names, at the place where the host finds it. */
function interpretersOf(command: string, host: Host): string[] {
  const [path = '', ...words] = shebangOf(realpathSync(command));
  if (path === '') return [];
  if (basename(path) !== 'env') return existsSync(path) ? [path] : [];
  const name = words.find((word) => !word.startsWith('-') && !word.includes('=')) ?? '';
  const found = placesOf(command, host)
    .map((folder) => join(folder, name))
    .find((place) => name !== '' && existsSync(place));
  return found !== undefined ? [found] : name === 'node' ? [host.node] : [];
}

/** Installations of nvm and npm have their Node beside the command or two folders above `node_modules`. */
function placesOf(command: string, { searchPath }: Host): string[] {
  const [prefix = '', ...rest] = realpathSync(command).split(`${sep}lib${sep}node_modules${sep}`);
  return [
    dirname(command),
    ...(rest.length === 0 ? [] : [join(prefix, 'bin')]),
    ...searchPath.split(delimiter).filter((folder) => isAbsolute(folder)),
  ];
}

const maxShebangBytes = 256;

function shebangOf(file: string): string[] {
  if (!statSync(file).isFile()) return [];
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(maxShebangBytes);
    const [line = ''] = bytes.toString('utf8', 0, readSync(descriptor, bytes)).split('\n');
    if (!line.startsWith('#!')) return [];
    return line
      .slice(2)
      .split(/\s/)
      .filter((word) => word !== '');
  } finally {
    closeSync(descriptor);
  }
}
