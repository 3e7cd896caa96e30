/** Counts attempts by client address within a quarter of an hour. Addresses are in memory only. */
import { subscriberOf } from '../network/address-ranges.ts';

const windowMs = 15 * 60_000;
const maxAddresses = 50_000;

export class Attempts {
  readonly #maxAttempts: number;
  readonly #byAddress = new Map<string, { count: number; endsAtMs: number }>();

  constructor(maxAttempts: number) {
    this.#maxAttempts = maxAttempts;
  }

  /** Seconds until the address may try again; 0 at once. */
  waitSeconds(address: string): number {
    const known = this.#byAddress.get(subscriberOf(address));
    if (known === undefined || known.count < this.#maxAttempts) return 0;
    return Math.max(0, Math.ceil((known.endsAtMs - Date.now()) / 1000));
  }

  /** Call it before the work of an attempt, so that parallel attempts count too. */
  count(address: string): void {
    const now = Date.now();
    const key = subscriberOf(address);
    const known = this.#byAddress.get(key);
    if (known !== undefined && known.endsAtMs > now) {
      known.count += 1;
      return;
    }
    this.#byAddress.delete(key);
    this.#byAddress.set(key, { count: 1, endsAtMs: now + windowMs });
    for (const [oldest, { endsAtMs }] of this.#byAddress) {
      if (endsAtMs > now && this.#byAddress.size <= maxAddresses) break;
      this.#byAddress.delete(oldest);
    }
  }

  forgive(address: string): void {
    this.#byAddress.delete(subscriberOf(address));
  }
}
