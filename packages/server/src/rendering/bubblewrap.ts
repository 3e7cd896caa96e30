/**
 * What we know of bubblewrap, for everything that is shut in: rendering processes and the programs of agents. It makes the
 * arguments; what is shown inside, and who starts it, is decided elsewhere.
 */
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, relative } from 'node:path';

export const bubblewrap = 'bwrap';

export interface Walls {
  /** With a namespace of users nobody needs to be root; without one, root gives up what it is inside. */
  users: 'own' | 'of this machine';
  /** A filter refuses further namespaces. Without one bubblewrap must, which it cannot where `/proc/sys` is read-only. */
  isFiltered: boolean;
  /** Set inside; nothing else is. */
  environment: Readonly<Record<string, string>>;
}

/** No network, no other process, no environment; what is started ends with whoever started it. */
export function wallsOf({ users, isFiltered, environment }: Walls): string[] {
  return [
    ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    users === 'own' ? ['--unshare-user', ...(isFiltered ? [] : ['--disable-userns'])] : [],
    ['--die-with-parent', '--new-session', '--clearenv', '--cap-drop', 'ALL'],
    ...Object.entries(environment).map(([name, value]) => ['--setenv', name, value]),
  ].flat();
}

export interface Shown {
  /** Where it lies on this machine. */
  source: string;
  /** Where it is found inside. */
  place: string;
}

/** Folders above others first, so that none covers what was put into it. Of what is shown, `hidden` folders are empty. */
export function show(shown: readonly Shown[], hidden: readonly string[] = []): string[] {
  const sorted = shown.toSorted((a, b) => depthOf(a.place) - depthOf(b.place));
  const covered = hidden.filter((folder) => shown.some(({ place }) => contains(place, folder)));
  return [
    ...foldersAbove(sorted.map(({ place }) => place)).flatMap((folder) => ['--dir', folder]),
    ...sorted.flatMap(({ source, place }) => ['--ro-bind', source, place]),
    ...covered.flatMap((folder) => ['--tmpfs', folder, '--remount-ro', folder]),
  ];
}

export function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith('../'));
}

/** Made by name: the ones that bubblewrap makes by itself can be entered by root alone. */
function foldersAbove(places: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const place of places) {
    for (let folder = dirname(place); folder !== '/'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].toSorted((a, b) => depthOf(a) - depthOf(b));
}

function depthOf(path: string): number {
  return path.split('/').length;
}

/** Folders such as `/lib`: on most systems these are links into `/usr` by now. */
export function showAsItIs(path: string): string[] {
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return ['--ro-bind', path, path];
}

const maxReasonCharacters = 200;

/** Why it could not build its walls, in its own words. Everybody may read it, so files of this machine are not named. */
export function explainBubblewrap(complaint: string): string {
  const [, reason = ''] = /bwrap: (.+)/.exec(complaint) ?? [];
  if (reason === '') return 'bubblewrap (bwrap) failed and gave no reason';
  const shown = reason.replaceAll(/\/[^\s:,'"]+/g, withoutOwnFiles).slice(0, maxReasonCharacters);
  const isOld = /unknown option/i.test(reason);
  return `bubblewrap (bwrap) ${isOld ? 'is older than 0.8' : 'failed'}: ${shown.replace(/\.$/, '')}`;
}

const foldersOfEverySystem = new Set([
  'newroot',
  'oldroot',
  'proc',
  'sys',
  'dev',
  'usr',
  'etc',
  'lib',
  'bin',
]);

function withoutOwnFiles(path: string): string {
  return foldersOfEverySystem.has(path.split('/')[1] ?? '') ? path : '(a path)';
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
