/**
 * Content of small files in memory, up to a budget; what has been asked for lately stays. It is kept as latin1 text, one
 * character a byte, because node:http sends head and body in one system call only when the body is a string.
 */
import { open } from 'node:fs/promises';
import type { Representation } from './static-file.ts';

interface Kept {
  content: string;
  askedForAgain: boolean;
}

/** Larger ones are sent from disk piece by piece. */
const maxFileBytes = 256 * 1024;
const budgetBytes = 64 * 1024 * 1024;

export class ContentCache {
  readonly #budgetBytes: number;
  /** Oldest first. */
  readonly #kept = new Map<Representation, Kept>();
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
    kept.askedForAgain = true;
    return kept.content;
  }

  /** From disk. Who asks at the same time shares one reading. */
  read(wanted: Representation): Promise<string> {
    const underWay = this.#reading.get(wanted);
    if (underWay !== undefined) return underWay;
    const reading = this.#readAndKeep(wanted).finally(() => this.#reading.delete(wanted));
    this.#reading.set(wanted, reading);
    return reading;
  }

  async #readAndKeep(wanted: Representation): Promise<string> {
    const content = await readContent(wanted);
    this.#kept.set(wanted, { content, askedForAgain: false });
    this.#bytes += content.length;
    this.#makeRoom();
    return content;
  }

  /** What has been asked for since it was last looked at gets another round. */
  #makeRoom(): void {
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#kept.delete(oldest);
      if (kept.askedForAgain) this.#kept.set(oldest, { ...kept, askedForAgain: false });
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
    // The length has been promised in a header.
    if (bytesRead !== sizeBytes) throw new Error(`${file} is shorter than it was.`);
    return buffer.toString('latin1');
  } finally {
    await handle.close();
  }
}
