/**
 * Loads what pages import: Markdown snippets and files of components. Sources are parsed once per process and evaluated
 * anew for each page, so that no page can influence another. Only files of the site can be imported.
 */
import type { DiagnosticCode } from '../check/codes.ts';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { ImportDeclaration, Program } from 'estree-jsx';
import { type Evaluator } from '../evaluate/evaluator.ts';
import { parseModule } from '../evaluate/parse.ts';
import { Foreign, FunctionValue, ObjectValue, Scope, Unsupported, type Value } from '../evaluate/values.ts';
import type { FilePlace } from '../check/diagnostic.ts';
import { type Document, type DocumentOptions, readDocument } from './document.ts';
import type { ParserName } from './parser.ts';

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
    return [base, `${base}.mdx`, `${base}.md`, `${base}.jsx`].find((candidate) => this.#files.has(candidate));
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
    const bytes = readFileSync(join(this.#root, file));
    const document = readDocument(bytes, { ...this.#reading, file, parser });
    this.#documents.set(key, document);
    return document;
  }

  /** A preview says which files are not what they were. */
  forget(file: string): void {
    this.#programs.delete(file);
    for (const key of this.#documents.keys()) if (key.endsWith(` ${file}`)) this.#documents.delete(key);
  }

  program(file: string): Program {
    const known = this.#programs.get(file);
    if (known) return known;
    const program = parseModule(readFileSync(join(this.#root, file), 'utf8'));
    this.#programs.set(file, program);
    return program;
  }
}

const maximumImportDepth = 20;

/** The modules of one page, each evaluated at most once for it. */
export class PageModules {
  readonly #sources: ModuleSources;
  readonly #host: ModuleHost;
  readonly #parser: ParserName;
  readonly #loaded = new Map<string, Module>();

  constructor(sources: ModuleSources, host: ModuleHost, parser: ParserName) {
    this.#sources = sources;
    this.#host = host;
    this.#parser = parser;
  }

  /** Every file that the page was made from, its own included. */
  get files(): string[] {
    return [...this.#loaded.keys()];
  }

  snippet(name: string): Module | undefined {
    const file = this.#sources.resolveSnippet(name);
    return file === undefined ? undefined : this.#load(file, 0);
  }

  /** A page is a module too: its imports and exports make the scope its expressions are evaluated in. */
  ofDocument(file: string, document: Document, depth = 0): Module {
    const module: Module = { file, scope: new Scope(this.#host.evaluator.standard), document };
    this.#loaded.set(file, module);
    for (const { source, line } of document.modules) {
      try {
        this.#declareAll(parseModule(source), module, line, depth);
      } catch (error) {
        if (!(error instanceof Unsupported)) throw error;
        this.#host.report('module_unsupported', error.message, { file, line, column: 1 });
      }
    }
    return module;
  }

  #load(file: string, depth: number): Module {
    const known = this.#loaded.get(file);
    if (known) return known;
    if (depth > maximumImportDepth) throw new Unsupported('imports are nested too deeply');
    if (/\.mdx?$/.test(file)) return this.ofDocument(file, this.#sources.document(file, this.#parser), depth);
    const module: Module = { file, scope: new Scope(this.#host.evaluator.standard) };
    this.#loaded.set(file, module);
    this.#declareAll(this.#sources.program(file), module, 1, depth);
    return module;
  }

  #declareAll(program: Program, module: Module, line: number, depth: number): void {
    const { evaluator } = this.#host;
    const declare = (node: Program['body'][number]): void => {
      if (node.type === 'ImportDeclaration') this.#import(node, module, line, depth);
      else if (node.type === 'ExportNamedDeclaration' && node.declaration) declare(node.declaration);
      else if (node.type === 'VariableDeclaration') evaluator.declare(node, module.scope);
      else if (node.type === 'FunctionDeclaration')
        module.scope.define(node.id.name, new FunctionValue(node, module.scope));
      else if (node.type === 'ExportDefaultDeclaration') this.#declareDefault(node.declaration, module);
    };
    for (const node of program.body) declare(node);
  }

  #declareDefault(
    declaration: Extract<Program['body'][number], { type: 'ExportDefaultDeclaration' }>['declaration'],
    module: Module,
  ): void {
    if (declaration.type === 'FunctionDeclaration')
      module.scope.define('default', new FunctionValue(declaration as never, module.scope));
    else if (declaration.type !== 'ClassDeclaration')
      module.scope.defineLazily('default', () => this.#host.evaluator.evaluate(declaration, module.scope));
  }

  #import(node: ImportDeclaration, module: Module, line: number, depth: number): void {
    const specifier = String(node.source.value);
    const place = { file: module.file, line: line + (node.loc?.start.line ?? 1) - 1, column: 1 };
    const file = this.#sources.resolve(specifier, module.file);
    if (file === undefined) {
      this.#noteMissing(specifier, place);
      return;
    }
    if (!/\.(?:mdx?|jsx|tsx)$/.test(file)) return;
    const load = (): Module => this.#load(file, depth + 1);
    for (const item of node.specifiers) {
      const local = item.local.name;
      if (item.type === 'ImportDefaultSpecifier') module.scope.defineLazily(local, () => defaultOf(load()));
      else if (item.type === 'ImportSpecifier' && item.imported.type === 'Identifier') {
        const { name } = item.imported;
        module.scope.defineLazily(local, () =>
          name === 'default' ? defaultOf(load()) : load().scope.get(name),
        );
      } else module.scope.define(local, new ObjectValue());
    }
  }

  /** Packages cannot be used in a page; a missing file of the site is a mistake worth telling. */
  #noteMissing(specifier: string, place: FilePlace): void {
    if (/^[./]/.test(specifier) || /\.(?:mdx?|jsx|tsx)$/.test(specifier))
      this.#host.report('import_missing', `"${specifier}" is imported but there is no such file`, place);
    else this.#host.report('import_ignored', `The package "${specifier}" is not available in pages`, place);
  }
}

function defaultOf(module: Module): Value {
  return module.document ? new Foreign(module) : module.scope.get('default');
}
