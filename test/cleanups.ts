/**
 * Cleanups of a test file. A separate module, because files may share a process, and hooks can be registered only while a file
 * loads (`setup-file.ts`).
 */
const cleanups: (() => Promise<void> | void)[] = [];

/** Runs after the last test of the file, newest first. */
export function cleanUp(work: () => Promise<void> | void): void {
  cleanups.push(work);
}

export async function runCleanups(): Promise<void> {
  for (const work of cleanups.splice(0).toReversed()) await work();
}
