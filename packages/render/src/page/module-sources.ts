/** The files that pages may import, parsed once per process: Markdown snippets, component files and data. */
import { join, posix } from 'node:path';
import type { Program } from 'estree-jsx';
import { type Evaluator } from '../evaluate/evaluator.ts';
import { unsupported } from '../evaluate/methods.ts';
import { parseModule } from '../evaluate/parse.ts';
import { ObjectValue, UnsupportedError, type Value } from '../evaluate/values.ts';
import { CompileError } from '../program/syntax.ts';
import { withoutTypes } from '../program/typescript.ts';
import { type Document, type DocumentOptions, readDocument } from '../document/document.ts';
import type { ParserName } from '../document/parser.ts';
import { maxSourceBytes, readSource } from '../source/source.ts';

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

  /** `/snippets/a.mdx` and `snippets/a.mdx` are relative to the root, `./a.mdx` to the importing file. */
  resolve(specifier: string, from: string): string | undefined {
    const path = /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(from), specifier) : specifier;
    const base = posix.normalize(path.replace(/^\/+/, ''));
    return candidatesFor(base).find((candidate) => this.#files.has(candidate));
  }

  /** The legacy `<Snippet file="x.mdx" />` names a file in one of the snippet folders. */
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

  /** Changes whenever a file changes. */
  get revision(): number {
    return this.#revision;
  }

  /** Throws `UnsupportedError` when the file exceeds the size limit of a page. */
  bytes(file: string): Buffer {
    const bytes = readSource(join(this.#root, file));
    if (bytes.length > maxSourceBytes) throw new UnsupportedError(`"${file}" is larger than 1 MB`);
    return bytes;
  }

  invalidate(file: string): void {
    this.#revision += 1;
    this.#programs.delete(file);
    for (const key of this.#documents.keys()) if (key.endsWith(` ${file}`)) this.#documents.delete(key);
  }

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
    if (error instanceof CompileError) throw new UnsupportedError(error.message);
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

/** Extensions are optional, a folder means its index, and TypeScript may be imported by its compiled name. */
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
