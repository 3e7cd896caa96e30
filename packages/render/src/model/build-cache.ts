/** Values that a build stores for the next one. Every value may be missing. */
export interface BuildCache {
  get(key: string): Uint8Array | undefined;
  /** Keeps a value for the next build without reading it. Returns its size. */
  keep(key: string): number | undefined;
  /** The parts are concatenated. */
  put(key: string, ...parts: readonly Uint8Array[]): void;
}
