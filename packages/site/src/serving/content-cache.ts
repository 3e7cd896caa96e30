/**
 * Caches small files in memory up to a budget, with CLOCK eviction. Content is a latin1 string, because
 * node:http sends headers and body in one system call only when the body is a string.
 */
import { open } from 'node:fs/promises';
import type { Representation } from './static-file.ts';

interface CachedContent {
  content: string;
  wasUsedAgain: boolean;
}

/** Larger files are streamed from disk. */
const maxFileBytes = 256 * 1024;
const budgetBytes = 64 * 1024 * 1024;

export class ContentCache {
  readonly #budgetBytes: number;
  /** Oldest first. */
  readonly #kept = new Map<Representation, CachedContent>();
  readonly #reading = new Map<Representation, Promise<string>>();
  #bytes = 0;

  constructor(budget = budgetBytes) {
    this.#budgetBytes = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  isFor({ sizeBytes }: Representation): boolean {
    return sizeBytes <= maxFileBytes;
  }

  get(wanted: Representation): string | undefined {
    const kept = this.#kept.get(wanted);
    if (kept === undefined) return undefined;
    kept.wasUsedAgain = true;
    return kept.content;
  }

  /** Concurrent callers share one read. */
  read(wanted: Representation): Promise<string> {
    const underWay = this.#reading.get(wanted);
    if (underWay !== undefined) return underWay;
    const reading = this.#readAndCache(wanted).finally(() => this.#reading.delete(wanted));
    this.#reading.set(wanted, reading);
    return reading;
  }

  async #readAndCache(wanted: Representation): Promise<string> {
    const content = await readContent(wanted);
    this.#kept.set(wanted, { content, wasUsedAgain: false });
    this.#bytes += content.length;
    this.#makeRoom();
    return content;
  }

  /** Files that were used since the last check stay for another round. */
  #makeRoom(): void {
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#kept.delete(oldest);
      if (kept.wasUsedAgain) this.#kept.set(oldest, { ...kept, wasUsedAgain: false });
      else this.#bytes -= kept.content.length;
    }
  }
}

async function readContent({ content, sizeBytes }: Representation): Promise<string> {
  if ('bytes' in content) return Buffer.from(content.bytes).toString('latin1');
  const { file, offset } = content;
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(sizeBytes), 0, sizeBytes, offset);
    // The length was promised in a header.
    if (bytesRead !== sizeBytes) throw new Error(`${file} was truncated.`);
    return buffer.toString('latin1');
  } finally {
    await handle.close();
  }
}
