/**
 * The blocks of an archive that are compressed already. Those of the last archive lie in the memory of the branch, and so do
 * those of this one; where nothing is remembered, what was compressed ahead lies in the spool.
 */
import type { AppendedFile } from './appended-file.ts';
import {
  BlockRoom,
  keepBlock,
  recallBlockAhead,
  type BlockMemory,
  type CompressedBlock,
} from './archive-blocks.ts';

interface SpooledBlock extends Omit<CompressedBlock, 'bytes'> {
  offset: number;
  length: number;
}

export interface RecalledBlock extends CompressedBlock {
  /** Where its bytes lie is free again once they are written. */
  giveBack: () => void;
}

export class CompressedBlocks {
  readonly #spool: AppendedFile;
  readonly #memory: BlockMemory | undefined;
  readonly #spooled = new Map<string, SpooledBlock>();
  readonly #room = new BlockRoom();

  constructor(spool: AppendedFile, memory: BlockMemory | undefined) {
    this.#spool = spool;
    this.#memory = memory;
  }

  has(key: string): boolean {
    return this.#spooled.has(key) || this.#memory?.has(key) === true;
  }

  /** For the next archive, if there is a memory. */
  remember(key: string, block: CompressedBlock): void {
    if (this.#memory) keepBlock(this.#memory, key, block);
  }

  /** For this archive, if the memory does not have it. */
  setAside(key: string, { checksum, rawBytes, bytes }: CompressedBlock): void {
    if (this.#memory) return;
    const offset = this.#spool.append(bytes);
    this.#spooled.set(key, { checksum, rawBytes, offset, length: bytes.length });
  }

  /** Read by another thread. Undefined when it is there no more. */
  async recall(key: string): Promise<RecalledBlock | undefined> {
    let taken: Buffer | undefined;
    const take = (bytes: number): Buffer => (taken = this.#room.take(bytes)).subarray(0, bytes);
    const found =
      (await this.#fromSpool(key, take)) ??
      (this.#memory && (await recallBlockAhead(this.#memory, key, take)));
    return found && { ...found, giveBack: () => taken && this.#room.giveBack(taken) };
  }

  async #fromSpool(key: string, take: (bytes: number) => Buffer): Promise<CompressedBlock | undefined> {
    const spooled = this.#spooled.get(key);
    if (!spooled) return undefined;
    const { checksum, rawBytes, offset, length } = spooled;
    const bytes = take(length);
    if (!(await this.#spool.readAhead(bytes, offset))) throw new Error(spoolIsShorter);
    return { checksum, rawBytes, bytes };
  }
}

export const spoolIsShorter = 'The spool file is shorter than it was.';
