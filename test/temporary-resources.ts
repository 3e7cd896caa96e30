/** Removes the processes and folders of a test process, however it ends. */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const children = new Set<ChildProcess>();
const folders: string[] = [];

/** Killed when the test process ends. */
export function endWithTest(child: ChildProcess): void {
  children.add(child);
  child.once('exit', () => children.delete(child));
}

/** Removed when the test process ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `docyard-${name}-`));
  folders.push(folder);
  return folder;
}

process.once('exit', cleanUp);
// The test runner ends its processes with a signal, which causes no exit event.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    cleanUp();
    process.kill(process.pid, signal);
  });
}

function cleanUp(): void {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
