/**
 * What the last archive held and in which of its blocks, so that the next one can take over files without having them. It
 * reads nothing but the memory that the last one has left.
 */
import { constants, inflateRawSync } from 'node:zlib';
import { openingOf, recallBlock, type Block, type BlockMemory } from './archive-blocks.ts';
import type { ArchivedFile } from './archive.ts';

interface KeptFile extends ArchivedFile {
  block: number;
}

const layoutKey = 'layout';

/** Of each block its key and what is in it; a large file stands in each of its blocks. */
type Layout = [key: string, files: [path: string, sizeBytes: number, sha256: string, title?: string][]][];

export class LastArchive {
  readonly files: ReadonlyMap<string, KeptFile>;
  readonly #memory: BlockMemory;
  readonly #layout: Layout;
  /** Neighbours are asked for one after the other. */
  #open: { block: number; content: Buffer } | undefined;

  private constructor(memory: BlockMemory, layout: Layout) {
    this.#memory = memory;
    this.#layout = layout;
    const files = new Map<string, KeptFile>();
    for (const [block, [, members]] of layout.entries()) {
      for (const [path, sizeBytes, sha256, title] of members) {
        if (files.has(path)) continue;
        files.set(path, { path, sizeBytes, sha256, block, ...(title === undefined ? {} : { title }) });
      }
    }
    this.files = files;
  }

  /** `token` names what the archive was made from. */
  static keep(memory: BlockMemory, token: string, blocks: readonly Block<ArchivedFile>[]): void {
    const layout: Layout = blocks.map(({ key, pieces }) => [
      key,
      pieces.map(({ entry: { path, sizeBytes, sha256, title } }) =>
        title === undefined ? [path, sizeBytes, sha256] : [path, sizeBytes, sha256, title],
      ),
    ]);
    memory.put(layoutKey, Buffer.from(JSON.stringify({ token, layout })));
  }

  /** Undefined when the last one was made from something else. */
  static recall(memory: BlockMemory, token: string | undefined): LastArchive | undefined {
    const kept = token === undefined ? undefined : memory.get(layoutKey);
    if (kept === undefined) return undefined;
    const last = JSON.parse(Buffer.from(kept).toString()) as { token: string; layout: Layout };
    return last.token === token ? new LastArchive(memory, last.layout) : undefined;
  }

  file(path: string): ArchivedFile | undefined {
    const found = this.files.get(path);
    return found && { path, sizeBytes: found.sizeBytes, sha256: found.sha256, title: found.title };
  }

  content(path: string): Uint8Array | undefined {
    const found = this.files.get(path);
    if (found === undefined) return undefined;
    const [, members = []] = this.#layout[found.block] ?? [];
    let start = 0;
    for (const [name, sizeBytes, sha256] of members) {
      start += openingOf({ entry: { path: name, sizeBytes, sha256 }, start: 0, end: sizeBytes }).length;
      if (name === path) break;
      start += Math.ceil(sizeBytes / 512) * 512;
    }
    const parts: Buffer[] = [];
    for (let block = found.block, left = start + found.sizeBytes; left > 0; block += 1) {
      const content = this.#contentOfBlock(block);
      if (content === undefined) return undefined;
      parts.push(content);
      left -= content.length;
    }
    return Buffer.concat(parts).subarray(start, start + found.sizeBytes);
  }

  #contentOfBlock(block: number): Buffer | undefined {
    if (this.#open?.block === block) return this.#open.content;
    const [key = ''] = this.#layout[block] ?? [];
    const compressed = recallBlock(this.#memory, key);
    if (compressed === undefined) return undefined;
    const content = inflateRawSync(compressed.bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    this.#open = { block, content };
    return content;
  }
}
