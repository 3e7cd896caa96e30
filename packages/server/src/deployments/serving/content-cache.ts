/**
 * Content of small files in memory, up to a budget. The compressed pages of a site of a thousand fit many times over; where
 * they do not, what has been asked for lately stays.
 */
import { open } from 'node:fs/promises';
import type { Representation } from './site.ts';
import { WholeAnswer } from './whole-answer.ts';

interface Kept {
  answer: WholeAnswer;
  askedForAgain: boolean;
}

/** Larger ones are sent from disk piece by piece. */
const mostFileBytes = 256 * 1024;
const budgetBytes = 64 * 1024 * 1024;

export class ContentCache {
  readonly #budgetBytes: number;
  /** Oldest first. */
  readonly #kept = new Map<Representation, Kept>();
  /** Answers that nothing has changed: less than a kilobyte for each form that was asked for. */
  readonly #unchanged = new Map<Representation, WholeAnswer>();
  readonly #reading = new Map<Representation, Promise<WholeAnswer>>();
  #bytes = 0;

  constructor(budget = budgetBytes) {
    this.#budgetBytes = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  isFor({ sizeBytes }: Representation): boolean {
    return sizeBytes <= mostFileBytes;
  }

  get(wanted: Representation): WholeAnswer | undefined {
    const kept = this.#kept.get(wanted);
    if (kept === undefined) return undefined;
    kept.askedForAgain = true;
    return kept.answer;
  }

  unchanged(wanted: Representation): WholeAnswer {
    const known = this.#unchanged.get(wanted);
    if (known !== undefined) return known;
    const answer = new WholeAnswer('304 Not Modified', wanted.unchangedHeaders, 0);
    this.#unchanged.set(wanted, answer);
    return answer;
  }

  /** From disk. Who asks at the same time shares one reading. */
  read(wanted: Representation): Promise<WholeAnswer> {
    const underWay = this.#reading.get(wanted);
    if (underWay !== undefined) return underWay;
    const reading = this.#readAndKeep(wanted).finally(() => this.#reading.delete(wanted));
    this.#reading.set(wanted, reading);
    return reading;
  }

  async #readAndKeep(wanted: Representation): Promise<WholeAnswer> {
    const answer = new WholeAnswer(wanted.status, wanted.headers, wanted.sizeBytes);
    await readInto(answer.body, wanted);
    this.#kept.set(wanted, { answer, askedForAgain: false });
    this.#bytes += answer.sizeBytes;
    this.#makeRoom();
    return answer;
  }

  /** What has been asked for since it was last looked at gets another round. */
  #makeRoom(): void {
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#budgetBytes) return;
      this.#kept.delete(oldest);
      if (kept.askedForAgain) this.#kept.set(oldest, { ...kept, askedForAgain: false });
      else this.#bytes -= kept.answer.sizeBytes;
    }
  }
}

async function readInto(body: Buffer, { file, offset }: Representation): Promise<void> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead } = await handle.read(body, 0, body.length, offset);
    // The length has been promised in a header.
    if (bytesRead !== body.length) throw new Error(`${file} is shorter than it was.`);
  } finally {
    await handle.close();
  }
}
