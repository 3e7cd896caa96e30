/** Memory settings of render processes. The server imports it, so it must not import the renderer. */

/** glibc keeps freed buffers in one heap per thread; these settings return them to the system. */
const glibcSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '1000000',
  MALLOC_MMAP_THRESHOLD_: '100000',
};

/** mimalloc, which resvg uses, maps a gigabyte as writable at its start. RLIMIT_DATA counts all of it. */
const mimallocSettings = { MIMALLOC_ARENA_EAGER_COMMIT: '0' };

export const mallocSettings = { ...glibcSettings, ...mimallocSettings };

export interface HeapSizes {
  /** The heap size of V8's first full garbage collection. */
  initialMegabytes: number;
  semiSpaceMegabytes: number;
}

const siteHeap: HeapSizes = { initialMegabytes: 96, semiSpaceMegabytes: 8 };
export const pageHeap: HeapSizes = { initialMegabytes: 48, semiSpaceMegabytes: 16 };

export function heapFlags(
  maxMegabytes: number,
  { initialMegabytes, semiSpaceMegabytes } = siteHeap,
): string[] {
  return [
    `--max-old-space-size=${maxMegabytes}`,
    `--max-semi-space-size=${semiSpaceMegabytes}`,
    ...(maxMegabytes < initialMegabytes ? [] : [`--initial-old-space-size=${initialMegabytes}`]),
  ];
}

const minLargePages = 10_000;

/** A large site keeps less in memory at the expense of speed. */
export function isLargeSite(pages: number): boolean {
  return pages > minLargePages;
}
