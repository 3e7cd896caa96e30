/** Where a build leaves values for the next one. Any of them may be missing: that costs time only. */
export interface BuildCache {
  get(key: string): Uint8Array | undefined;
  has(key: string): boolean;
  /** The parts follow each other in the value. */
  put(key: string, ...parts: readonly Uint8Array[]): void;
}
