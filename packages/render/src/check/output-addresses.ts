/** Which addresses of the output lead somewhere: knows every file that was written and the ids in it. Reads no file. */
import { decoded, hasId, isAbsolute } from '../facts/output-facts.ts';
import type { UrlStyle } from '../model/site-plan.ts';

export type Verdict =
  /** A file of the output. */
  | { kind: 'there'; path: string }
  /** Not for us to judge. */
  | { kind: 'elsewhere' }
  | { kind: 'no file'; path: string }
  | { kind: 'no id'; path: string; fragment: string; ids: string };

export class OutputAddresses {
  /** Files with their ids; undefined for what is no HTML. */
  readonly #files = new Map<string, string | undefined>();
  readonly #withoutExtensions: boolean;

  constructor(urlStyle: UrlStyle) {
    this.#withoutExtensions = urlStyle === 'clean';
  }

  add(path: string, ids?: string): void {
    this.#files.set(path, ids);
  }

  /** The file an address without a fragment leads to, whatever branch it names, when that is one of `files`. Can be asked at any time. */
  among(files: ReadonlySet<string>, address: string, from: string): string | undefined {
    const query = address.indexOf('?nav=');
    const plain = query < 0 ? address : address.slice(0, query);
    if (plain.includes('#') || plain.includes('?') || plain.startsWith('/')) return undefined;
    const path = resolved(decoded(plain), from);
    if (path === undefined) return undefined;
    return files.has(path) ? path : this.#otherNames(path).find((name) => files.has(name));
  }

  /** `from` is the file the address stands in. Asked once all files are known. */
  judge(address: string, from: string): Verdict {
    if (isAbsolute(address)) return { kind: 'elsewhere' };
    const hash = address.indexOf('#');
    const fragment = hash < 0 ? '' : address.slice(hash + 1);
    const before = hash < 0 ? address : address.slice(0, hash);
    const query = before.indexOf('?');
    const path = decoded(query < 0 ? before : before.slice(0, query));
    const wanted = path === '' ? from : resolved(path, from);
    const file = wanted === undefined || path.startsWith('/') ? undefined : this.#fileFor(wanted);
    if (file === undefined) return { kind: 'no file', path: wanted ?? path };
    const ids = this.#files.get(file);
    return ids === undefined || hasId(ids, fragment)
      ? { kind: 'there', path: file }
      : { kind: 'no id', path: file, fragment, ids };
  }

  /** As a server finds files: a folder means its index, and in the clean style a name without extension a page. */
  #fileFor(path: string): string | undefined {
    if (this.#files.has(path)) return path;
    return this.#otherNames(path).find((name) => this.#files.has(name));
  }

  #otherNames(path: string): string[] {
    const index = `${path.replace(/(?<!\/)\/+$/, '')}/index.html`.replace(/^\//, '');
    return this.#withoutExtensions ? [`${path}.html`, index] : [index];
  }
}

/** Undefined for what climbs out of the output. */
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
