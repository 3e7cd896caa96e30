/** A data folder on a small file system in memory, which can be filled. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const diskMegabytes = 192;

/** False where no file system can be mounted. */
export function mountSmallDisk(folder: string): boolean {
  const args = ['-t', 'tmpfs', '-o', `size=${diskMegabytes}m,mode=0700`, 'docyard-chaos', folder];
  if (spawnSync('mount', args).status !== 0) return false;
  // The folder can be removed only once nothing is mounted there.
  const unmount = () => unmountSmallDisk(folder);
  process.prependOnceListener('exit', unmount);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, unmount);
  return true;
}

export function unmountSmallDisk(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

/** Takes the rest of the disk. The returned function frees it. */
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
