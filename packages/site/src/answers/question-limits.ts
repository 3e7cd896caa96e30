/** Limits of questions, kept in memory: questions per hour of a reader, tokens per day of the site. */
import { subscriberOf } from '../network/address-ranges.ts';

const windowMs = 3_600_000;
const dayMs = 86_400_000;
const maxReaders = 50_000;

export class QuestionLimit {
  readonly #byReader = new Map<string, { count: number; endsAtMs: number }>();
  readonly #maxPerHour: number;
  readonly #now: () => number;

  constructor(maxPerHour: number, now: () => number = Date.now) {
    this.#maxPerHour = maxPerHour;
    this.#now = now;
  }

  /** Counts a question. Seconds until the reader may ask again; 0 if this one is allowed. */
  count(reader: string): number {
    const now = this.#now();
    const known = this.#byReader.get(reader);
    if (known !== undefined && known.endsAtMs > now) {
      if (known.count >= this.#maxPerHour) return Math.ceil((known.endsAtMs - now) / 1000);
      known.count += 1;
      return 0;
    }
    this.#byReader.delete(reader);
    this.#byReader.set(reader, { count: 1, endsAtMs: now + windowMs });
    for (const [oldest, { endsAtMs }] of this.#byReader) {
      if (endsAtMs > now && this.#byReader.size <= maxReaders) break;
      this.#byReader.delete(oldest);
    }
    return 0;
  }
}

export class TokenBudget {
  readonly #maxPerDay: number;
  readonly #now: () => number;
  #day = 0;
  #used = 0;

  constructor(maxPerDay: number, now: () => number = Date.now) {
    this.#maxPerDay = maxPerDay;
    this.#now = now;
  }

  /** Seconds until there are tokens again; 0 if there are some. */
  waitSeconds(): number {
    this.#startDay();
    if (this.#used < this.#maxPerDay) return 0;
    return Math.ceil(((this.#day + 1) * dayMs - this.#now()) / 1000);
  }

  /** Negative for tokens that were reserved and not used. */
  add(tokens: number): void {
    this.#startDay();
    this.#used = Math.max(0, this.#used + tokens);
  }

  #startDay(): void {
    const day = Math.floor(this.#now() / dayMs);
    if (day === this.#day) return;
    this.#day = day;
    this.#used = 0;
  }
}

/** A reader who signs in has an account; others have an address. */
export function readerKey(name: string | null | undefined, address: string): string {
  return name ? `name ${name}` : `address ${subscriberOf(address)}`;
}
