/** Arguments and messages of bubblewrap, for rendering processes and the programs of agents. */
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { contains } from '../folder-contains.ts';

export const bubblewrap = 'bwrap';

export interface NamespaceOptions {
  /** With a user namespace no root is needed; without one, root drops its privileges inside. */
  users: 'namespace' | 'host';
  /**
   * A seccomp filter refuses further namespaces. Without one bubblewrap must, which fails where `/proc/sys`
   * is read-only.
   */
  isFiltered: boolean;
  /** The complete environment inside. */
  environment: Readonly<Record<string, string>>;
}

/** No network, no other processes, no inherited environment; the sandbox ends with its parent. */
export function namespaceArguments({ users, isFiltered, environment }: NamespaceOptions): string[] {
  return [
    ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    users === 'namespace' ? ['--unshare-user', ...(isFiltered ? [] : ['--disable-userns'])] : [],
    ['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...Object.entries(environment).map(([name, value]) => ['--setenv', name, value]),
  ].flat();
}

export interface Mount {
  source: string;
  target: string;
}

/** Parents first, so that no mount covers a nested one. `hidden` folders appear empty. */
export function mountArguments(mounts: readonly Mount[], hidden: readonly string[] = []): string[] {
  const sorted = mounts.toSorted((a, b) => depthOf(a.target) - depthOf(b.target));
  const covered = hidden.filter((folder) => mounts.some(({ target }) => contains(target, folder)));
  return [
    ...foldersAbove(sorted.map(({ target }) => target)).flatMap((folder) => ['--dir', folder]),
    ...sorted.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ...covered.flatMap((folder) => ['--tmpfs', folder, '--remount-ro', folder]),
  ];
}

/** Created explicitly: only root can enter the folders that bubblewrap creates implicitly. */
function foldersAbove(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted((a, b) => depthOf(a) - depthOf(b));
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** Folders such as `/lib` are links into `/usr` on most systems. */
export function mountSystemFolder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return ['--ro-bind', path, path];
}

const maxReasonCharacters = 200;

/** The reason in bubblewrap's words. It is public, so paths of this machine are removed. */
export function explainBubblewrap(complaint: string): string {
  const [, reason = ''] = /bwrap: (.+)/.exec(complaint) ?? [];
  if (reason === '') return 'bubblewrap (bwrap) failed and gave no reason';
  const shown = reason.replaceAll(/\/[^\s:,'"]+/g, withoutLocalPath).slice(0, maxReasonCharacters);
  const isOld = /unknown option/i.test(reason);
  return `bubblewrap (bwrap) ${isOld ? 'is older than 0.8' : 'failed'}: ${shown.replace(/\.$/, '')}`;
}

const commonSystemFolders = new Set(['newroot', 'oldroot', 'proc', 'sys', 'dev', 'usr', 'etc', 'lib', 'bin']);

function withoutLocalPath(path: string): string {
  return commonSystemFolders.has(path.split('/')[1] ?? '') ? path : '(a path)';
}

const installCommands: Record<string, string> = {
  debian: 'sudo apt install bubblewrap',
  ubuntu: 'sudo apt install bubblewrap',
  fedora: 'sudo dnf install bubblewrap',
  rhel: 'sudo dnf install bubblewrap',
  alpine: 'sudo apk add bubblewrap',
  arch: 'sudo pacman -S bubblewrap',
  suse: 'sudo zypper install bubblewrap',
};

/** `release` is the text of /etc/os-release. */
export function missingBubblewrap(release = osRelease()): string {
  const ids = [...release.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  );
  const command = ids.map((id) => installCommands[id]).find((each) => each !== undefined);
  const advice = command === undefined ? 'install the package bubblewrap' : `install it with: ${command}`;
  return `bubblewrap (bwrap) is not installed; ${advice}`;
}

function osRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}
