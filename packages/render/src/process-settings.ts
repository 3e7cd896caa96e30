/**
 * What V8 and the C library are told about memory and compiling in every process that renders, whoever starts it. It loads
 * nothing of the renderer, so that a server can ask without that.
 */
import { getCompileCacheDir } from 'node:module';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
 * processor time of 3,000 pages. And it would let what is new fill 128 MB before it looks through that: 5,000 pages then take
 * 240 MB more.
 */
interface Heap {
  firstCollectionMegabytes: number;
  halfOfNewMegabytes: number;
}

/** With 8 it puts 10,000 pages into their frames as fast as with 16. */
const ofSite: Heap = { firstCollectionMegabytes: 96, halfOfNewMegabytes: 8 };
/**
 * What outlives a page is little, 27 MB after 3,000: 48 is as fast as 96 there. More is new while a page is made: with 8, pages about
 * operations take 4 % longer.
 */
export const heapOfPages: Heap = { firstCollectionMegabytes: 48, halfOfNewMegabytes: 16 };

/**
 * Where objects of some place in the code have lived long, V8 puts later ones with the old at once. Of pages that come and go that
 * is wrong for nearly all, and then only a look through the whole heap frees them: without, 5,000 pages take 3 % less
 * processor time and 30 MB less.
 */
const newIsNew = '--no-allocation-site-pretenuring';

/**
 * How often a function is called before V8 makes its best code of it; by itself it is 3,000 times. Most of what is called less often
 * than this in 1,000 pages never gives back what that takes: without it, they take 2 % less processor time, and 10,000 pages as
 * much as before.
 */
const bestCodeLate = '--invocation-count-for-turbofan=30000';

/**
 * Threads that compile and collect beside the first one. Node starts four, however few cores there are: on two, where two such
 * processes are at work, they take the place of what they help, and with one 1,000 pages take 2 % less.
 */
const mostHelpers = 4;

/**
 * Node keeps what it has compiled apart for each choice of these, so there are few. V8 takes compiled code only with the flags that it
 * was compiled with, but for those about the largest sizes: with any other, what Node brings of itself is compiled again, 35 ms. A
 * process that has no room to grow is done before that pays.
 */
export function heapFlags(
  mostMegabytes: number,
  { firstCollectionMegabytes, halfOfNewMegabytes } = ofSite,
): string[] {
  const sizes = [
    `--max-old-space-size=${mostMegabytes}`,
    `--max-semi-space-size=${halfOfNewMegabytes}`,
    `--v8-pool-size=${Math.min(mostHelpers, Math.max(1, availableParallelism() - 1))}`,
  ];
  if (mostMegabytes < firstCollectionMegabytes) return sizes;
  return [...sizes, `--initial-old-space-size=${firstCollectionMegabytes}`, newIsNew, bestCodeLate];
}

/**
 * Whatever is loaded from now on is compiled whole, where Node keeps that for the next process. By itself V8 compiles a function when it
 * is called first, and Node keeps what is compiled when a module has been loaded, which is the outermost code: the rest was compiled
 * in every process again, 3 % of the time of a site of 200 pages. To be called before the program is loaded, and always or never:
 * compiled code is only taken with the flags that it was compiled with.
 */
export function compileWhole(): void {
  if (getCompileCacheDir() !== undefined) setFlagsFromString('--no-lazy');
}

const pagesOfLargeSite = 10_000;

/** From here on memory is worth more than the time that it saves: a heap that is collected late holds more than the pages do. */
export function isLargeSite(pages: number): boolean {
  return pages > pagesOfLargeSite;
}

/**
 * Once it is known how many pages there are. By itself V8 lets a heap with the bound of an export grow by half before it looks
 * through all of it again: 87 times for 10,000 pages, a tenth of the processor time. Twice as large, it is 45 times, for 35 MB.
 * At 50,000 pages that was 743 MB in the process that writes them, where a fifth was 496 and no slower, and an eighth, which is
 * set, 480 and 3 % slower.
 */
export function collectFor(pages: number): void {
  setFlagsFromString(`--heap-growing-percent=${isLargeSite(pages) ? 12 : 100}`);
}

/**
 * In a process for pages, where nearly all that is old is thrown away with the page it belongs to, and memory only decides how often
 * that is looked for. Five real sites took 3 to 5 % longer without.
 */
export function collectSeldom(): void {
  setFlagsFromString('--heap-growing-percent=300');
}

/** From now on the heap follows what is in it, as V8 would have it. */
export function collectUsually(): void {
  setFlagsFromString('--heap-growing-percent=0');
  collectNow();
}

/**
 * When most of what there was has just become useless. V8 would wait until the heap has grown by its share, and until then what comes
 * next lies beside it: with the list of its 120,000 files a site of 50,000 pages had 670 MB, and has 480.
 */
export function collectNow(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
}
