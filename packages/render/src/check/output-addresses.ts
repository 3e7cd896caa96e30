/** Resolves addresses of the output against the written files and their ids. */
import { hasId, isAbsolute } from '../facts/output-facts.ts';
import { percentDecode } from '../text/percent-decode.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export type Verdict =
  | { kind: 'found'; path: string }
  /** Outside of the output, so not checked. */
  | { kind: 'external' }
  | { kind: 'no file'; path: string }
  | { kind: 'no id'; path: string; fragment: string; ids: string };

export class OutputAddresses {
  /** Files with their ids; undefined for files other than HTML. */
  readonly #files = new Map<string, string | undefined>();
  readonly #withoutExtensions: boolean;

  constructor(urlStyle: UrlStyle) {
    this.#withoutExtensions = urlStyle === 'clean';
  }

  add(path: string, ids?: string): void {
    this.#files.set(path, ids);
  }

  /**
   * The file that an address leads to, ignoring fragment and branch, if it is one of `files`. May be called
   * at any time.
   */
  among(files: ReadonlySet<string>, address: string, from: string): string | undefined {
    const query = address.indexOf('?nav=');
    const plain = query < 0 ? address : address.slice(0, query);
    if (plain.includes('#') || plain.includes('?') || plain.startsWith('/')) return undefined;
    const path = resolved(percentDecode(plain), from);
    if (path === undefined) return undefined;
    return files.has(path) ? path : this.#otherNames(path).find((name) => files.has(name));
  }

  /** `from` is the file that contains the address. Call it after all files are added. */
  resolve(address: string, from: string): Verdict {
    if (isAbsolute(address)) return { kind: 'external' };
    const hash = address.indexOf('#');
    const fragment = hash < 0 ? '' : address.slice(hash + 1);
    const before = hash < 0 ? address : address.slice(0, hash);
    const query = before.indexOf('?');
    const path = percentDecode(query < 0 ? before : before.slice(0, query));
    const wanted = path === '' ? from : resolved(path, from);
    const file = wanted === undefined || path.startsWith('/') ? undefined : this.#fileFor(wanted);
    if (file === undefined) return { kind: 'no file', path: wanted ?? path };
    const ids = this.#files.get(file);
    return ids === undefined || hasId(ids, fragment)
      ? { kind: 'found', path: file }
      : { kind: 'no id', path: file, fragment, ids };
  }

  /**
   * As web servers resolve files: a folder means its index, and in the clean style a name without extension
   * is a page.
   */
  #fileFor(path: string): string | undefined {
    if (this.#files.has(path)) return path;
    return this.#otherNames(path).find((name) => this.#files.has(name));
  }

  #otherNames(path: string): string[] {
    const index = `${path.replace(/(?<!\/)\/+$/, '')}/index.html`.replace(/^\//, '');
    return this.#withoutExtensions ? [`${path}.html`, index] : [index];
  }
}

/** Undefined for paths outside of the output. */
function resolved(path: string, from: string): string | undefined {
  const parts = from.split('/').slice(0, -1);
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.length === 0) return undefined;
      parts.pop();
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/') + (path.endsWith('/') ? '/' : '');
}
