/**
 * Loads what pages import: Markdown snippets and files of components. Sources are parsed once per process and evaluated
 * anew for each page, so that no page can influence another. Only files of the site can be imported.
 */
import type { DiagnosticCode } from '../check/codes.ts';
import { join, posix } from 'node:path';
import type { ExportNamedDeclaration, ExpressionStatement, ImportDeclaration, Program } from 'estree-jsx';
import { type Evaluator } from '../evaluate/evaluator.ts';
import { parseModule } from '../evaluate/parse.ts';
import { unsupported } from '../evaluate/methods.ts';
import { Foreign, FunctionValue, ObjectValue, Scope, Unsupported, type Value } from '../evaluate/values.ts';
import type { FilePlace } from '../check/diagnostic.ts';
import { CompileError } from '../program/syntax.ts';
import { withoutTypes } from '../program/typescript.ts';
import { type Document, type DocumentOptions, readDocument } from './document.ts';
import type { ParserName } from './parser.ts';
import { maximumSourceBytes, readSource } from './source.ts';

export interface Module {
  file: string;
  scope: Scope;
  /** The content of a Markdown module; component files have none. */
  document?: Document;
}

export interface ModuleHost {
  evaluator: Evaluator;
  report(code: DiagnosticCode, message: string, place: FilePlace | undefined, hint?: string): void;
}

export class ModuleSources {
  readonly #root: string;
  readonly #files: ReadonlySet<string>;
  readonly #reading: Pick<DocumentOptions, 'variables' | 'math'>;
  readonly #documents = new Map<string, Document>();
  readonly #programs = new Map<string, Program>();
  #revision = 0;

  constructor(
    root: string,
    files: ReadonlySet<string>,
    reading: Pick<DocumentOptions, 'variables' | 'math'>,
  ) {
    this.#root = root;
    this.#files = files;
    this.#reading = reading;
  }

  /** `/snippets/a.mdx` is from the root, `./a.mdx` from the importing file, `snippets/a.mdx` from the root again. */
  resolve(specifier: string, from: string): string | undefined {
    const path = /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(from), specifier) : specifier;
    const base = posix.normalize(path.replace(/^\/+/, ''));
    return candidatesFor(base).find((candidate) => this.#files.has(candidate));
  }

