/** Blocks of an archive that are compressed already: in the cache, or in the spool when there is no cache. */
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
    return this.#spooled.has(key) || this.#cache?.has(key) === true;
  }

  /** For the next archive, if there is a cache. */
  put(key: string, block: CompressedBlock): void {
    if (this.#cache) putBlock(this.#cache, key, block);
  }

  /** For this archive, if there is no cache. */
  setAside(key: string, { checksum, rawBytes, bytes }: CompressedBlock): void {
    if (this.#cache) return;
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

export const spoolIsShorter = 'The spool file is shorter than it was.';
