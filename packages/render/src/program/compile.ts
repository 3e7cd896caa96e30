/**
 * Compiles one file of an author's code into the form that QuickJS and the browser run: the body of a
 * function with the parameters `require` and `exports`. Line numbers stay the author's. Nothing runs here.
 */
import type { ExportDefaultDeclaration, ExportNamedDeclaration, Node, Program } from 'estree-jsx';
import { builtInText, isBuiltInName } from './built-in-names.ts';
import { Edits } from './edits.ts';
import { programGlobals } from './globals.ts';
import { type InheritedNames, noInheritedNames } from './inherited-names.ts';
import { type NameText, rewriteCode } from './rewrite.ts';
import type { ImportedName, Reference, Scopes } from './references.ts';
import { analyseScopes } from './scope.ts';
import { errorAt, parseScript } from './syntax.ts';

/** The target of an import: a site file by its path, React, or undefined when it does not exist. */
export type ImportTarget = { file: string } | 'react' | 'react-dom' | undefined;
export type ResolveImport = (specifier: string) => ImportTarget;

/** The origin of an exported name: the module's own name, or a name of another file. */
export interface ModuleExport {
  local: string;
  file?: string;
}

export interface CompiledModule {
  /** The body of `function ($$require, $$exports)`; `$$require` takes the path of a site file. */
  code: string;
  /** In import order. */
  imports: string[];
  program: Program;
  scopes: Scopes;
  exports: Map<string, ModuleExport>;
  /** The targets of `export * from`. */
  exportsAllOf: string[];
  /** Files that run together with the module instead of at first use. */
  runsAtOnce: string[];
  /** How a piece of the same module reads a name that the module imports or declares. */
  textOf: NameText;
  /** Requested names that the module does not define. */
  freeNames: ReadonlySet<string>;
}

const globals: ReadonlySet<string> = new Set(programGlobals);
const packages = { react: '$$react', 'react-dom': '$$reactDom' };
const reservedName =
  /^\$\$(?:react|reactDom|jsx|fragment|define|defineAll|own|element|require|exports|default|pieces|given|content|words|whole|[int]\d+)$/;

/** Exports named in `notExported` are dropped: the caller defines them. */
export function compileModule(
  source: string,
  resolve: ResolveImport,
  notExported: ReadonlySet<string> = new Set(),
  inherited = noInheritedNames,
): CompiledModule {
  const program = parseScript(source);
  const scopes = analyseScopes(program);
  refuseReservedNames(source, program, scopes);
  const edits = new Edits(source);
  const head = new Head(scopes, resolve, notExported, inherited);
  rewriteCode(source, program, scopes.references, head.textOf, edits);
  program.body.forEach((statement, index) => {
    rewriteStatement(statement, source, scopes.declared[index] ?? [], head, edits);
  });
  return {
    code: `${head.text()}${edits.result()}`,
    imports: head.imports,
    program,
    scopes,
    exports: head.exports,
    exportsAllOf: head.exportsAllOf,
    runsAtOnce: head.runsAtOnce,
    textOf: head.textOf,
    freeNames: head.freeNames,
  };
}

function refuseReservedNames(source: string, program: Program, { top }: Scopes): void {
  for (const name of top.keys())
    if (reservedName.test(name)) throw errorAt(source, program, `the name "${name}" is reserved`);
}

/** The prologue of a module: its exports, and a function for each imported name. */
class Head {
  readonly imports: CompiledModule['imports'] = [];
  readonly exports: CompiledModule['exports'] = new Map();
  readonly exportsAllOf: string[] = [];
  readonly runsAtOnce: string[] = [];
  readonly freeNames = new Set<string>();
  readonly #resolve: ResolveImport;
  readonly #notExported: ReadonlySet<string>;
  readonly #top: Scopes['top'];
  readonly #accessors = new Map<string, string>();
  readonly #readers: string[] = [];
  readonly #definitions: string[] = [];
  readonly #actions: string[] = [];

  constructor(
    { top }: Scopes,
    resolve: ResolveImport,
    notExported: ReadonlySet<string>,
    inherited: InheritedNames,
  ) {
    this.#top = top;
    this.#resolve = resolve;
    this.#notExported = notExported;
    for (const [local, { file, name }] of inherited) {
      if (top.has(local)) continue;
      this.#declareReader(local, { file }, name);
      this.imports.push(file);
    }
    for (const [local, imported] of top) if (imported) this.#declareImport(local, imported);
  }

  readonly textOf: NameText = (name, use) => {
    if (!this.#top.has(name)) return globals.has(name) ? name : this.#freeText(name, use);
    if (this.#top.get(name) === undefined) return name;
    return this.#accessors.get(name) ?? (use === 'element' ? undefined : name);
  };

  /** Imports are read at use, so that a failing file affects only the code that needs it. */
  #declareImport(local: string, { specifier, name }: ImportedName): void {
    const target = this.#resolve(specifier);
    if (target === undefined) return;
    if (typeof target === 'string') this.#accessors.set(local, valueText(target, name));
    else this.#declareReader(local, target, name);
  }

  #declareReader(local: string, target: { file: string }, name: string): void {
    const reader = `$$i${this.#readers.length}`;
    this.#readers.push(`${reader} = () => ${valueText(target, name)}`);
    this.#accessors.set(local, `${reader}()`);
  }

