/**
 * What the last archive held and in which of its blocks, so that the next one can take over files without having them. It
 * reads nothing but the memory that the last one has left.
 */
import { promisify } from 'node:util';
import { constants, inflateRaw, inflateRawSync } from 'node:zlib';
import { recallBlock, type Block, type BlockEntry, type BlockMemory } from './archive-blocks.ts';
import type { ArchivedFile } from './archive.ts';
import type { LargePiece } from './content-defined-chunks.ts';
import { entryHeaderBytes, recordBytes } from './tar.ts';

/** As the next archive holds it: of 10,000 pages there are 24,000, and nobody makes a second record for them. */
interface KeptFile extends ArchivedFile, BlockEntry {
  /** In which it begins. */
  block: number;
  /** Nowhere in the spool. */
  offset: undefined;
  /** How a large one was cut. */
  largePieces: LargePiece[] | undefined;
}

interface OpenBlock {
  content: Buffer;
  /** Where the content of each file begins in it. */
  starts: ReadonlyMap<string, number>;
}

const layoutKey = 'layout';
/** A block does not end the stream that it is a part of. */
const endless = { finishFlush: constants.Z_SYNC_FLUSH };
/** Where the last byte fits exactly, zlib is asked once more for nothing. */
const spareRoomBytes = 64;
const inflate = promisify(inflateRaw as (data: Uint8Array, options: object, done: InflateDone) => void);
type InflateDone = (error: Error | null, result: Buffer) => void;

/** The search index of 10,000 pages takes 30, and an edit asks for most of its files in another order than they lie in. */
const mostOpen = 48;

/** Of each block its key and what is in it; a large file stands in each of its blocks, with where its piece ends. */
type Layout = [
  key: string,
  files: [path: string, sizeBytes: number, sha256: string, title?: string][],
  pieceEnd?: number,
][];

export class LastArchive {
  readonly files: ReadonlyMap<string, KeptFile>;
  readonly #memory: BlockMemory;
  readonly #layout: Layout;
  /** The last ones that were asked for, the latest last. */
  readonly #open = new Map<number, OpenBlock>();
  /** Where pieces of large files were unpacked, by where they begin there. */
  readonly #unpackedPieces = new Map<ArrayBufferLike, Map<number, { length: number; key: string }>>();

  private constructor(memory: BlockMemory, layout: Layout) {
    this.#memory = memory;
    this.#layout = layout;
    const files = new Map<string, KeptFile>();
    for (const [block, [key, members, pieceEnd]] of layout.entries()) {
      const piece = pieceEnd === undefined ? undefined : { end: pieceEnd, key };
      for (const [path, sizeBytes, sha256, title] of members) {
        const known = files.get(path);
        if (known && piece) known.largePieces?.push(piece);
        if (known) continue;
        const largePieces = piece && [piece];
        files.set(path, { path, sizeBytes, sha256, title, block, offset: undefined, largePieces });
      }
    }
    this.files = files;
  }

  /** `token` names what the archive was made from. */
  static keep(memory: BlockMemory, token: string, blocks: readonly Block<ArchivedFile>[]): void {
    const layout = blocks.map(({ key, pieces }): Layout[number] => {
      const files = pieces.map(({ entry: { path, sizeBytes, sha256, title } }): Layout[number][1][number] =>
        title === undefined ? [path, sizeBytes, sha256] : [path, sizeBytes, sha256, title],
      );
      const [first] = pieces;
      const isPart = first !== undefined && first.end - first.start < first.entry.sizeBytes;
      return isPart ? [key, files, first.end] : [key, files];
    });
    memory.put(layoutKey, Buffer.from(JSON.stringify({ token, layout })));
  }

  /** Undefined when the last one was made from something else. */
  static recall(memory: BlockMemory, token: string | undefined): LastArchive | undefined {
    const kept = token === undefined ? undefined : memory.get(layoutKey);
    if (kept === undefined) return undefined;
    const last = JSON.parse(Buffer.from(kept).toString()) as { token: string; layout: Layout };
    return last.token === token ? new LastArchive(memory, last.layout) : undefined;
  }

  content(path: string): Uint8Array | undefined {
    const found = this.files.get(path);
    const first = found && this.#openBlock(found.block);
    const start = first?.starts.get(path);
    if (!found || !first || start === undefined) return undefined;
    const parts = [first.content.subarray(start, start + found.sizeBytes)];
    for (
      let block = found.block + 1, left = found.sizeBytes - (parts[0]?.length ?? 0);
      left > 0;
      block += 1
    ) {
      const content = this.#openBlock(block)?.content.subarray(0, left);
      if (content === undefined) return undefined;
      parts.push(content);
      left -= content.length;
    }
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  /**
   * Unpacked by another thread, all blocks at once: one after the other, this one would have to let go for each of them, and
   * several threads would take the processors from those who are waited for.
   */
  async contentAhead(path: string): Promise<readonly Uint8Array[] | undefined> {
    const { largePieces, sizeBytes = 0 } = this.files.get(path) ?? {};
    const small = largePieces ? undefined : this.content(path);
    if (!largePieces) return small && [small];
    const blocks = largePieces.map(({ key }) => {
      const block = recallBlock(this.#memory, key);
      if (block === undefined) throw new Error(`The last archive has lost a part of ${path}.`);
      return block;
    });
    const rawBytes = blocks.reduce((sum, block) => sum + block.rawBytes, 0);
    const compressed = Buffer.concat(blocks.map(({ bytes }) => bytes));
    const content = await inflate(compressed, { ...endless, chunkSize: rawBytes + spareRoomBytes });
    const start = entryHeaderBytes(path, sizeBytes);
    const whole = content.subarray(start, start + sizeBytes);
    this.#notePieces(whole, largePieces);
    return [whole];
  }

  /** The first and the last are named with what stands around them. */
  #notePieces({ buffer, byteOffset }: Uint8Array, pieces: readonly LargePiece[]): void {
    const places = new Map<number, { length: number; key: string }>();
    for (const [index, { end, key }] of pieces.entries()) {
      const start = pieces[index - 1]?.end;
      if (start !== undefined && index < pieces.length - 1)
        places.set(byteOffset + start, { length: end - start, key });
    }
    this.#unpackedPieces.set(buffer, places);
  }

  /** Of a piece of a large file, given where `contentAhead` has put it. */
  keyOf({ buffer, byteOffset, length }: Uint8Array): string | undefined {
    const found = this.#unpackedPieces.get(buffer)?.get(byteOffset);
    return found?.length === length ? found.key : undefined;
  }

  #openBlock(block: number): OpenBlock | undefined {
    const known = this.#open.get(block);
    this.#open.delete(block);
    const open = known ?? this.#unpacked(block);
    if (open === undefined) return undefined;
    this.#open.set(block, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > mostOpen && oldest !== undefined) this.#open.delete(oldest);
    return open;
  }

  #unpacked(block: number): OpenBlock | undefined {
    const [key = '', members = []] = this.#layout[block] ?? [];
    const compressed = recallBlock(this.#memory, key);
    if (compressed === undefined) return undefined;
    const content = inflateRawSync(compressed.bytes, endless);
    const starts = new Map<string, number>();
    let at = 0;
    for (const [path, sizeBytes] of members) {
      at += entryHeaderBytes(path, sizeBytes);
      starts.set(path, at);
      at += Math.ceil(sizeBytes / recordBytes) * recordBytes;
    }
    return { content, starts };
  }
}
