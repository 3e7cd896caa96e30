/** The interface of a generator that Docyard is compared with, and how it is installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Peer {
  /** For `--peers`. */
  id: string;
  name: string;
  /** Differences of its output that matter for a comparison. */
  about: string;
  isJavaScript: boolean;
  /** Installs the generator if needed, and returns the folder with its node_modules. */
  install?(): string;
  prepare(sources: string, folder: string): Build;
}

export interface Build {
  command: string[];
  cwd: string;
  /** The folder that the command writes. */
  output: string;
}

interface Installation {
  packages: readonly string[];
  /** Caches that a build leaves behind, relative to the installation. */
  kept?: readonly string[];
}

const cache = fileURLToPath(new URL('../../.cache/generators', import.meta.url));
/** Pins all versions, including those of dependencies. */
const publishedBefore = '2026-08-15';
const installTimeoutMs = 600_000;

/** The folder with the installed packages. Only the first run needs a network. */
export function installed(id: string, { packages, kept = [] }: Installation): string {
  const folder = join(cache, id);
  const wanted = `${JSON.stringify({ packages, publishedBefore })}\n`;
  const mark = join(folder, 'installed.json');
  for (const path of kept) rmSync(join(folder, path), { recursive: true, force: true });
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return folder;
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, { 'package.json': '{ "private": true, "type": "module" }\n' });
  npmInstall(folder, [`--before=${publishedBefore}`, ...packages]);
  const leftOut = nativesLeftOut(folder);
  if (leftOut.length > 0) npmInstall(folder, ['--no-save', ...leftOut]);
  writeFileSync(mark, wanted);
  return folder;
}

function npmInstall(folder: string, wanted: readonly string[]): void {
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--prefer-offline', ...wanted],
    { cwd: folder, timeout: installTimeoutMs, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${wanted.join(' ')} could not be installed: ${reasonOf(stderr)}`);
}

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/** npm skips optional native packages silently when they were published after the cutoff date. */
function nativesLeftOut(folder: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const wanted = Object.values(packages).flatMap((locked) =>
    Object.entries(locked.optionalDependencies ?? {}),
  );
  return wanted
    .filter(([name]) => name.includes(`linux-${process.arch}`) && !name.endsWith('-musl'))
    .filter(([name]) => !existsSync(join(folder, 'node_modules', name)))
    .map(([name, version]) => `${name}@${version}`);
}

/** A folder inside the installation, so that the pages find its packages. */
export function emptyFolder(path: string): string {
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true });
  return path;
}

export function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

/** The line of npm's output that states the cause. */
function reasonOf(stderr: string | null): string {
  const lines = (stderr ?? '')
    .split('\n')
    .flatMap((line) => /^npm error (?!code )(.+)/.exec(line)?.[1] ?? []);
  return lines[0]?.replace(/^notarget /, '') ?? 'npm does not say why, or took too long';
}
