/**
 * The API descriptions of a site, resolved by name and loaded on first use. Only files from the site's list are
 * opened; the caller's function fetches remote ones.
 */
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Diagnostic, placeAt } from '../model/diagnostic.ts';
import { textAt } from '../config/json.ts';
import { decodeSource } from '../source/source.ts';
import { bundled, referredFiles } from './bundle.ts';
import { type DescribedEntry, listEntries } from './operations.ts';
import { applyOverlay } from './overlay.ts';
import { kindOf, looksLike, maxDescriptionBytes, readDescription } from './read.ts';
import type { JsonObject } from '../model/json.ts';
import type { SpecDocument } from '../model/site-plan.ts';

export type FetchRemote = (url: string) => Promise<Uint8Array>;

export interface Spec {
  key: string;
  kind: 'openapi' | 'asyncapi';
  document: SpecDocument;
  entries: DescribedEntry[];
  /** Reported only when a page uses the description. */
  findings: Diagnostic[];
}

type FileKind = 'description' | 'overlay' | 'nothing';

/** Reused by the next preview until a possible description file changes. */
export interface SpecCache {
  kinds: Map<string, FileKind>;
  specs: Map<string, { spec: Spec | undefined; diagnostics: Diagnostic[] }>;
}

const headBytes = 4096;
const maxFindings = 20;

export interface LibraryOptions {
  root: string;
  files: readonly string[];
  fetchRemote?: FetchRemote | undefined;
  placeOfAddress: (url: string) => { file: string; line?: number; column?: number };
  cache?: SpecCache | undefined;
}

