/**
 * Resolves names that snippets inherit. In the format a page and its snippets share one module scope: a
 * snippet may use names that the including documents import and export.
 */
import type { CompiledFile } from './file.ts';

/** A name of another file, as an import would name it. */
export interface InheritedName {
  file: string;
  name: string;
}

export type InheritedNames = ReadonlyMap<string, InheritedName>;

export const noInheritedNames: InheritedNames = new Map();

const maxFiles = 200;

/** Names of the nearest document win; the page comes last. */
export class Surroundings {
  readonly #page: string;
  readonly #files = new Map<string, CompiledFile>();
  readonly #importers = new Map<string, string[]>();

  constructor(page: string, compiledOf: (file: string) => CompiledFile) {
    this.#page = page;
    const open = [page];
    for (const file of open) {
      if (this.#files.has(file) || this.#files.size === maxFiles) continue;
      const compiled = compiledOf(file);
      this.#files.set(file, compiled);
      for (const imported of compiled.imports) {
        const importers = this.#importers.get(imported);
        if (importers) importers.push(file);
        else this.#importers.set(imported, [file]);
        open.push(imported);
      }
    }
  }

  namesFor(file: string, { freeNames }: CompiledFile): InheritedNames {
    if (file === this.#page || freeNames.size === 0) return noInheritedNames;
    const around = this.#documentsAround(file);
    const found = new Map<string, InheritedName>();
    for (const name of freeNames)
      for (const document of around) {
        const named = this.#nameIn(document, name);
        if (!named) continue;
        found.set(name, named);
        break;
      }
    return found;
  }

  #documentsAround(file: string): string[] {
    const around = new Set(this.#importers.get(file));
    /** A set's iteration also visits the values added during it. */
    for (const importer of around) for (const next of this.#importers.get(importer) ?? []) around.add(next);
    around.add(this.#page);
    return [...around].filter((each) => each !== file && this.#files.get(each)?.body);
  }

  #nameIn(document: string, name: string): InheritedName | undefined {
    const { imported, exports } = this.#files.get(document) ?? {};
    const from = imported?.get(name);
    if (from) return { file: from.file, name: from.name };
    return exports?.has(name) ? { file: document, name } : undefined;
  }
}
