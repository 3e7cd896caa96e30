/** Finds where in a source file something was written, when only what became of it is known. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeSource, maximumSourceBytes } from '../page/source.ts';
import { type SourcePlace, placeAt } from './diagnostic.ts';

export class SourcePlaces {
  readonly #root: string;
  readonly #known: ReadonlySet<string>;
  #file = '';
  #text = '';

  /** Only files of the site are read. */
  constructor(root: string, files: readonly string[]) {
    this.#root = root;
    this.#known = new Set(files);
  }

  /** The first of the texts that stands in the file. Ask file by file: one is kept. */
  async find(file: string, texts: readonly string[]): Promise<SourcePlace | undefined> {
    const source = await this.#read(file);
    for (const text of texts) {
      const at = text === '' ? -1 : source.indexOf(text);
      if (at >= 0) return placeAt(source, at);
    }
    return undefined;
  }

  /** The line whose words are the same as those of a heading, whatever marks stand between them. */
  async findHeading(
    file: string,
    level: number,
    matches: (text: string) => boolean,
  ): Promise<SourcePlace | undefined> {
    const marks = '#'.repeat(level);
    const lines = (await this.#read(file)).split('\n');
    const at = lines.findIndex((line) => line.startsWith(`${marks} `) && matches(line.slice(level + 1)));
    return at < 0 ? undefined : { line: at + 1, column: 1 };
  }

  async #read(file: string): Promise<string> {
    if (file === this.#file) return this.#text;
    this.#file = file;
    const bytes = this.#known.has(file)
      ? await readFile(join(this.#root, file)).catch(() => undefined)
      : undefined;
    this.#text = bytes === undefined || bytes.length > maximumSourceBytes ? '' : decodeSource(bytes);
    return this.#text;
  }
}
