/** Compressed blocks of an archive: in the cache, or in the spool when there is none. */
import type { AppendedFile } from './appended-file.ts';
import { type BlockCache, type CompressedBlock, getBlock, putBlock } from './archive-blocks.ts';

interface SpooledBlock extends Omit<CompressedBlock, 'bytes'> {
  offset: number;
  length: number;
}

export class CompressedBlocks {
  readonly #spool: AppendedFile;
  readonly #cache: BlockCache | undefined;
  readonly #spooled = new Map<string, SpooledBlock>();

  constructor(spool: AppendedFile, cache: BlockCache | undefined) {
    this.#spool = spool;
    this.#cache = cache;
  }

  has(key: string): boolean {
    return this.#spooled.has(key) || this.#cache?.keep(key) !== undefined;
  }

  put(key: string, block: CompressedBlock): void {
    if (this.#cache) return putBlock(this.#cache, key, block);
    const { checksum, rawBytes, bytes } = block;
    const offset = this.#spool.append(bytes);
    this.#spooled.set(key, { checksum, rawBytes, offset, length: bytes.length });
  }

  get(key: string): CompressedBlock | undefined {
    const spooled = this.#spooled.get(key);
    if (!spooled) return this.#cache && getBlock(this.#cache, key);
    const { checksum, rawBytes, offset, length } = spooled;
    const bytes = Buffer.allocUnsafe(length);
    if (!this.#spool.read(bytes, offset)) throw new Error(spoolIsShorter);
    return { checksum, rawBytes, bytes };
  }
}

export const spoolIsShorter = 'The spool file was truncated.';
