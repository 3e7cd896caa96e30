/** A small in-memory file system that tests can fill. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** False where no file system can be mounted. */
export function mountSmallDisk(folder: string, megabytes: number): boolean {
  const args = ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'docyard-test', folder];
  if (process.platform !== 'linux' || spawnSync('mount', args).status !== 0) return false;
  // A mounted folder cannot be removed.
  const unmount = () => unmountSmallDisk(folder);
  process.prependOnceListener('exit', unmount);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, unmount);
  return true;
}

export function unmountSmallDisk(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

/** Fills the disk. The returned function frees it. */
export function fillDisk(folder: string): () => void {
  const name = join(folder, 'filler');
  const file = openSync(name, 'w');
  for (let blockBytes = 1 << 20; blockBytes >= 1;) {
    try {
      writeSync(file, Buffer.alloc(blockBytes));
    } catch {
      blockBytes >>= 1;
    }
  }
  closeSync(file);
  return () => rmSync(name, { force: true });
}
