/** One site file as a compiled module: component files, data, and documents with their pieces. */
import type { Document } from '../document/document.ts';
import { type CompiledModule, type ModuleExport, type ResolveImport, compileModule } from './compile.ts';
import { programGlobals } from './globals.ts';
import { type InheritedNames, noInheritedNames } from './inherited-names.ts';
import { type Unit, unitsOf } from './liveness.ts';
import { type DocumentPieces, type Problem, piecesOf } from './pieces.ts';
import type { ImportedName } from './references.ts';
import { CompileError, parseClassicScript } from './syntax.ts';
import { withoutTypes } from './typescript.ts';

export interface CompiledFile {
  factory: string;
  lines?: number[];
  /** In import order. */
  imports: string[];
  units: Unit[];
  /** Imported names of the module scope. */
  imported: ReadonlyMap<string, ImportedName & { file: string }>;
  exports: ReadonlyMap<string, ModuleExport>;
  exportsAllOf: string[];
  runsAtOnce: string[];
  /** Names that it uses and does not define. */
  freeNames: ReadonlySet<string>;
  body?: DocumentPieces;
  /** The factory of a document with some of its pieces. */
  factoryWith?: (isKept: (piece: number) => boolean) => string;
  problems: Problem[];
}

export function compileFile(
  file: string,
  text: string,
  resolve: ResolveImport,
  inherited = noInheritedNames,
): CompiledFile {
  let lines: number[] | undefined;
  try {
    if (file.endsWith('.json')) return { ...emptyFile, factory: factoryOf(dataCode(text)) };
    const plain = withoutTypes(text, file);
    ({ lines } = plain);
    const module = compileModule(plain.code, resolve, undefined, inherited);
    return {
      ...partsOf(module, resolve, inherited),
      factory: factoryOf(module.code),
      ...(lines && { lines }),
      problems: [],
    };
  } catch (error) {
    return failedFile(file, error, lines);
  }
}

function failedFile(file: string, error: unknown, lines?: readonly number[]): CompiledFile {
  /** The recursive walk overflowed the stack, because the caller was deep in it already. */
  if (error instanceof RangeError)
    return failingFile({ message: 'the code is nested too deeply', file, line: 1, column: 1 });
  if (!(error instanceof CompileError)) throw error;
  const line = lines?.[error.line - 1] ?? error.line;
  return failingFile({ message: error.message, file, line, column: error.column });
}

const emptyFile = {
  imports: [],
  units: [],
  imported: new Map(),
  exports: new Map(),
  exportsAllOf: [],
  runsAtOnce: [],
  freeNames: new Set<string>(),
  problems: [],
};

/** Replaces a file that cannot be compiled: its importers get the reason. */
export function failingFile(problem: Problem): CompiledFile {
  const message = `${problem.file} cannot be used: ${problem.message}`;
  return {
    ...emptyFile,
    factory: factoryOf(`throw new Error(${JSON.stringify(message)});`),
    lines: [problem.line],
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
  inherited: InheritedNames,
): Omit<CompiledFile, 'factory' | 'lines' | 'body' | 'problems'> {
  const imported = new Map<string, ImportedName & { file: string }>();
  for (const [local, { file, name }] of inherited) imported.set(local, { specifier: file, name, file });
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
    freeNames: module.freeNames,
  };
}

/** `element` is the document's name in element trees. */
export function compileDocument(
  file: string,
  document: Document,
  element: string,
  resolve: ResolveImport,
  inherited = noInheritedNames,
): CompiledFile {
  try {
    return linkedDocument(file, document, element, resolve, inherited);
  } catch (error) {
    return failedFile(file, error);
  }
}

function linkedDocument(
  file: string,
  document: Document,
  element: string,
  resolve: ResolveImport,
  inherited: InheritedNames,
): CompiledFile {
  const { module, lines, problems } = compileBlocks(file, document, resolve, inherited);
  const body = piecesOf(file, document, module.textOf, inherited);
  const own = `$$define($$exports, ["default", () => ${JSON.stringify(element)}, "$pieces", () => $$pieces]);`;
  lines.push(lines.at(-1) ?? 1);
  for (const { code, line } of body.pieces)
    code.split('\n').forEach((_text, index) => lines.push(line + index));
  lines.push(lines.at(-1) ?? 1);
  const factoryWith = (isKept: (piece: number) => boolean): string => {
    const codes = body.pieces.map(({ code, index }) => (isKept(index) ? `${code},` : 'null,'));
    return factoryOf([`${own}${module.code}\n;const $$pieces = [`, ...codes, '];'].join('\n'));
  };
  return {
    ...partsOf(module, resolve, inherited),
    factory: factoryWith(() => true),
    factoryWith,
    lines,
    body,
    problems: [...problems, ...body.problems],
  };
}