  #freeText(name: string, use: Reference['use']): string | undefined {
    this.freeNames.add(name);
    const inherited = use === 'write' ? undefined : this.#accessors.get(name);
    return inherited ?? builtInValue(name, use);
  }

  addImport(specifier: string, forItsEffect: boolean): void {
    const target = this.#resolve(specifier);
    const file = typeof target === 'object' ? target.file : undefined;
    if (file === undefined) return;
    this.imports.push(file);
    if (!forItsEffect) return;
    this.runsAtOnce.push(file);
    this.#actions.push(`$$require(${JSON.stringify(file)});`);
  }

  export(name: string, local: string): void {
    if (this.#notExported.has(name)) return;
    this.exports.set(name, { local });
    this.#definitions.push(`${JSON.stringify(name)}, () => ${this.textOf(local, 'read') ?? local}`);
  }

  exportFrom(name: string, specifier: string, imported: string): void {
    const target = this.#resolve(specifier);
    if (target === undefined || this.#notExported.has(name)) return;
    if (typeof target !== 'string') this.exports.set(name, { local: imported, file: target.file });
    this.#definitions.push(`${JSON.stringify(name)}, () => ${valueText(target, imported)}`);
  }

  exportAll(specifier: string): void {
    const target = this.#resolve(specifier);
    if (target === undefined) return;
    if (typeof target !== 'string') {
      this.exportsAllOf.push(target.file);
      this.runsAtOnce.push(target.file);
    }
    this.#actions.push(`$$defineAll($$exports, ${valueText(target, '*')});`);
  }

  text(): string {
    const exports = this.#definitions.length ? `$$define($$exports, [${this.#definitions.join(', ')}]);` : '';
    const readers = this.#readers.length ? `const ${this.#readers.join(', ')};` : '';
    return `${exports}${readers}${this.#actions.join('')}`;
  }
}

/** The component as a value. In an element its name is a string. */
function builtInValue(name: string, use: Reference['use']): string | undefined {
  return (use === 'read' || use === 'typeof') && isBuiltInName(name) ? builtInText(name) : undefined;
}

function valueText(target: Exclude<ImportTarget, undefined>, name: string): string {
  const isWhole = name === '*' || (typeof target === 'string' && name === 'default');
  const module = typeof target === 'string' ? packages[target] : `$$require(${JSON.stringify(target.file)})`;
  return isWhole ? module : `${module}[${JSON.stringify(name)}]`;
}

function rewriteStatement(
  node: Program['body'][number],
  source: string,
  declared: readonly string[],
  head: Head,
  edits: Edits,
): void {
  switch (node.type) {
    case 'ImportDeclaration':
      head.addImport(String(node.source.value), node.specifiers.length === 0);
      return edits.replace(node.start, node.end, ';');
    case 'ExportAllDeclaration': {
      const specifier = String(node.source.value);
      head.addImport(specifier, false);
      if (node.exported) head.exportFrom(nameOf(node.exported), specifier, '*');
      else head.exportAll(specifier);
      return edits.replace(node.start, node.end, ';');
    }
    case 'ExportNamedDeclaration':
      return rewriteNamedExport(node, declared, head, edits);
    case 'ExportDefaultDeclaration':
      return rewriteDefaultExport(node, source, head, edits);
    default:
  }
}

function rewriteNamedExport(
  node: ExportNamedDeclaration,
  declared: readonly string[],
  head: Head,
  edits: Edits,
): void {
  const { declaration, source } = node;
  if (declaration) {
    for (const name of declared) head.export(name, name);
    return edits.replace(node.start, declaration.start, ';');
  }
  if (source) head.addImport(String(source.value), false);
  for (const { local, exported } of node.specifiers) {
    if (source) head.exportFrom(nameOf(exported), String(source.value), nameOf(local));
    else head.export(nameOf(exported), nameOf(local));
  }
  edits.replace(node.start, node.end, ';');
}

const exportDefault = /export(?:\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\/\/[^\n]*\n)*default/y;
const functionHead = /(?:async\b|function\b|\*|\s|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|\/\/[^\n]*\n)+/y;

function rewriteDefaultExport(
  node: ExportDefaultDeclaration,
  source: string,
  head: Head,
  edits: Edits,
): void {
  const { declaration } = node;
  const keywordsEnd = endOfMatch(exportDefault, source, node.start);
  if (declaration.type !== 'FunctionDeclaration' && declaration.type !== 'ClassDeclaration') {
    head.export('default', '$$default');
    return edits.replace(node.start, keywordsEnd, ';const $$default =');
  }
  head.export('default', declaration.id ? declaration.id.name : '$$default');
  edits.replace(node.start, keywordsEnd, ';');
  if (declaration.id) return;
  const nameAt =
    declaration.type === 'ClassDeclaration'
      ? declaration.start + 'class'.length
      : endOfMatch(functionHead, source, declaration.start);
  edits.insert(nameAt, ' $$default');
}

function endOfMatch(pattern: RegExp, source: string, from: number): number {
  pattern.lastIndex = from;
  pattern.test(source);
  return pattern.lastIndex;
}

function nameOf(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'Literal' ? String(node.value) : '';
}
