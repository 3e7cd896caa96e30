/** A copy of the last commit, from which a release is built: files that are not committed do not get into it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WorkingCopy {
  folder: string;
  /** The time of the commit in seconds, which replaces the time of the build in every file. */
  epoch: number;
  remove(): void;
}

export function git(root: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64e6 }).trim();
}

export function copyCommit(root: string): WorkingCopy {
  const temporary = mkdtempSync(join(tmpdir(), 'docyard-commit-'));
  const folder = join(temporary, 'docyard');
  mkdirSync(folder);
  const archive = join(temporary, 'commit.tar');
  git(root, 'archive', '--format=tar', `--output=${archive}`, 'HEAD');
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  linkModules(root, folder);
  return {
    folder,
    epoch: Number(git(root, 'log', '-1', '--format=%ct')),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
}

export function applyEdits(folder: string, edits: ReadonlyMap<string, string>): void {
  for (const [file, text] of edits) writeFileSync(join(folder, file), text);
}

/** Libraries are those of the repository, the workspaces those of the copy. */
function linkModules(root: string, folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@docyard'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!['.cache', '@docyard', 'docyard'].includes(name))
      symlinkSync(join(root, 'node_modules', name), join(modules, name));
  symlinkSync(join(folder, 'packages/server'), join(modules, 'docyard'));
  for (const name of readdirSync(join(folder, 'packages'))) {
    if (name !== 'server') symlinkSync(join(folder, 'packages', name), join(modules, '@docyard', name));
    const ownModules = join(root, 'packages', name, 'node_modules');
    if (existsSync(ownModules)) symlinkSync(ownModules, join(folder, 'packages', name, 'node_modules'));
  }
}
