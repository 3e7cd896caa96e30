/** Bytes of an open file from a place on, all of them or none: the system may give less at a time than it was asked for. */
import { read, readSync } from 'node:fs';
import { promisify } from 'node:util';

/** Fills `target`; false when the file ends before. */
export function readInto(target: Uint8Array, handle: number, position: number): boolean {
  for (let done = 0; done < target.length;) {
    const got = readSync(handle, target, done, target.length - done, position + done);
    if (got === 0) return false;
    done += got;
  }
  return true;
}

/** The same by another thread. */
export async function readIntoAhead(target: Uint8Array, handle: number, position: number): Promise<boolean> {
  const { bytesRead } = await readAtOnce(handle, target, 0, target.length, position);
  // Only what is very large comes in several parts.
  return bytesRead === target.length || readInto(target.subarray(bytesRead), handle, position + bytesRead);
}

const readAtOnce = promisify(read);
