/**
 * What each page of a run has given to the site besides its own files, kept in parts of some hundred pages. A part is read
 * only when somebody asks for a page of it: of 10,000 pages all parts take 0.2 s, and most edits touch one.
 */
import type { CheckTrace } from '../check/rendered.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { PageFacts } from '../outputs/contract.ts';
import type { PageResult } from '../model/page.ts';
import { packedJson, unpackedJson } from './packed-json.ts';
import type { SiteMemory } from './site-memory.ts';

/** What a page gives to the site besides its own files. */
export interface PageTrace {
  output: string;
  /** Under which the whole of it is kept; absent when it is rendered anew each time. */
  key?: string | undefined;
  /** It has code that asks for the time. */
  clockMs?: number | undefined;
  /** What it was made from and what it shows. */
  files: string[];
  assets: string[];
  /** Files that what stands around its content was the first to use. */
  frameAssets: string[];
  styles: PageResult['styles'];
  classes: string[];
  mathStyles: PageResult['mathStyles'];
  features: PageResult['features'];
  diagnostics: Diagnostic[];
  facts: Omit<PageFacts, 'route' | 'output' | 'title'>;
  check: CheckTrace;
  /** The picture for shared links is one that the site makes. */
  usesImage: boolean;
}

/** What is known of a part without reading it. */
export interface TracePart {
  /** Under which it is kept. */
  key: string;
  pages: number;
  /** What its pages were made from and show, each once. */
  files: string[];
  /** Each of its pages is kept, and none of them asks for the time. */
  isPlain: boolean;
}

const pagesInPart = 500;

/** Of the run that is under way: written as they come, so that a large site does not hold them all. */
export class NewTraces {
  readonly parts: TracePart[] = [];
  readonly #store: SiteMemory;
  readonly #token: string;
  #waiting: PageTrace[] = [];

  constructor(store: SiteMemory, token: string) {
    this.#store = store;
    this.#token = token;
  }

  add(trace: PageTrace): void {
    this.#waiting.push(trace);
    if (this.#waiting.length === pagesInPart) this.end();
  }

  end(): void {
    if (this.#waiting.length > 0) this.parts.push(this.put(this.#waiting));
    this.#waiting = [];
  }

  put(traces: readonly PageTrace[]): TracePart {
    const key = `run:${this.#token}:${traces[0]?.output ?? ''}`.slice(0, 150);
    this.#store.put(key, packedJson(traces));
    return {
      key,
      pages: traces.length,
      files: [...new Set(traces.flatMap(({ files }) => files))],
      isPlain: traces.every((trace) => trace.key !== undefined && trace.clockMs === undefined),
    };
  }
}

/** Of the run before this one. */
export class LastTraces {
  readonly pageCount: number;
  readonly #store: SiteMemory;
  readonly #parts: readonly TracePart[];
  readonly #read = new Map<TracePart, readonly PageTrace[]>();
  readonly #byOutput = new Map<string, PageTrace>();

  constructor(store: SiteMemory, parts: readonly TracePart[]) {
    this.#store = store;
    this.#parts = parts;
    this.pageCount = parts.reduce((sum, { pages }) => sum + pages, 0);
  }

  /** Whether all of them are there. */
  get isWhole(): boolean {
    return this.#parts.every(({ key }) => this.#store.has(key));
  }

  get(output: string): PageTrace | undefined {
    for (const part of this.#parts) {
      if (this.#byOutput.has(output)) break;
      this.#tracesIn(part);
    }
    return this.#byOutput.get(output);
  }

  /** Those among which every page is that may not be what it was, since one of these files is not or time has passed. */
  *suspects(changed: ReadonlySet<string>): Generator<PageTrace> {
    for (const part of this.#parts)
      if (!part.isPlain || part.files.some((file) => changed.has(file))) yield* this.#tracesIn(part);
  }

  /** The parts with some of their pages replaced; those without stay where they are. */
  replaced(edited: ReadonlyMap<string, PageTrace>, traces: NewTraces): TracePart[] {
    // So that the parts of all of them are read.
    for (const output of edited.keys()) this.get(output);
    return this.#parts.map((part) => {
      const before = this.#read.get(part) ?? [];
      if (before.some(({ output }) => edited.has(output)))
        return traces.put(before.map((trace) => edited.get(trace.output) ?? trace));
      this.#store.touch(part.key);
      return part;
    });
  }

  #tracesIn(part: TracePart): readonly PageTrace[] {
    const known = this.#read.get(part);
    if (known) return known;
    const bytes = this.#store.get(part.key);
    if (!bytes) throw new Error('The memory of the last run has lost what is known of pages.');
    const traces = unpackedJson(bytes) as PageTrace[];
    for (const trace of traces) this.#byOutput.set(trace.output, trace);
    this.#read.set(part, traces);
    return traces;
  }
}