interface Blocks {
  module: CompiledModule;
  lines: number[];
  problems: Problem[];
}

/** Exports that the document defines. */
const ownExports: ReadonlySet<string> = new Set(['default', '$pieces']);

/**
 * Compiles the `import` and `export` lines of a document as one module; when that fails, only the blocks that
 * parse.
 */
function compileBlocks(
  file: string,
  { modules }: Document,
  resolve: ResolveImport,
  inherited: InheritedNames,
): Blocks {
  const compileAll = (blocks: Document['modules'], problems: Problem[]): Blocks => ({
    module: compileModule(blocks.map(({ source }) => source).join('\n'), resolve, ownExports, inherited),
    lines: blocks.flatMap(({ source, line }) => source.split('\n').map((_text, index) => line + index)),
    problems,
  });
  try {
    return compileAll(modules, []);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const { readable, problems } = readableBlocks(file, modules);
    try {
      return compileAll(readable, problems);
    } catch {
      return compileAll([], [{ message: error.message, file, line: modules[0]?.line ?? 1, column: 1 }]);
    }
  }
}

/** Omits blocks that do not parse, and blocks that redeclare names of an earlier one. */
function readableBlocks(
  file: string,
  modules: Document['modules'],
): { readable: Document['modules']; problems: Problem[] } {
  const problems: Problem[] = [];
  const known = new Set<string>();
  const readable = modules.filter(({ source, line }) => {
    try {
      const { scopes, exports } = compileModule(source, () => undefined);
      const names = new Set([...scopes.top.keys(), ...exports.keys()]);
      for (const name of names)
        if (known.has(name)) throw new CompileError(`"${name}" is declared twice`, 1, 1);
      for (const name of names) known.add(name);
      return true;
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      problems.push({ message: error.message, file, line: line + error.line - 1, column: error.column });
      return false;
    }
  });
  return { readable, problems };
}

/**
 * Names are defined one by one and never assigned, so that an export or property called `__proto__` is an
 * ordinary one.
 */
const prologue =
  `const $$react = React, $$reactDom = ReactDOM, $$jsx = React.createElement, $$fragment = React.Fragment,
$$own = (object, name) => object != null && Object.prototype.hasOwnProperty.call(object, name),
$$define = (to, pairs) => { for (let at = 0; at < pairs.length; at += 2)
Object.defineProperty(to, pairs[at], { enumerable: true, get: pairs[at + 1] }); },
$$defineAll = (to, from) => { for (const name of Object.keys(from)) if (name !== "default" && !$$own(to, name))
$$define(to, [name, () => from[name]]); },
$$words = (text) => text,
$$element = (type, props, children) => $$jsx(type, props, ...children);`.replaceAll('\n', ' ');

/**
 * The script of a compiled module: a function of `programGlobals` around the author's code. Its lines are lines of
 * the code. Security: the factory, parsed as a classic script, must be exactly the wrapping function, so that the
 * author's text cannot escape from it.
 */
export function factoryOf(code: string): string {
  const before = `(function (${programGlobals.join(', ')}) { ${prologue} return `;
  const inner = `function ($$require, $$exports) { 'use strict'; ${code}\n}`;
  const factory = `${before}${inner} })`;
  const [statement, ...more] = parseClassicScript(factory).body;
  const outer = statement?.type === 'ExpressionStatement' ? statement.expression : undefined;
  const body = outer?.type === 'FunctionExpression' ? outer.body.body : [];
  const returned = body[1]?.type === 'ReturnStatement' ? body[1].argument : undefined;
  const isWhole =
    more.length === 0 &&
    body.length === 2 &&
    returned?.type === 'FunctionExpression' &&
    returned.start === before.length &&
    returned.end === before.length + inner.length;
  if (!isWhole) throw new CompileError('the code cannot be made into a script', 1, 1);
  return factory;
}
