/** Programs of earlier versions, unpacked from the history of this repository. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Commits by the last migration of their database. */
const commits = {
  'schema-0006': '2ce047138d2d7f65d87b12ff2c5226d326274707',
  'schema-0014': 'ad27d36c11fdd1089a81d2668c707d603a0ec89f',
} as const;

export type EarlierName = keyof typeof commits;
export const earlierNames = Object.keys(commits) as EarlierName[];

/** The version whose processes run beside those of today during an upgrade. */
export const previousName: EarlierName = 'schema-0014';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Why an earlier program cannot be run here, or undefined. */
export const historyMissing = earlierNames.every(
  (name) => run('git', ['cat-file', '-e', `${commits[name]}^{commit}`]).status === 0,
)
  ? undefined
  : 'the history of the repository lacks earlier versions';
if (historyMissing !== undefined) console.warn(`Skipped: ${historyMissing}.`);

/** Returns the path of its `docyard.js`. */
export function earlierProgram(name: EarlierName): string {
  const folder = join(root, '.cache/versions', commits[name]);
  if (!existsSync(folder)) unpack(name, folder);
  return join(folder, 'packages/server/bin/docyard.js');
}

function unpack(name: EarlierName, folder: string): void {
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const archive = `${unfinished}.tar`;
  succeed('git', [
    'archive',
    '--output',
    archive,
    commits[name],
    'package.json',
    'package-lock.json',
    'packages',
  ]);
  succeed('tar', ['-xf', archive, '-C', unfinished]);
  rmSync(archive);
  if (hasItsPackages(unfinished)) linkWorkspaces(unfinished);
  else succeed('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--prefer-offline'], unfinished);
  // Another test may have unpacked it meanwhile.
  if (existsSync(folder)) rmSync(unfinished, { recursive: true });
  else renameSync(unfinished, folder);
}

interface PackageJson {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
}

/** Whether the packages of this repository have the versions that the earlier program needs. Node finds them above its folder. */
function hasItsPackages(folder: string): boolean {
  const needed = workspacesOf(folder).flatMap(({ dependencies = {} }) => Object.entries(dependencies));
  return needed.every(([name, version]) => {
    if (name.startsWith('@docyard/')) return true;
    const file = join(root, 'node_modules', name, 'package.json');
    return existsSync(file) && readPackage(file).version === version;
  });
}

function linkWorkspaces(folder: string): void {
  const scope = join(folder, 'node_modules/@docyard');
  mkdirSync(scope, { recursive: true });
  for (const { name, path } of workspacesOf(folder)) {
    if (name.startsWith('@docyard/')) symlinkSync(path, join(folder, 'node_modules', name));
  }
}

function workspacesOf(folder: string): (PackageJson & { path: string })[] {
  return readdirSync(join(folder, 'packages')).flatMap((name) => {
    const file = join(folder, 'packages', name, 'package.json');
    return existsSync(file) ? [{ ...readPackage(file), path: join('../../packages', name) }] : [];
  });
}

function readPackage(file: string): PackageJson {
  return JSON.parse(readFileSync(file, 'utf8')) as PackageJson;
}

function run(command: string, args: readonly string[], cwd = root) {
  return spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

function succeed(command: string, args: readonly string[], cwd = root): void {
  const ended = run(command, args, cwd);
  if (ended.status !== 0) throw new Error(`${command} ${args[0]} failed: ${ended.stderr}`);
}
