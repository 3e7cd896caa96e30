/** Bytes of an open file from a place on, all of them or none: the system may give less at a time than it was asked for. */
import { readSync } from 'node:fs';

/** Fills `target`; false when the file ends before. */
export function readInto(target: Uint8Array, handle: number, position: number): boolean {
  for (let done = 0; done < target.length;) {
    const got = readSync(handle, target, done, target.length - done, position + done);
    if (got === 0) return false;
    done += got;
  }
  return true;
}
