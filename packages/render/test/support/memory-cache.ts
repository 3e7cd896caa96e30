import type { BuildCache } from '../../src/model/build-cache.ts';

export class MemoryCache implements BuildCache {
  readonly values = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.values.get(key);
  }

  keep(key: string): number | undefined {
    return this.values.get(key)?.length;
  }

  put(key: string, ...parts: readonly Uint8Array[]): void {
    this.values.set(key, new Uint8Array(Buffer.concat(parts)));
  }

  /** Removes or truncates about half of the values, the same ones for the same seed. */
  damage(seed: number): void {
    let state = seed;
    const random = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
    for (const [key, value] of this.values) {
      const kind = random(4);
      if (kind === 0) this.values.delete(key);
      if (kind === 1) this.values.set(key, value.slice(0, random(40)));
    }
  }
}
