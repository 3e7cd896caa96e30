import { readSync } from 'node:fs';

/** Fills `target`; false beyond the end of the file. A read may return fewer bytes than requested. */
export function readInto(target: Uint8Array, handle: number, position: number): boolean {
  for (let done = 0; done < target.length;) {
    const got = readSync(handle, target, done, target.length - done, position + done);
    if (got === 0) return false;
    done += got;
  }
  return true;
}
