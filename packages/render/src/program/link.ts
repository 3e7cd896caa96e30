/**
 * Links the compiled files of a document: selects the files that its pieces need and the pieces that are
 * interactive.
 */
import type { CompiledFile } from './file.ts';
import type { CompiledPiece, Piece, Problem } from './pieces.ts';
import { ProgramGraph } from './program-graph.ts';
import type { DocumentProgram, ProgramModule } from './program.ts';

export interface LinkedProgram {
  program: DocumentProgram;
  files: ReadonlyMap<string, CompiledFile>;
}

const maxModules = 200;
const maxLength = 2 * 1024 * 1024;

export function link(root: string, compiledOf: (file: string) => CompiledFile): LinkedProgram {
  const files = new Map<string, CompiledFile>();
  const ordered: string[] = [];
  const leftOut = new Map<string, Problem>();
  let length = 0;
  const leaveOut = (file: string, message: string): void => {
    leftOut.set(message, { message, file, line: 1, column: 1 });
  };
  const add = (file: string): void => {
    if (files.has(file)) return;
    if (files.size === maxModules) return leaveOut(file, `more than ${maxModules} files are imported`);
    const compiled = compiledOf(file);
    length += compiled.factory.length;
    if (length > maxLength) return leaveOut(file, 'more than 2 MB of code are imported');
    files.set(file, compiled);
    compiled.imports.forEach(add);
    ordered.push(file);
  };
  add(root);
  return { program: programOf(root, files, ordered, [...leftOut.values()]), files };
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
    modulesFor: (requested) => {
      const needed = graph.filesNeededBy(root, withInner(pieces, requested));
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

function withInner(pieces: readonly CompiledPiece[], requested: readonly Piece[]): CompiledPiece[] {
  const found = new Set(requested.flatMap(({ index }) => pieces[index] ?? []));
  /** A set's iteration also visits the values added during it. */
  for (const piece of found)
    for (const index of piece.pieces) {
      const inner = pieces[index];
      if (inner) found.add(inner);
    }
  return [...found];
}
