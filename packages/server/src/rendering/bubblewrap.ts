/**
 * What we know of bubblewrap, for everything that is shut in: rendering processes and the programs of agents. It makes the
 * arguments; what is shown inside, and who starts it, is decided elsewhere.
 */
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
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
    ['--die-with-parent', '--new-session', '--clearenv', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
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

/** A sentence on why it could not build its walls, for everybody; what it said itself may name files. */
export function explainBubblewrap(complaint: string): string {
  if (/unknown option/i.test(complaint)) return 'bubblewrap (bwrap) is older than 0.8';
  if (/namespace|not permitted|permission denied|uid map|mount/i.test(complaint))
    return 'bubblewrap (bwrap) is not allowed to make namespaces here';
  return 'bubblewrap (bwrap) does not work here';
}
