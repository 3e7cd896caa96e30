import { hash } from 'node:crypto';

/** The content of a file, in memory or where the build has stored it. */
export interface FileContent {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Whether keeping this object keeps the bytes in memory. */
  readonly isInMemory: boolean;
  read(): Uint8Array;
}

export function inMemory(bytes: Uint8Array): FileContent {
  let sha256: string | undefined;
  return {
    sizeBytes: bytes.length,
    isInMemory: true,
    get sha256() {
      return (sha256 ??= hash('sha256', bytes));
    },
    read: () => bytes,
  };
}
