/**
 * The compiled program of a document: its own code, everything it imports, and the pieces of its body. Code
 * that does not compile is reported and omitted.
 */
import { UnsupportedError } from '../evaluate/values.ts';
import type { Document } from '../document/document.ts';
import type { ParserName } from '../document/parser.ts';
import { decodeSource, maxSourceBytes } from '../source/source.ts';
import type { Node } from '../document/tree.ts';
import type { ImportTarget } from './compile.ts';
import type { ContentSlot } from './content.ts';
import { type CompiledFile, compileDocument, compileFile, failingFile } from './file.ts';
import { type InheritedNames, Surroundings, noInheritedNames } from './inherited-names.ts';
import { type LinkedProgram, link } from './link.ts';
import type { Piece, Problem } from './pieces.ts';
import { DocumentError } from '../document/document-error.ts';

export interface ProgramModule {
  /** The file, relative to the root. */
  id: string;
  /**
   * A classic script of one expression: a function of `programGlobals` that returns `function (require,
   * exports)`. `require` takes the id of another module; `exports` should have no prototype.
   */
  factory: string;
  /** The author's line of each line of the factory; absent when they are equal. */
  lines?: number[];
}

export interface DocumentProgram {
  /** Dependencies first, the document's own module last. */
  modules: ProgramModule[];
  pieceOf(node: Node): Piece | undefined;
  attributePieceOf(node: Node, attributeIndex: number): Piece | undefined;
  /** The modules that these pieces need, in the same order. */
  modulesFor(pieces: readonly Piece[]): ProgramModule[];
  /** The modules for the browser: without document code that is not interactive. */
  liveModulesFor(piece: Piece): ProgramModule[];
  /** Document content that pieces place, by number. */
  slots: readonly ContentSlot[];
  /** The slots that a piece and the pieces inside it place. */
  slotsOf(piece: Piece): number[];
  /** The names that a piece and the pieces inside it use. */
  namesUsedBy(piece: Piece): Set<string>;
  problems: Problem[];
}

export function authorLine({ lines }: ProgramModule, line: number): number {
  return lines ? (lines[line - 1] ?? lines.at(-1) ?? 1) : line;
}

/** Prefix of an imported document's name in element trees: the host renders it with its properties. */
const documentPrefix = 'document:';

export function documentElement(file: string): string {
  return `${documentPrefix}${file}`;
}

export function documentOfElement(name: string): string | undefined {
  return name.startsWith(documentPrefix) ? name.slice(documentPrefix.length) : undefined;
}

/** Characters of compiled text that a process caches. */
const maxCachedCharacters = 32 * 1024 * 1024;

export interface ProgramSources {
  resolve(specifier: string, from: string): string | undefined;
  document(file: string, parser: ParserName): Document;
  bytes(file: string): Uint8Array;
  /** Changes whenever a file changes. */
  readonly revision: number;
}

/** A page whose names its snippets inherit. */
export interface ProgramPage {
  file: string;
  document: Document;
}

interface PageLinks {
  surroundings: Surroundings;
  programs: WeakMap<Document, DocumentProgram>;
  documents: Map<string, CompiledFile>;
}

export class Programs {
  readonly #sources: ProgramSources;
  readonly #documents = new WeakMap<Document, CompiledFile>();
  #programs = new WeakMap<Document, LinkedProgram>();
  #pages = new WeakMap<Document, PageLinks>();
  readonly #files = new Map<string, CompiledFile>();
  #cachedCharacters = 0;
  #revision: number;

  constructor(sources: ProgramSources) {
    this.#sources = sources;
    this.#revision = sources.revision;
  }

  ofDocument(
    file: string,
    document: Document,
    parser: ParserName,
    page: ProgramPage = { file, document },
  ): DocumentProgram {
    if (this.#revision !== this.#sources.revision) this.#clearFiles();
    const plain = this.#plainProgram(file, document, parser);
    const { isPlain, modules } = page.document;
    if (isPlain || modules.length === 0) return plain.program;
    const links = this.#pageLinks(page, parser);
    const known = links.programs.get(document);
    if (known) return known;
    const inherits = [...plain.files].some(
      ([each, compiled]) => links.surroundings.namesFor(each, compiled).size > 0,
    );
    const program = inherits ? this.#programOnPage(file, document, parser, links) : plain.program;
    links.programs.set(document, program);
    return program;
  }

  #plainProgram(file: string, document: Document, parser: ParserName): LinkedProgram {
    const known = this.#programs.get(document);
    if (known) return known;
    const linked = link(file, (each) =>
      each === file ? this.#document(file, document) : this.#file(each, parser),
    );
    this.#programs.set(document, linked);
    return linked;
  }