export class SpecLibrary {
  readonly diagnostics: Diagnostic[] = [];
  readonly #options: LibraryOptions;
  readonly #files: ReadonlySet<string>;
  #candidates: string[] = [];
  readonly #specs = new Map<string, Spec | undefined>();
  readonly #texts = new Map<string, Promise<ReadFile | undefined>>();
  readonly #overlays = new Map<string, Set<string>>();

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#files = new Set(options.files);
  }

  get candidates(): readonly string[] {
    return this.#candidates;
  }

  async scan(): Promise<void> {
    const files = [...this.#files].filter((file) => /\.(?:json|ya?ml)$/i.test(file)).toSorted();
    const known = this.#options.cache?.kinds;
    const kinds: FileKind[] = [];
    for (const file of files) kinds.push(known?.get(file) ?? (await this.#kindOfFile(file)));
    files.forEach((file, index) => known?.set(file, kinds[index] ?? 'nothing'));
    this.#candidates = files.filter((_, index) => kinds[index] === 'description');
    for (const file of files.filter((_, index) => kinds[index] === 'overlay')) {
      const read = await this.#read(file);
      const target = read && 'value' in read ? textAt(read.value, 'extends') : undefined;
      for (const spec of target ? this.find(target, file) : []) this.addOverlay(spec, file);
    }
  }

  async #kindOfFile(file: string): Promise<FileKind> {
    const answer = looksLike(readHead(join(this.#options.root, file)));
    if (answer !== 'unclear') return answer;
    const read = await this.#read(file);
    const kind = read && 'value' in read ? kindOf(read.value) : undefined;
    return kind === undefined ? 'nothing' : kind === 'overlay' ? kind : 'description';
  }

  addOverlay(spec: string, overlay: string): void {
    const known = this.#overlays.get(spec);
    if (known) known.add(overlay);
    else this.#overlays.set(spec, new Set([overlay]));
  }

  /**
   * `name` is a path relative to the root or page, with or without extension, a folder, a bare file name in any
   * folder, or a URL.
   */
  find(name: string, from = ''): string[] {
    if (isRemote(name)) return [name];
    const path = name.replace(/^\.?\/+/, '').replace(/\/+$/, '');
    const relative = posix.join(posix.dirname(from), name.replace(/^\/+/, ''));
    for (const start of name.startsWith('.') ? [relative, path] : [path, relative]) {
      const file = ['', '.json', '.yaml', '.yml'].map((end) => start + end).find((it) => this.#files.has(it));
      if (file !== undefined) return [file];
      const inFolder = this.#candidates.filter((it) => it.startsWith(`${start}/`));
      if (inFolder.length > 0 && start !== '') return inFolder;
    }
    const bare = posix.basename(path);
    const named = this.#candidates.find((it) => {
      const own = posix.basename(it);
      return own === bare || own.replace(/\.\w+$/, '') === bare;
    });
    return named === undefined ? [] : [named];
  }

  /** Loads sequentially, so that the order of findings is deterministic. */
  async load(keys: Iterable<string>): Promise<void> {
    for (const key of keys) {
      if (!this.#specs.has(key)) this.#specs.set(key, await this.#loadCached(key));
    }
  }

  async #loadCached(key: string): Promise<Spec | undefined> {
    const name = [key, ...(this.#overlays.get(key) ?? [])].join('\n');
    const cached = this.#options.cache?.specs.get(name);
    if (cached) {
      this.diagnostics.push(...cached.diagnostics);
      return cached.spec;
    }
    const findingsBefore = this.diagnostics.length;
    const spec = await this.#load(key);
    this.#options.cache?.specs.set(name, { spec, diagnostics: this.diagnostics.slice(findingsBefore) });
    return spec;
  }

  get(key: string): Spec | undefined {
    return this.#specs.get(key);
  }

  async #load(key: string): Promise<Spec | undefined> {
    const read = await this.#read(key);
    if (!read) return undefined;
    if ('problem' in read) return this.#refuse(key, read.problem, read.place);
    const kind = kindOf(read.value);
    if (kind === undefined || kind === 'overlay')
      return this.#refuse(key, 'it says neither "openapi", "swagger" nor "asyncapi" with a version');
    if (typeof kind === 'object') return this.#refuse(key, `${kind.unsupported} is not supported`);
    try {
      const findings: Diagnostic[] = [];
      const original = await this.#overlaid(key, read.value, findings);
      const whole = await this.#bundle(key, original, read.text, findings);
      /** The upgrade modifies the document; another description that references it must parse it again. */
      this.#texts.delete(key);
      // Lazy: most sites have no API description.
      const { upgraded } = await import('./upgrade.ts');
      const document = kind === 'openapi' ? upgraded(whole) : whole;
      return { key, kind, document, entries: listEntries(key, document), findings };
    } catch (error) {
      return this.#refuse(key, error instanceof Error ? error.message : String(error));
    }
  }

  async #overlaid(key: string, original: JsonObject, findings: Diagnostic[]): Promise<JsonObject> {
    const overlays = [...(this.#overlays.get(key) ?? [])];
    const document = overlays.length > 0 ? structuredClone(original) : original;
    for (const file of overlays) {
      const read = await this.#read(file);
      const problems =
        read && 'value' in read
          ? applyOverlay(document, read.value)
          : [`It cannot be read: ${read ? read.problem : 'there is no such file'}`];
      for (const problem of problems.slice(0, maxFindings))
        findings.push({
          severity: 'warning',
          code: 'openapi_overlay',
          message: problem,
          file,
          hint: 'Targets are JSONPath: names, [0], *, .. and filters such as [?@.name == "value"].',
        });
    }
    return document;
  }

  /** Bundling is synchronous, so referenced files are read first. */
  async #bundle(
    key: string,
    document: JsonObject,
    text: string,
    findings: Diagnostic[],
  ): Promise<JsonObject> {
    const parts = new Map<string, JsonObject>();
    const pending = isRemote(key) ? [] : referredFiles(document, key);
    const seen = new Set([key, ...pending]);
    for (let file = pending.shift(); file !== undefined; file = pending.shift()) {
      const read = this.#files.has(file) ? await this.#read(file) : undefined;
      if (!read || !('value' in read)) continue;
      parts.set(file, read.value);
      for (const next of referredFiles(read.value, file)) {
        if (!seen.has(next)) pending.push(next);
        seen.add(next);
      }
    }
    let reported = 0;
    return bundled(document, key, {
      read: (file) => parts.get(file),
      missing: (reference, file, reason) => {
        if (reported++ >= maxFindings) return;
        const offset = file === key ? text.indexOf(reference) : -1;
        findings.push({
          severity: 'warning',
          code: 'openapi_ref_missing',
          message: `The reference "${reference}" cannot be resolved: ${reason}`,
          file,
          ...(offset < 0 ? {} : placeAt(text, offset)),
        });
      },
    });
  }

  #read(key: string): Promise<ReadFile | undefined> {
    const known = this.#texts.get(key);
    if (known) return known;
    const reading = isRemote(key) ? this.#readRemote(key) : this.#readFile(key);
    this.#texts.set(key, reading);
    return reading;
  }

  async #readFile(file: string): Promise<ReadFile | undefined> {
    if (!this.#files.has(file)) return undefined;
    const path = join(this.#options.root, file);
    const { size } = statSync(path);
    if (size > maxDescriptionBytes) return { problem: 'it is larger than 20 MB' };
    return textAndValue(decodeSource(readFileSync(path)));
  }

  async #readRemote(url: string): Promise<ReadFile | undefined> {
    const { fetchRemote } = this.#options;
    try {
      if (!fetchRemote) throw new Error('this export fetches nothing');
      const bytes = await fetchRemote(url);
      if (bytes.byteLength > maxDescriptionBytes) throw new Error('it is larger than 20 MB');
      return textAndValue(decodeSource(bytes));
    } catch (error) {
      this.diagnostics.push({
        severity: 'warning',
        code: 'openapi_remote',
        message: `The API description "${url}" was not fetched: ${error instanceof Error ? error.message : String(error)}`,
        ...this.#options.placeOfAddress(url),
        hint: 'Save it as a file of the site and reference that file. Until then its pages are omitted.',
      });
      return undefined;
    }
  }

  #refuse(key: string, problem: string, place?: { line: number; column: number }): undefined {
    this.diagnostics.push({
      severity: 'warning',
      code: 'openapi_invalid',
      message: `The API description cannot be read: ${problem}`,
      file: key,
      ...place,
      hint: 'Supported formats are OpenAPI 2 and 3 and AsyncAPI 3, as JSON or YAML.',
    });
    return undefined;
  }
}

type ReadFile =
  | { value: JsonObject; text: string }
  | { problem: string; place?: { line: number; column: number } };

function textAndValue(text: string): ReadFile {
  const read = readDescription(text);
  return 'value' in read ? { ...read, text } : read;
}

export function isRemote(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** Empty when the file cannot be opened. Synchronous reads are faster here. */
function readHead(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const buffer = Buffer.alloc(headBytes);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, headBytes, 0));
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
