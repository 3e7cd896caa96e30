/**
 * The program of a document: its own code and everything that it imports, compiled, and which pieces of its body are
 * code. What cannot be compiled is told and left out; the rest stands.
 */
import { Unsupported } from '../evaluate/values.ts';
import type { Document } from '../page/document.ts';
import { DocumentError } from '../page/failure.ts';
import type { ParserName } from '../page/parser.ts';
import { decodeSource, maximumSourceBytes } from '../page/source.ts';
import type { Node } from '../page/tree.ts';
import type { ImportTarget } from './compile.ts';
import type { ContentSlot } from './content.ts';
import { type CompiledFile, compileDocument, compileFile, failingFile } from './file.ts';
import { ProgramGraph } from './program-graph.ts';
import type { CompiledPiece, Piece, Problem } from './pieces.ts';

export interface ProgramModule {
  /** The file, relative to the root. */
  id: string;
  /**
   * A classic script that is one expression: a function of `programGlobals` that gives `function (require, exports)`.
   * `require` takes the id of another module; `exports` should have no prototype.
   */
  factory: string;
  /** The author's line of each line of the factory; absent when they are the same. */
  lines?: number[];
}

export interface DocumentProgram {
  /** Dependencies first, the document's own module last. */
  modules: ProgramModule[];
  pieceOf(node: Node): Piece | undefined;
  attributePieceOf(node: Node, attributeIndex: number): Piece | undefined;
  /** The modules that these pieces of the document need, in the same order. */
  modulesFor(pieces: readonly Piece[]): ProgramModule[];
  /** The same as the browser needs them: without code of the document that does nothing there. */
  liveModulesFor(piece: Piece): ProgramModule[];
  /** Content of the document that pieces place, by number. */
  slots: readonly ContentSlot[];
  /** The numbers of the content that a piece and the pieces inside of it place. */
  slotsOf(piece: Piece): number[];
  /** The names that a piece and the pieces inside of it use: of the module, or of what the document was given. */
  namesUsedBy(piece: Piece): Set<string>;
  problems: Problem[];
}

/** Where in the author's file a line of a module comes from. */
export function authorLine({ lines }: ProgramModule, line: number): number {
  return lines ? (lines[line - 1] ?? lines.at(-1) ?? 1) : line;
}

/** The name under which an imported document stands in a tree of elements: the host renders it, with its properties. */
const documentPrefix = 'document:';

export function documentElement(file: string): string {
  return `${documentPrefix}${file}`;
}

export function documentOfElement(name: string): string | undefined {
  return name.startsWith(documentPrefix) ? name.slice(documentPrefix.length) : undefined;
}

const maximumModules = 200;
const maximumLength = 2 * 1024 * 1024;
/** Compiled text that a process keeps. */
const maximumKeptLength = 32 * 1024 * 1024;

/** The files of the site, as `ModuleSources` gives them. */
export interface ProgramSources {
  resolve(specifier: string, from: string): string | undefined;
  document(file: string, parser: ParserName): Document;
  bytes(file: string): Uint8Array;
  /** Changes whenever a file is not what it was. */
  readonly revision: number;
}

/** The programs of a site's documents. One instance serves a process. */
export class Programs {
  readonly #sources: ProgramSources;
  readonly #documents = new WeakMap<Document, CompiledFile>();
  #programs = new WeakMap<Document, DocumentProgram>();
  readonly #files = new Map<string, CompiledFile>();
  #keptLength = 0;
  #revision: number;

  constructor(sources: ProgramSources) {
    this.#sources = sources;
    this.#revision = sources.revision;
  }

  ofDocument(file: string, document: Document, parser: ParserName): DocumentProgram {
    if (this.#revision !== this.#sources.revision) this.#forgetFiles();
    const known = this.#programs.get(document);
    if (known) return known;
    const program = this.#link(file, document, parser);
    this.#programs.set(document, program);
    return program;
  }

  #link(root: string, document: Document, parser: ParserName): DocumentProgram {
    const files = new Map<string, CompiledFile>();
    const ordered: string[] = [];
    const leftOut = new Map<string, Problem>();
    let length = 0;
    const leaveOut = (file: string, message: string): void => {
      leftOut.set(message, { message, file, line: 1, column: 1 });
    };
    const add = (file: string): void => {
      if (files.has(file)) return;
      if (files.size === maximumModules)
        return leaveOut(file, `more than ${maximumModules} files are imported`);
      const compiled = file === root ? this.#document(file, document) : this.#file(file, parser);
      length += compiled.factory.length;
      if (length > maximumLength) return leaveOut(file, 'more than 2 MB of code are imported');
      files.set(file, compiled);
      compiled.imports.forEach(add);
      ordered.push(file);
    };
    add(root);
    return programOf(root, files, ordered, [...leftOut.values()]);
  }

