/** One file of the site as a compiled module: component files, data, and documents with the pieces of their body. */
import type { Document } from '../page/document.ts';
import {
  type CompiledModule,
  type ModuleExport,
  type ResolveImport,
  compileModule,
  factoryOf,
} from './compile.ts';
import { type Unit, unitsOf } from './liveness.ts';
import { type DocumentPieces, type Problem, piecesOf } from './pieces.ts';
import type { ImportedName } from './scope.ts';
import { CompileError } from './syntax.ts';
import { withoutTypes } from './types.ts';

export interface CompiledFile {
  factory: string;
  lines?: number[];
  /** The files that it imports, in order. */
  imports: string[];
  units: Unit[];
  /** Names of the top that are imported. */
  imported: ReadonlyMap<string, ImportedName & { file: string }>;
  exports: ReadonlyMap<string, ModuleExport>;
  exportsAllOf: string[];
  runsAtOnce: string[];
  body?: DocumentPieces;
  problems: Problem[];
}

export function compileFile(file: string, text: string, resolve: ResolveImport): CompiledFile {
  const failed = (error: unknown, lines?: number[]): CompiledFile => {
    if (!(error instanceof CompileError)) throw error;
    const line = lines?.[error.line - 1] ?? error.line;
    return failingFile({ message: error.message, file, line, column: error.column });
  };
  let lines: number[] | undefined;
  try {
    if (file.endsWith('.json')) return { ...emptyFile, factory: factoryOf(dataCode(text)) };
    const plain = withoutTypes(text, file);
    ({ lines } = plain);
    const module = compileModule(plain.code, resolve);
    return {
      ...partsOf(module, resolve),
      factory: factoryOf(module.code),
      ...(lines && { lines }),
      problems: [],
    };
  } catch (error) {
    return failed(error, lines);
  }
}

const emptyFile = {
  imports: [],
  units: [],
  imported: new Map(),
  exports: new Map(),
  exportsAllOf: [],
  runsAtOnce: [],
  problems: [],
};

/** Stands for a file that cannot be compiled: whoever needs it is told why. */
export function failingFile(problem: Problem): CompiledFile {
  const message = `${problem.file} cannot be used: ${problem.message}`;
  return {
    ...emptyFile,
    factory: factoryOf(`throw new Error(${JSON.stringify(message)});`),
    problems: [problem],
  };
}

function dataCode(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    throw new CompileError('this is not valid JSON', 1, 1);
  }
  const data = `const $$default = JSON.parse(${JSON.stringify(text)});`;
  return `${data} $$define($$exports, ["default", () => $$default]); $$defineAll($$exports, Object($$default));`;
}

function partsOf(
  module: CompiledModule,
  resolve: ResolveImport,
): Omit<CompiledFile, 'factory' | 'lines' | 'body' | 'problems'> {
  const imported = new Map<string, ImportedName & { file: string }>();
  for (const [local, from] of module.scopes.top) {
    const target = from && resolve(from.specifier);
    if (from && typeof target === 'object') imported.set(local, { ...from, file: target.file });
  }
  return {
    imports: module.imports,
    units: unitsOf(module.program, module.scopes),
    imported,
    exports: module.exports,
    exportsAllOf: module.exportsAllOf,
    runsAtOnce: module.runsAtOnce,
  };
}

/** `element` is the name under which the document itself stands in a tree of elements. */
export function compileDocument(
  file: string,
  document: Document,
  element: string,
  resolve: ResolveImport,
): CompiledFile {
  const { source, lines, problems } = readableBlocks(file, document);
  const module = compileModule(source, resolve);
  const body = piecesOf(file, document, module.textOf);
  const own = `$$define($$exports, ["default", () => ${JSON.stringify(element)}, "$pieces", () => $$pieces]);`;
  const parts = [`${own}${module.code}\n;const $$pieces = [`];
  lines.push(lines.at(-1) ?? 1);
  for (const { code, line } of body.pieces) {
    parts.push(`${code},`);
    for (let offset = 0; offset <= code.split('\n').length - 1; offset++) lines.push(line + offset);
  }
  parts.push('];');
  lines.push(lines.at(-1) ?? 1);
  return {
    ...partsOf(module, resolve),
    factory: factoryOf(parts.join('\n')),
    lines,
    body,
    problems: [...problems, ...body.problems],
  };
}

/** The `import` and `export` lines of a document as one source; blocks that cannot be read are told and left out. */
function readableBlocks(
  file: string,
  { modules }: Document,
): { source: string; lines: number[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const nothing: ResolveImport = () => undefined;
  const declared = new Set<string>();
  const readable = modules.filter(({ source, line }) => {
    try {
      const { scopes, exports } = compileModule(source, nothing);
      if (exports.has('default'))
        throw new CompileError('a document has no default export besides itself', 1, 1);
      for (const name of scopes.top.keys())
        if (declared.has(name)) throw new CompileError(`"${name}" is declared twice`, 1, 1);
      for (const name of scopes.top.keys()) declared.add(name);
      return true;
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      problems.push({ message: error.message, file, line: line + error.line - 1, column: error.column });
      return false;
    }
  });
  return {
    source: readable.map(({ source }) => source).join('\n'),
    lines: readable.flatMap(({ source, line }) => source.split('\n').map((_text, index) => line + index)),
    problems,
  };
}
