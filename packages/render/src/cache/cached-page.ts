/** The format of the values that describe a page in the cache. Its files are values of their own. */
import { deserialize, serialize } from 'node:v8';
import type { PageDependencies, PageSummary } from '../model/finished-page.ts';
import type { FileContent } from '../model/file-content.ts';

export interface CachedDependencies extends Omit<PageDependencies, 'files'> {
  files: readonly [file: string, hash: string][];
  ids: readonly string[];
  html: CachedFile;
  markdown: CachedFile;
}

export type CachedFile = Pick<FileContent, 'sizeBytes' | 'sha256'>;

export function packDependencies(dependencies: CachedDependencies): Uint8Array {
  return serialize(dependencies);
}

/** Undefined for another format. */
export function unpackDependencies(packed: Uint8Array): CachedDependencies | undefined {
  return attempt(() => deserialize(packed) as CachedDependencies);
}

const lengthBytes = 4;

export function packSummary({ search, ...summary }: PageSummary): Uint8Array[] {
  const head = serialize({ summary, hasSearch: search !== undefined });
  const length = Buffer.allocUnsafe(lengthBytes);
  length.writeUInt32LE(head.length);
  return [length, head, ...(search ? [search] : [])];
}

/** Undefined for another format. */
export function unpackSummary(packed: Uint8Array): PageSummary | undefined {
  return attempt(() => {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
    const searchStart = lengthBytes + bytes.readUInt32LE();
    const { summary, hasSearch } = deserialize(bytes.subarray(lengthBytes, searchStart)) as {
      summary: Omit<PageSummary, 'search'>;
      hasSearch: boolean;
    };
    return { ...summary, search: hasSearch ? bytes.subarray(searchStart) : undefined };
  });
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
