/** Evaluates a page's imports anew for each page, so that no page can influence another. */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import type { ExportNamedDeclaration, ExpressionStatement, ImportDeclaration, Program } from 'estree-jsx';
import { type Evaluator } from '../evaluate/evaluator.ts';
import { parseModule } from '../evaluate/parse.ts';
import { unsupported } from '../evaluate/methods.ts';
import { Foreign, FunctionValue, Scope, UnsupportedError, type Value } from '../evaluate/values.ts';
import type { FilePlace } from '../model/diagnostic.ts';
import type { Document } from '../document/document.ts';
import type { ModuleSources } from './module-sources.ts';
import type { ParserName } from '../document/parser.ts';

export interface Module {
  file: string;
  scope: Scope;
  /** The content of a Markdown module; component files have none. */
  document?: Document;
}

export function isModule(content: unknown): content is Module {
  return typeof content === 'object' && content !== null && 'scope' in content && 'file' in content;
}

export interface ModuleHost {
  evaluator: Evaluator;
  report(code: DiagnosticCode, message: string, place: FilePlace | undefined, hint?: string): void;
}

const maxImportDepth = 20;

export class PageModules {
  readonly #sources: ModuleSources;
  readonly #host: ModuleHost;
  readonly #parser: ParserName;
  readonly #loaded = new Map<string, Module>();
  readonly #importers = new Map<string, Module[]>();
  #page: Module | undefined;

  constructor(sources: ModuleSources, host: ModuleHost, parser: ParserName) {
    this.#sources = sources;
    this.#host = host;
    this.#parser = parser;
  }