  /** The older `<Snippet file="x.mdx" />` names a file in one of the snippet folders. */
  resolveSnippet(name: string): string | undefined {
    return ['_snippets', 'snippets']
      .map((folder) => posix.join(folder, name))
      .find((path) => this.#files.has(path));
  }

  document(file: string, parser: ParserName): Document {
    const key = `${parser} ${file}`;
    const known = this.#documents.get(key);
    if (known) return known;
    const bytes = readSource(join(this.#root, file));
    const document = readDocument(bytes, { ...this.#reading, file, parser });
    this.#documents.set(key, document);
    return document;
  }

  /** Changes whenever a file is not what it was. */
  get revision(): number {
    return this.#revision;
  }

  /** Throws `Unsupported` when the file is larger than a page may be. */
  bytes(file: string): Buffer {
    const bytes = readSource(join(this.#root, file));
    if (bytes.length > maximumSourceBytes) throw new Unsupported(`"${file}" is larger than 1 MB`);
    return bytes;
  }

  /** A preview says which files are not what they were. */
  forget(file: string): void {
    this.#revision += 1;
    this.#programs.delete(file);
    for (const key of this.#documents.keys()) if (key.endsWith(` ${file}`)) this.#documents.delete(key);
  }

  /** The content of a JSON file. */
  data(file: string, { budget }: Evaluator): Value {
    const text = this.bytes(file).toString();
    budget.cells(text.length);
    try {
      return dataValue(JSON.parse(text), budget);
    } catch (error) {
      if (error instanceof SyntaxError) return unsupported(`"${file}", which is not JSON,`);
      throw error;
    }
  }

  program(file: string): Program {
    const known = this.#programs.get(file);
    if (known) return known;
    const program = parseModule(plainSource(this.bytes(file).toString(), file));
    this.#programs.set(file, program);
    return program;
  }
}

function plainSource(source: string, file: string): string {
  try {
    return withoutTypes(source, file).code;
  } catch (error) {
    if (error instanceof CompileError) throw new Unsupported(error.message);
    throw error;
  }
}

function dataValue(data: unknown, budget: Evaluator['budget']): Value {
  return budget.deeper(() => {
    if (Array.isArray(data)) return data.map((item) => dataValue(item, budget));
    if (typeof data === 'object' && data !== null)
      return new ObjectValue(Object.entries(data).map(([key, item]) => [key, dataValue(item, budget)]));
    return data as string | number | boolean | null;
  });
}

/** Endings may be left out, a folder means its index, and TypeScript may be imported by the name it is compiled to. */
function candidatesFor(base: string): string[] {
  const endings = ['.mdx', '.md', '.jsx', '.tsx', '.js', '.ts', '.json'];
  const folder = base === '.' ? '' : base.replace(/\/?$/, '/');
  return [
    base,
    ...endings.map((ending) => base + ending),
    ...(/\.jsx?$/.test(base) ? [base.replace(/\.js(x?)$/, '.ts$1')] : []),
    ...['.jsx', '.tsx', '.js', '.ts'].map((ending) => `${folder}index${ending}`),
  ];
}

const maximumImportDepth = 20;

/** The modules of one page, each evaluated at most once for it. */
export class PageModules {
  readonly #sources: ModuleSources;
  readonly #host: ModuleHost;
  readonly #parser: ParserName;
  readonly #loaded = new Map<string, Module>();
  /** What the page imports and exports, which everything on it sees. */
  readonly #around: Scope;

  constructor(sources: ModuleSources, host: ModuleHost, parser: ParserName) {
    this.#sources = sources;
    this.#host = host;
    this.#parser = parser;
    this.#around = new Scope(host.evaluator.standard);
  }

  /** Every file that the page was made from, its own included. */
  get files(): string[] {
    return [...this.#loaded.keys()];
  }

  /** A document of the site by its file. */
  document(file: string): Module | undefined {
    return /\.mdx?$/.test(file) && this.#sources.resolve(`/${file}`, '') === file
      ? this.#load(file, 0)
      : undefined;
  }

  snippet(name: string): Module | undefined {
    const file = this.#sources.resolveSnippet(name);
    return file === undefined ? undefined : this.#load(file, 0);
  }

  /** A page is a module too: its imports and exports make the scope its expressions are evaluated in. */
  ofDocument(file: string, document: Document, depth = 0): Module {
    const isPage = this.#loaded.size === 0;
    const parent = isPage ? this.#host.evaluator.standard : this.#around;
    const module: Module = { file, scope: new Scope(parent), document };
    this.#loaded.set(file, module);
    const blocks = document.modules.flatMap(({ source, line }) => {
      try {
        return [{ program: parseModule(source), line }];
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        this.#host.report('module_unsupported', error.message, { file, line, column: 1 });
        return [];
      }
    });
    for (const { program, line } of blocks) this.#declareAll(program, module, line, depth);
    if (blocks.some(({ program }) => program.body.some(mustBeRun))) module.scope.withhold();
    if (isPage)
      for (const name of module.scope.names) this.#around.defineLazily(name, () => module.scope.get(name));
    return module;
  }

  #load(file: string, depth: number): Module {
    const known = this.#loaded.get(file);
    if (known) return known;
    if (depth > maximumImportDepth) throw new Unsupported('imports are nested too deeply');
    if (/\.mdx?$/.test(file)) return this.ofDocument(file, this.#sources.document(file, this.#parser), depth);
    const module: Module = { file, scope: new Scope(this.#around) };
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

  /** `export { a as b }`, and the same from another file. */
  #exportNames(node: ExportNamedDeclaration, module: Module, depth: number): void {
    const specifier = node.source ? String(node.source.value) : undefined;
    const file = specifier === undefined ? undefined : this.#sources.resolve(specifier, module.file);
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
    // What does not exist leaves its names to built-in components, as in pages written for other products.
    if (file === undefined && !/^react(?:-dom)?$/.test(specifier)) return this.#noteMissing(specifier, place);
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

  /** Packages cannot be used in a page; a missing file of the site is a mistake worth telling. */
  #noteMissing(specifier: string, place: FilePlace): void {
    if (/^[./]/.test(specifier) || /\.(?:mdx?|jsx|tsx)$/.test(specifier))
      this.#host.report('import_missing', `"${specifier}" is imported but there is no such file`, place);
    else this.#host.report('import_ignored', `The package "${specifier}" is not available in pages`, place);
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

/** Statements that do something to what the module declares; its names cannot be known without running it. */
function mustBeRun(node: Program['body'][number]): boolean {
  if (node.type === 'ExpressionStatement') return !isHarmless(node);
  return !/^(?:Import|Export|Empty|Variable|Function|Class)/.test(node.type);
}

/** `'use client'`, and the name by which a component is shown in developer tools. */
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
