/** The files that pages may import, parsed once per process: Markdown snippets, files of components, and data. */
import { join, posix } from 'node:path';
import type { Program } from 'estree-jsx';
import { type Evaluator } from '../evaluate/evaluator.ts';
import { unsupported } from '../evaluate/methods.ts';
import { parseModule } from '../evaluate/parse.ts';
import { ObjectValue, Unsupported, type Value } from '../evaluate/values.ts';
import { CompileError } from '../program/syntax.ts';
import { withoutTypes } from '../program/typescript.ts';
import { type Document, type DocumentOptions, readDocument } from '../document/document.ts';
import type { ParserName } from '../document/parser.ts';
import { maximumSourceBytes, readSource } from '../source/source.ts';

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