  #document(file: string, document: Document): CompiledFile {
    const known = this.#documents.get(document);
    if (known) return known;
    const compiled = compileDocument(file, document, documentElement(file), this.#resolver(file));
    this.#documents.set(document, compiled);
    return compiled;
  }

  #file(file: string, parser: ParserName): CompiledFile {
    try {
      if (/\.mdx?$/.test(file)) return this.#document(file, this.#sources.document(file, parser));
      const known = this.#files.get(file);
      if (known) return known;
      const bytes = this.#sources.bytes(file);
      if (bytes.length > maximumSourceBytes) return tooMuch(file, 'the file is larger than 1 MB');
      return this.#keep(file, compileFile(file, decodeSource(bytes), this.#resolver(file)));
    } catch (error) {
      if (error instanceof Unsupported) return tooMuch(file, error.message);
      if (!(error instanceof DocumentError)) throw error;
      const { line, column } = error.place ?? { line: 1, column: 1 };
      return failingFile({ message: error.message, file, line, column });
    }
  }

  #keep(file: string, compiled: CompiledFile): CompiledFile {
    if (this.#keptLength > maximumKeptLength) this.#forgetFiles();
    this.#keptLength += compiled.factory.length;
    this.#files.set(file, compiled);
    return compiled;
  }

  #forgetFiles(): void {
    this.#revision = this.#sources.revision;
    this.#programs = new WeakMap();
    this.#files.clear();
    this.#keptLength = 0;
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

function programOf(
  root: string,
  files: ReadonlyMap<string, CompiledFile>,
  ordered: readonly string[],
  leftOut: readonly Problem[],
): DocumentProgram {
  const graph = new ProgramGraph(files);
  const body = files.get(root)?.body;
  const pieces = body?.pieces ?? [];
  for (const piece of pieces) {
    piece.interactive = graph.isLive(root, piece);
    const isLive = (index: number): boolean =>
      pieces[index]?.interactive === true || pieces[index]?.content?.interactive === true;
    if (piece.content) piece.content.interactive = piece.shownPieces.some(isLive);
  }
  const modules = ordered.flatMap((id): ProgramModule[] => {
    const compiled = files.get(id);
    if (!compiled) return [];
    return [{ id, factory: compiled.factory, ...(compiled.lines && { lines: compiled.lines }) }];
  });
  let live: ProgramModule[] | undefined;
  return {
    modules,
    pieceOf: (node) => body?.ofNode.get(node),
    attributePieceOf: (node, index) => body?.ofAttributes.get(node)?.[index],
    modulesFor: (asked) => {
      const needed = graph.filesNeededBy(root, withInner(pieces, asked));
      return modules.filter(({ id }) => needed.has(id));
    },
    liveModulesFor: (piece) => {
      const needed = graph.filesNeededBy(root, withInner(pieces, [piece]));
      live ??= liveModules(root, files.get(root), modules);
      return live.filter(({ id }) => needed.has(id));
    },
    namesUsedBy: (piece) => new Set(withInner(pieces, [piece]).flatMap(({ uses }) => [...uses])),
    slots: body?.slots ?? [],
    slotsOf: (piece) =>
      withInner(pieces, [piece]).flatMap(({ content }) => {
        if (!content) return [];
        const { first, last } = content.parts;
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      }),
    problems: [...[...files.values()].flatMap(({ problems }) => problems), ...leftOut],
  };
}

function liveModules(
  root: string,
  compiled: CompiledFile | undefined,
  modules: readonly ProgramModule[],
): ProgramModule[] {
  const pieces = compiled?.body?.pieces ?? [];
  const isLive = ({ interactive, content }: CompiledPiece): boolean =>
    interactive || content?.interactive === true;
  const kept = new Set(withInner(pieces, pieces.filter(isLive)).map(({ index }) => index));
  const factory = compiled?.factoryWith?.((index) => kept.has(index));
  return modules.map((module) => (module.id === root && factory ? { id: root, factory } : module));
}

/** Pieces with all those that they run. */
function withInner(pieces: readonly CompiledPiece[], asked: readonly Piece[]): CompiledPiece[] {
  const found = new Set(asked.flatMap(({ index }) => pieces[index] ?? []));
  /** What is added while the set is walked is walked as well. */
  for (const piece of found)
    for (const index of piece.pieces) {
      const inner = pieces[index];
      if (inner) found.add(inner);
    }
  return [...found];
}
