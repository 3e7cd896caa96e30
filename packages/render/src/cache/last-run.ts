/**
 * What one run of a site leaves for the next: how its files were, what was read of them, and what each page gave besides its
 * own files. When only the text of pages or their pictures changed since, the next run need not touch the other pages at all.
 */
import { randomUUID } from 'node:crypto';
import type { FrameTrace } from '../check/rendered.ts';
import type { PageSource } from '../model/page-source.ts';
import type { PageFeature, PageTier } from '../model/page.ts';
import { packedJson, unpackedJson } from './packed-json.ts';
import { FileHashes, type FileMark, type SiteMemory } from './site-memory.ts';
import { LastTraces, NewTraces, type PageTrace, type TracePart } from './traces.ts';
import { shortHash } from '../text/short-hash.ts';
import type { LoadMemory } from '../site/site.ts';

/** What a run knows at its end besides its pages. */
export interface RunFacts {
  frame: FrameTrace;
  /** Something came from another host: nobody knows whether it is still the same. */
  hasRemote: boolean;
  /** Which pages stand in which printed document, what those need, and how many bytes each page takes there. */
  printed: { partition: string; features: PageFeature[]; bytes: number[] };
  /** Under which each page is kept, if it is. Like the bytes, by its number. */
  pageKeys: (string | null)[];
  tiers: Record<PageTier, number>;
  /** By the number of a page: the numbers of others that it leads to with a fragment. */
  anchorTargets: [id: number, targets: number[]][];
  /** What the search index needs to be brought up to date. */
  searchReserve: Uint8Array;
  /** The sections of llms-full.txt in their order: the page and its bytes. */
  fullText: [position: number, bytes: number][];
}

interface RunHead extends Omit<RunFacts, 'searchReserve'> {
  /** Under which that is kept. */
  reserveKey: string;
  /** Names the run, so that what others have kept of it can be told from what they kept of another. */
  token: string;
  key: string;
  madeAtMs: number;
  /** The keys of the values that hold how files were, and what was read of them: one text for all would be too long. */
  markParts: string[];
  readParts: string[];
  parts: TracePart[];
}

export interface LastRun extends RunFacts {
  traces: LastTraces;
  files: readonly string[];
}

interface RunEnd {
  options: string;
  files: readonly string[];
  edited: ReadonlyMap<string, PageTrace> | undefined;
}

const valuesInPart = 2000;
const headKey = 'run';

export class RunMemory {
  readonly store: SiteMemory;
  readonly engine: string;
  readonly hashes: FileHashes;
  /** For `loadSite`, which fills it. */
  readonly load: LoadMemory;
  readonly token = randomUUID();
  readonly #head: RunHead | undefined;
  readonly #reads: ReadonlyMap<string, PageSource>;
  readonly #lastReads: readonly [file: string, read: PageSource][];
  readonly #lastMarks: readonly FileMark[];
  readonly #traces: NewTraces;
  #lastTraces: LastTraces | undefined;
  #hasRemote = false;
  #packHead: (() => Uint8Array) | undefined;
  #packedHead: Uint8Array | undefined;

