/** The day on which each file of a commit was last changed, from `git log`. */

export interface LoggedFolder {
  commit: string;
  /** Relative to the root of the repository; null is the whole repository. */
  directory: string | null;
}

export function lastChangesCommand({ commit, directory }: LoggedFolder): string[] {
  const place =
    directory === null ? [] : [`--relative=${directory.endsWith('/') ? directory : `${directory}/`}`];
  return [
    'log',
    '--no-color',
    '--no-show-signature',
    '--format=%x01%H %ct',
    '--name-only',
    '--no-renames',
    '-z',
    ...place,
    commit,
    '--',
    ...(directory === null ? [] : [directory]),
  ];
}

/**
 * Parses the output of the command. In a shallow repository the oldest commits seem to add every file, so they say nothing about the
 * date.
 */
export function parseLastChanges(output: string, shallowCommits: ReadonlySet<string>): Map<string, string> {
  const days = new Map<string, string>();
  for (const entry of output.split('\u0001').slice(1)) {
    const [head = '', ...files] = entry.split('\0');
    const [commit = '', seconds = ''] = head.split(' ');
    const day = dayOf(Number(seconds));
    for (const written of files) {
      const file = written.replace(/^\n/, '');
      if (file === '' || days.has(file)) continue;
      days.set(file, shallowCommits.has(commit) ? '' : day);
    }
  }
  for (const [file, day] of days) if (day === '') days.delete(file);
  return days;
}

/** Of the file `shallow` of a git folder. */
export function parseShallowCommits(text: string): Set<string> {
  return new Set(text.split('\n').filter(Boolean));
}

/** Empty for a time outside of the calendar, which a commit may claim. */
function dayOf(seconds: number): string {
  const isInCalendar = Number.isInteger(seconds) && seconds >= 0 && seconds < Date.UTC(9999, 0) / 1000;
  return isInCalendar ? new Date(seconds * 1000).toISOString().slice(0, 10) : '';
}
