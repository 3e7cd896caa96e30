import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSource, maxSourceBytes } from '../source/source.ts';
import { type SourcePlace, placeAt } from '../model/diagnostic.ts';

export class SourcePlaces {
  readonly #root: string;
  readonly #files: readonly string[];
  /** Created at first use: most builds never need it. */
  #known: ReadonlySet<string> | undefined;
  #file = '';
  #text = '';

  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#files = files;
  }

  /** The first of the texts that occurs in the file. One file is cached, so group calls by file. */
  find(file: string, texts: readonly string[]): SourcePlace | undefined {
    const source = this.#read(file);
    for (const text of texts) {
      const at = text === '' ? -1 : source.indexOf(text);
      if (at >= 0) return placeAt(source, at);
    }
    return undefined;
  }

  /** The heading line with the same words, ignoring Markdown syntax. */
  findHeading(file: string, level: number, matches: (text: string) => boolean): SourcePlace | undefined {
    const source = this.#read(file);
    const marks = `${'#'.repeat(level)} `;
    for (let at = source.indexOf(marks); at >= 0; at = source.indexOf(marks, at + 1)) {
      if (at > 0 && source[at - 1] !== '\n') continue;
      const end = source.indexOf('\n', at);
      if (matches(source.slice(at + marks.length, end < 0 ? undefined : end))) return placeAt(source, at);
    }
    return undefined;
  }

  /** Synchronous, because that is faster for many small files. */
  #read(file: string): string {
    if (file === this.#file) return this.#text;
    this.#file = file;
    this.#known ??= new Set(this.#files);
    const bytes = this.#known.has(file) ? bytesOf(join(this.#root, file)) : undefined;
    this.#text = bytes === undefined || bytes.length > maxSourceBytes ? '' : decodeSource(bytes);
    return this.#text;
  }
}

/** Undefined for a file that no longer exists. */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
