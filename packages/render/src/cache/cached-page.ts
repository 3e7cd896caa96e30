/** How finished pages lie in the cache. */
import { deserialize, serialize } from 'node:v8';
import type { FinishedPage, PageDependencies } from '../model/finished-page.ts';

export interface CachedDependencies extends Omit<PageDependencies, 'files'> {
  files: readonly [file: string, hash: string][];
  ids: readonly string[];
}

export type CachedPage = Pick<FinishedPage, 'html' | 'htmlHash' | 'markdown' | 'summary'>;

interface Head {
  htmlHash: string;
  summary: Omit<FinishedPage['summary'], 'search'>;
  htmlBytes: number;
  markdownBytes: number;
  hasSearch: boolean;
}

const lengthBytes = 4;

export function packDependencies(dependencies: CachedDependencies): Uint8Array {
  return serialize(dependencies);
}

/** Undefined for what this program cannot read. */
export function unpackDependencies(packed: Uint8Array): CachedDependencies | undefined {
  return attempt(() => deserialize(packed) as CachedDependencies);
}

/** The long texts follow as they are. */
export function packPage({ html, htmlHash, markdown, summary }: CachedPage): Uint8Array[] {
  const { search, ...rest } = summary;
  const head = serialize({
    summary: rest,
    htmlHash,
    htmlBytes: html.length,
    markdownBytes: markdown.length,
    hasSearch: search !== undefined,
  } satisfies Head);
  const length = Buffer.allocUnsafe(lengthBytes);
  length.writeUInt32LE(head.length);
  return [length, head, html, markdown, ...(search ? [search] : [])];
}

export function unpackPage(packed: Uint8Array): CachedPage | undefined {
  return attempt(() => {
    const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.length);
    const start = lengthBytes + bytes.readUInt32LE();
    const { summary, htmlHash, htmlBytes, markdownBytes, hasSearch } = deserialize(
      bytes.subarray(lengthBytes, start),
    ) as Head;
    const markdownStart = start + htmlBytes;
    const searchStart = markdownStart + markdownBytes;
    return {
      html: bytes.subarray(start, markdownStart),
      htmlHash,
      markdown: bytes.subarray(markdownStart, searchStart),
      summary: { ...summary, search: hasSearch ? bytes.subarray(searchStart) : undefined },
    };
  });
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
