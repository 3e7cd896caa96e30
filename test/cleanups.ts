/**
 * What the tests of a file leave to be ended after the last of them. Kept apart from who uses it: files of one project may
 * share a process and its modules, and a hook can only be set while its own file is read (`after-each-file.ts`).
 */
const cleanups: (() => Promise<void> | void)[] = [];

/** Runs after the last test of the file, newest first. */
export function cleanUp(work: () => Promise<void> | void): void {
  cleanups.push(work);
}

export async function runCleanups(): Promise<void> {
  for (const work of cleanups.splice(0).toReversed()) await work();
}
