/** Finds where in a source file something was written, when only what became of it is known. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeSource, maximumSourceBytes } from '../source/source.ts';
import { type SourcePlace, placeAt } from '../model/diagnostic.ts';

export class SourcePlaces {
  readonly #root: string;
  readonly #files: readonly string[];
  /** Made when it is first needed: most sites are asked nothing before all their pages are written. */
  #known: ReadonlySet<string> | undefined;
  #file = '';
  #text = '';

  /** Only files of the site are read. */
  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#files = files;
  }

  /** The first of the texts that stands in the file. Ask file by file: one is kept. */
  find(file: string, texts: readonly string[]): SourcePlace | undefined {
    const source = this.#read(file);
    for (const text of texts) {
      const at = text === '' ? -1 : source.indexOf(text);
      if (at >= 0) return placeAt(source, at);
    }
    return undefined;
  }

  /** The line whose words are the same as those of a heading, whatever marks stand between them. */
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

  /** Without waiting: half of the pages may have to be read, and asking another thread takes five times as long. */
  #read(file: string): string {
    if (file === this.#file) return this.#text;
    this.#file = file;
    this.#known ??= new Set(this.#files);
    const bytes = this.#known.has(file) ? bytesOf(join(this.#root, file)) : undefined;
    this.#text = bytes === undefined || bytes.length > maximumSourceBytes ? '' : decodeSource(bytes);
    return this.#text;
  }
}

/** Undefined for what is gone by now. */
function bytesOf(path: string): Uint8Array | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
