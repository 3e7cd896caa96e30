/**
 * What V8 and the C library are told about memory in every process that renders, whoever starts it. It loads nothing of the
 * renderer, so that a server can ask without that.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * Buffers come and go by the thousand. Left to itself the C library keeps what was freed, in a heap for each thread: of 3,000
 * pages 250 to 300 MB a process instead of 155.
 */
export const thriftyAllocation = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '1000000',
  MALLOC_MMAP_THRESHOLD_: '100000',
};

/**
 * V8 would begin with a heap of a few megabytes and go through all of it again and again while it grows: a quarter of the
 * processor time of 3,000 pages. And it would let what is new fill 128 MB before it looks through that; with 32 it is as
 * fast, and 5,000 pages take 610 instead of 850 MB. With 16, pages about operations take 7 % longer.
 */
const firstCollectionMegabytes = 96;
const halfOfNewMegabytes = 16;
/** What outlives a page is little: 27 MB after 3,000. This is as fast there, and takes 15 MB less a process. */
export const firstCollectionOfPages = 48;

/**
 * Where objects of some place in the code have lived long, V8 puts later ones with the old at once. Of pages that come and go that
 * is wrong for nearly all, and then only a look through the whole heap frees them: without, 5,000 pages take 3 % less
 * processor time and 30 MB less.
 */
const newIsNew = '--no-allocation-site-pretenuring';

/** Node keeps what it has compiled apart for each choice of these, so there are few. */
export function heapFlags(
  mostMegabytes: number,
  firstMegabytes: number = firstCollectionMegabytes,
): string[] {
  return [
    `--max-old-space-size=${mostMegabytes}`,
    `--initial-old-space-size=${Math.min(firstMegabytes, mostMegabytes)}`,
    `--max-semi-space-size=${halfOfNewMegabytes}`,
    newIsNew,
  ];
}

const pagesOfLargeSite = 10_000;

/** From here on memory is worth more than the time that it saves: a heap that is collected late holds more than the pages do. */
export function isLargeSite(pages: number): boolean {
  return pages > pagesOfLargeSite;
}

/**
 * Once it is known how many pages there are. By itself V8 lets a heap with the bound of an export grow by half before it looks
 * through all of it again: 87 times for 10,000 pages, a tenth of the processor time. Twice as large, it is 45 times, for 35 MB.
 * At 50,000 pages that would be 743 MB in the process that writes them, where a fifth was 496 and no slower, and an eighth 480
 * and 3 % slower. What is set lies between; all processes together have 821 to 826 MB with it, and 830 with a fifth.
 */
export function collectFor(pages: number): void {
  setFlagsFromString(`--heap-growing-percent=${isLargeSite(pages) ? 15 : 100}`);
}