  /** `engine` names the program: another one may render differently. */
  constructor(store: SiteMemory, engine: string, root: string) {
    this.store = store;
    this.engine = engine;
    this.#traces = new NewTraces(store, this.token);
    this.#head = read(store, headKey) as RunHead | undefined;
    const known = this.#head?.key.startsWith(`${engine} `) ? this.#head : undefined;
    this.#lastMarks = readAll(store, known?.markParts) as FileMark[];
    this.hashes = new FileHashes(root, this.#lastMarks, known?.madeAtMs);
    const reads = readAll(store, known?.readParts) as [string, PageSource][];
    this.#lastReads = reads;
    this.#reads = new Map(reads);
    this.load = {
      pages: new Map(reads.filter(([file]) => this.hashes.isAsBefore(file))),
      specs: { kinds: new Map(), specs: new Map() },
    };
  }

  get lastToken(): string | undefined {
    return this.#head?.token;
  }

  /** Something came from another host: nobody knows whether it will be the same the next time. */
  noteRemote(): void {
    this.#hasRemote = true;
  }

  /** Undefined when there was none that this one, with these options, could have been. */
  last(options: string): LastRun | undefined {
    const head = this.#head;
    if (head?.key !== this.#keyOf(options) || head.hasRemote) return undefined;
    const traces = new LastTraces(this.store, head.parts);
    if (!traces.isWhole) return undefined;
    this.#lastTraces = traces;
    const searchReserve = this.store.get(head.reserveKey) ?? new Uint8Array();
    return { ...head, searchReserve, traces, files: this.#lastMarks.map(([file]) => file) };
  }

  /** What was read of a file the last time; for telling whether an edit touched more than text. */
  readBefore(file: string): PageSource | undefined {
    return this.#reads.get(file);
  }

  add(trace: PageTrace): void {
    this.#traces.add(trace);
  }

  /** `edited` holds the pages that are not as they were, when all others are. */
  finish({ options, files, edited }: RunEnd, { searchReserve, ...facts }: RunFacts): void {
    this.#traces.end();
    const reserveKey = `reserve:${this.token}`;
    this.store.put(reserveKey, searchReserve);
    for (const key of facts.pageKeys) if (key !== null) this.store.touch(key);
    const parts = (edited && this.#lastTraces?.replaced(edited, this.#traces)) ?? this.#traces.parts;
    this.#packHead = () => {
      const marks = files.map((file) => this.hashes.mark(file)).filter((mark) => mark !== undefined);
      const markParts = this.#putAll('marks', marks, {
        keys: this.#head?.markParts,
        isAsBefore: (mark, at) => mark === this.#lastMarks[at],
      });
      // In the order of the files, so that what was read of most of them stands where it stood.
      const reads = files.flatMap((file): [string, PageSource][] => {
        const read = this.load.pages.get(file);
        return read ? [[file, read]] : [];
      });
      const readParts = this.#putAll('reads', reads, {
        keys: this.#head?.readParts,
        isAsBefore: ([file, read], at) =>
          file === this.#lastReads[at]?.[0] && read === this.#lastReads[at][1],
      });
      const head: RunHead = {
        ...facts,
        reserveKey,
        hasRemote: facts.hasRemote || this.#hasRemote,
        token: this.token,
        key: this.#keyOf(options),
        madeAtMs: Date.now(),
        markParts,
        readParts,
        parts,
      };
      return packedJson(head);
    };
  }

  /** Most of the work of `commit`, for when something is being waited for. */
  prepareCommit(): void {
    this.#packedHead ??= this.#packHead?.();
  }

  /** Says that the files of the run are where the next one will look for them. Before that it is as if it had not been. */
  commit(): void {
    this.prepareCommit();
    if (this.#packedHead) this.store.put(headKey, this.#packedHead);
  }

  /** Parts of which every value is the one that was read stay where they are. */
  #putAll<Value>(
    name: string,
    values: readonly Value[],
    last: { keys: readonly string[] | undefined; isAsBefore: (value: Value, at: number) => boolean },
  ): string[] {
    const keys: string[] = [];
    for (let at = 0; at < values.length; at += valuesInPart) {
      const part = values.slice(at, at + valuesInPart);
      const before = last.keys?.[at / valuesInPart];
      const isWhole =
        part.length === valuesInPart && part.every((value, index) => last.isAsBefore(value, at + index));
      if (before !== undefined && isWhole) {
        this.store.touch(before);
        keys.push(before);
        continue;
      }
      const key = `run:${this.token}:${name}:${at}`;
      this.store.put(key, packedJson(part));
      keys.push(key);
    }
    return keys;
  }

  #keyOf(options: string): string {
    return `${this.engine} ${shortHash(options)}`;
  }
}

function readAll(store: SiteMemory, keys: readonly string[] = []): unknown[] {
  return keys.flatMap((key) => (read(store, key) as unknown[] | undefined) ?? []);
}

function read(store: SiteMemory, key: string): unknown {
  const bytes = store.get(key);
  return bytes && unpackedJson(bytes);
}