  #pageLinks({ file, document }: ProgramPage, parser: ParserName): PageLinks {
    const known = this.#pages.get(document);
    if (known) return known;
    const compiledOf = (each: string): CompiledFile =>
      each === file ? this.#document(file, document) : this.#file(each, parser);
    const links = {
      surroundings: new Surroundings(file, compiledOf),
      programs: new WeakMap(),
      documents: new Map(),
    };
    this.#pages.set(document, links);
    return links;
  }

  /** The root is compiled again: its pieces depend on the names that its files inherit on this page. */
  #programOnPage(
    root: string,
    document: Document,
    parser: ParserName,
    { surroundings, documents }: PageLinks,
  ): DocumentProgram {
    const compiledOf = (file: string): CompiledFile => {
      const known = documents.get(file);
      if (known && file !== root) return known;
      const plain = file === root ? this.#document(file, document) : this.#file(file, parser);
      const inherited = surroundings.namesFor(file, plain);
      if (file === root) return this.#compileDocument(file, document, inherited);
      if (inherited.size === 0) return plain;
      if (!plain.body) return this.#file(file, parser, inherited);
      const compiled = this.#compileDocument(file, this.#sources.document(file, parser), inherited);
      documents.set(file, compiled);
      return compiled;
    };
    return link(root, compiledOf).program;
  }

  #document(file: string, document: Document): CompiledFile {
    const known = this.#documents.get(document);
    if (known) return known;
    const compiled = this.#compileDocument(file, document, noInheritedNames);
    this.#documents.set(document, compiled);
    return compiled;
  }

  #compileDocument(file: string, document: Document, inherited: InheritedNames): CompiledFile {
    return compileDocument(file, document, documentElement(file), this.#resolver(file), inherited);
  }

  #file(file: string, parser: ParserName, inherited = noInheritedNames): CompiledFile {
    try {
      if (/\.mdx?$/.test(file)) return this.#document(file, this.#sources.document(file, parser));
      const key = inherited.size === 0 ? file : JSON.stringify([file, ...inherited]);
      const known = this.#files.get(key);
      if (known) return known;
      const bytes = this.#sources.bytes(file);
      if (bytes.length > maxSourceBytes) return tooMuch(file, 'the file is larger than 1 MB');
      return this.#keep(key, compileFile(file, decodeSource(bytes), this.#resolver(file), inherited));
    } catch (error) {
      if (error instanceof UnsupportedError) return tooMuch(file, error.message);
      if (!(error instanceof DocumentError)) throw error;
      const { line, column } = error.place ?? { line: 1, column: 1 };
      return failingFile({ message: error.message, file, line, column });
    }
  }

  #keep(key: string, compiled: CompiledFile): CompiledFile {
    if (this.#cachedCharacters > maxCachedCharacters) this.#clearFiles();
    this.#cachedCharacters += compiled.factory.length;
    this.#files.set(key, compiled);
    return compiled;
  }

  #clearFiles(): void {
    this.#revision = this.#sources.revision;
    this.#programs = new WeakMap();
    this.#pages = new WeakMap();
    this.#files.clear();
    this.#cachedCharacters = 0;
  }

  #resolver(from: string): (specifier: string) => ImportTarget {
    return (specifier) => {
      if (specifier === 'react' || specifier === 'react-dom') return specifier;
      const file = this.#sources.resolve(specifier, from);
      return file !== undefined && /\.(?:mdx?|jsx?|tsx?|json)$/.test(file) ? { file } : undefined;
    };
  }
}

function tooMuch(file: string, message: string): CompiledFile {
  return failingFile({ message, file, line: 1, column: 1 });
}