  get files(): string[] {
    return [...this.#loaded.keys()];
  }

  document(file: string): Module | undefined {
    return /\.mdx?$/.test(file) && this.#sources.resolve(`/${file}`, '') === file
      ? this.#load(file, 0)
      : undefined;
  }

  /** `from` is the including file. */
  snippet(name: string, from: string | undefined): Module | undefined {
    const file = this.#sources.resolveSnippet(name);
    if (file === undefined) return undefined;
    const includer = from === undefined ? undefined : this.#loaded.get(from);
    if (includer) this.#noteImporter(file, includer);
    return this.#load(file, 0);
  }

  /** A page is a module too: its expressions are evaluated in the scope of its imports and exports. */
  ofDocument(file: string, document: Document, depth = 0): Module {
    const module: Module = { file, scope: new Scope(this.#scopeAround(file)), document };
    this.#page ??= module;
    this.#loaded.set(file, module);
    const blocks = document.modules.flatMap(({ source, line }) => {
      try {
        return [{ program: parseModule(source), line }];
      } catch (error) {
        if (!(error instanceof UnsupportedError)) throw error;
        this.#host.report('module_unsupported', error.message, { file, line, column: 1 });
        return [];
      }
    });
    for (const { program, line } of blocks) this.#declareAll(program, module, line, depth);
    if (blocks.some(({ program }) => program.body.some(mustBeRun))) module.scope.withhold();
    return module;
  }

  /**
   * A name that a file does not define resolves in the documents that include it, the nearest first and the
   * page last.
   */
  #scopeAround(file: string): Scope {
    const { standard } = this.#host.evaluator;
    if (this.#page === undefined) return standard;
    return new SurroundingScope(standard, (name) => {
      const around = new Set(this.#importers.get(file));
      /** A set's iteration also visits the values added during it. */
      for (const { document, scope, file: includer } of around) {
        if (document && scope.defines(name)) return scope;
        for (const next of this.#importers.get(includer) ?? []) around.add(next);
      }
      return this.#page?.scope.defines(name) ? this.#page.scope : undefined;
    });
  }

  #noteImporter(file: string, importer: Module): void {
    const known = this.#importers.get(file);
    if (!known) this.#importers.set(file, [importer]);
    else if (!known.includes(importer)) known.push(importer);
  }

  #load(file: string, depth: number): Module {
    const known = this.#loaded.get(file);
    if (known) return known;
    if (depth > maxImportDepth) throw new UnsupportedError('imports are nested too deeply');
    if (/\.mdx?$/.test(file)) return this.ofDocument(file, this.#sources.document(file, this.#parser), depth);
    const module: Module = { file, scope: new Scope(this.#scopeAround(file)) };
    this.#loaded.set(file, module);
    if (file.endsWith('.json'))
      module.scope.define('default', this.#sources.data(file, this.#host.evaluator));
    else {
      const program = this.#sources.program(file);
      this.#declareAll(program, module, 1, depth);
      if (program.body.some(mustBeRun)) module.scope.withhold();
    }
    return module;
  }

  #declareAll(program: Program, module: Module, line: number, depth: number): void {
    const { evaluator } = this.#host;
    const declare = (node: Program['body'][number]): void => {
      if (node.type === 'ImportDeclaration') this.#import(node, module, line, depth);
      else if (node.type === 'ExportNamedDeclaration' && node.declaration) declare(node.declaration);
      else if (node.type === 'ExportNamedDeclaration') this.#exportNames(node, module, depth);
      else if (node.type === 'VariableDeclaration') evaluator.declare(node, module.scope);
      else if (node.type === 'FunctionDeclaration')
        module.scope.define(node.id.name, new FunctionValue(node, module.scope));
      else if (node.type === 'ClassDeclaration')
        module.scope.defineLazily(node.id.name, () => unsupported('a class'));
      else if (node.type === 'ExportDefaultDeclaration') this.#declareDefault(node.declaration, module);
    };
    for (const node of program.body) declare(node);
  }

  #declareDefault(
    declaration: Extract<Program['body'][number], { type: 'ExportDefaultDeclaration' }>['declaration'],
    module: Module,
  ): void {
    const { scope } = module;
    const define = (name: string, value: () => Value): void => scope.defineLazily(name, value);
    if (declaration.type === 'FunctionDeclaration') {
      const made = new FunctionValue(declaration as never, scope);
      for (const name of ['default', declaration.id?.name]) if (name) scope.define(name, made);
    } else if (declaration.type === 'ClassDeclaration') {
      for (const name of ['default', declaration.id?.name])
        if (name) define(name, () => unsupported('a class'));
    } else define('default', () => this.#host.evaluator.evaluate(declaration, scope));
  }

  #exportNames(node: ExportNamedDeclaration, module: Module, depth: number): void {
    const specifier = node.source ? String(node.source.value) : undefined;
    const file = specifier === undefined ? undefined : this.#sources.resolve(specifier, module.file);
    if (file !== undefined) this.#noteImporter(file, module);
    for (const { local, exported } of node.specifiers) {
      if (local.type !== 'Identifier' || exported.type !== 'Identifier') continue;
      const { name } = local;
      if (file !== undefined)
        module.scope.defineLazily(exported.name, () => exportOf(this.#load(file, depth + 1), name));
      else if (specifier === undefined && exported.name !== name)
        module.scope.defineLazily(exported.name, () => module.scope.get(name));
    }
  }

  #import(node: ImportDeclaration, module: Module, line: number, depth: number): void {
    const specifier = String(node.source.value);
    const place = { file: module.file, line: line + (node.loc?.start.line ?? 1) - 1, column: 1 };
    const file = this.#sources.resolve(specifier, module.file);
    // Names of a missing file fall back to built-in components, as in pages written for other products.
    if (file === undefined && !/^react(?:-dom)?$/.test(specifier)) return this.#noteMissing(specifier, place);
    if (file !== undefined) this.#noteImporter(file, module);
    for (const item of node.specifiers) {
      const local = item.local.name;
      const name = importedName(item);
      const isStandard =
        specifier === 'react' && name !== undefined && this.#host.evaluator.standard.has(name);
      if (isStandard) module.scope.define(local, this.#host.evaluator.standard.get(name));
      else if (file !== undefined && name !== undefined)
        module.scope.defineLazily(local, () => exportOf(this.#load(file, depth + 1), name));
      else module.scope.defineLazily(local, () => unsupported(`"${local}" from "${specifier}"`));
    }
  }

  /** Packages are not supported in pages, so only a missing site file is reported. */
  #noteMissing(specifier: string, place: FilePlace): void {
    if (/^[./]/.test(specifier) || /\.(?:mdx?|jsx|tsx)$/.test(specifier))
      this.#host.report('import_missing', `"${specifier}" is imported but there is no such file`, place);
    else this.#host.report('import_ignored', `The package "${specifier}" is not available in pages`, place);
  }
}

class SurroundingScope extends Scope {
  readonly #find: (name: string) => Scope | undefined;

  constructor(parent: Scope, find: (name: string) => Scope | undefined) {
    super(parent);
    this.#find = find;
  }

  override has(name: string): boolean {
    return this.#find(name) !== undefined || super.has(name);
  }

  override get(name: string): Value {
    const found = this.#find(name);
    return found ? found.get(name) : super.get(name);
  }
}

function importedName(item: ImportDeclaration['specifiers'][number]): string | undefined {
  if (item.type === 'ImportDefaultSpecifier') return 'default';
  if (item.type === 'ImportNamespaceSpecifier') return undefined;
  return item.imported.type === 'Identifier' ? item.imported.name : String(item.imported.value);
}

function exportOf(module: Module, name: string): Value {
  if (name === 'default' && module.document) return new Foreign(module);
  if (!module.scope.names.includes(name)) return unsupported(`"${name}" of "${module.file}"`);
  return module.scope.get(name);
}

/** Statements with side effects on the module's declarations: its names are known only after running it. */
function mustBeRun(node: Program['body'][number]): boolean {
  if (node.type === 'ExpressionStatement') return !isHarmless(node);
  return !/^(?:Import|Export|Empty|Variable|Function|Class)/.test(node.type);
}

/** `'use client'`, and `displayName` assignments. */
function isHarmless({ expression }: ExpressionStatement): boolean {
  if (expression.type === 'Literal') return true;
  return (
    expression.type === 'AssignmentExpression' &&
    expression.left.type === 'MemberExpression' &&
    expression.left.property.type === 'Identifier' &&
    /^(?:displayName|propTypes)$/.test(expression.left.property.name) &&
    expression.right.type !== 'CallExpression'
  );
}
