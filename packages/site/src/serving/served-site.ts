/**
 * A release in service: a table of paths from its manifest. A path outside the table does not exist, so no
 * request path reaches the file system.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@docyard/bundle';
import {
  type CompressedFiles,
  encodings,
  type Encoding,
  packOf,
  readCompressed,
} from './compressed-files.ts';
import { ContentCache } from './content-cache.ts';
import { markdownOf } from './markdown-preference.ts';
import {
  encodedPath,
  exactRedirect,
  maxRulesBytes,
  patternRedirect,
  readRules,
  rulesFile,
  type Redirect,
  type SiteRules,
} from './site-rules.ts';
import {
  type CacheControl,
  cacheControl,
  privateCacheControl,
  type FileContent,
  type StaticFile,
  staticFile,
} from './static-file.ts';

/** The part of a release that serving needs. */
export interface ReleaseFiles {
  id: string;
  siteFolder: string;
  compressedFolder: string;
  manifest: Pick<Manifest, 'files'>;
}

interface Place {
  basePath: string;
  headers: readonly string[];
  /** Replaces the headers of the site. */
  onlyHeaders: readonly string[] | undefined;
  cacheControl: CacheControl;
}

export type Found = { file: StaticFile } | { redirect: Redirect };

/** Files for other hosting services. */
const notServed = /^(?:_redirects|_headers|_hosts\/.*)$/s;
/** Only these names contain a hash of their content. */
const namedByContent = /^_docyard\/(?:social|remote|fonts)\/[0-9a-f]{16}\.[a-z\d]{3,5}$/;
const llmsFile = 'llms.txt';

export async function openSite(release: ReleaseFiles): Promise<ServedSite> {
  const { siteFolder, compressedFolder, manifest } = release;
  const rules = manifest.files.find(({ path }) => path === rulesFile);
  const hasRules = rules !== undefined && rules.sizeBytes <= maxRulesBytes;
  const [rulesText, compressed] = await Promise.all([
    hasRules ? readFile(join(siteFolder, rulesFile), 'utf8').catch(() => undefined) : undefined,
    readCompressed(compressedFolder),
  ]);
  return new ServedSite(release, readRules(rulesText), compressed);
}

export class ServedSite {
  readonly id: string;
  readonly rules: SiteRules;
  readonly content = new ContentCache();
  readonly #release: ReleaseFiles;
  readonly #compressed: CompressedFiles;
  readonly #entries: ReadonlyMap<string, Manifest['files'][number]>;
  /** Built on demand, so that switching to a large site does not block requests. */
  readonly #files = new Map<string, StaticFile>();
  #place: Place;
  #notFound: StaticFile | undefined;

  constructor(release: ReleaseFiles, rules: SiteRules, compressed: CompressedFiles) {
    this.id = release.id;
    this.rules = rules;
    this.#release = release;
    this.#compressed = compressed;
    const served = release.manifest.files.filter(({ path }) => !notServed.test(path));
    this.#entries = new Map(served.map((entry) => [entry.path, entry]));
    this.#place = {
      basePath: rules.basePath,
      headers: rules.headers.flat(),
      onlyHeaders: undefined,
      cacheControl,
    };
  }

  /** Sets path and headers. Call it before the first request. */
  configure({
    basePath = this.rules.basePath,
    headers = [],
    onlyHeaders,
    isPrivate = false,
  }: {
    basePath?: string | undefined;
    /** Added to those of the site. */
    headers?: readonly string[];
    onlyHeaders?: readonly string[];
    /** Whether access is controlled, so that no shared cache may store a response. */
    isPrivate?: boolean;
  }) {
    this.#place = {
      basePath,
      headers: [...this.rules.headers.flat(), ...headers],
      onlyHeaders,
      cacheControl: isPrivate ? privateCacheControl : cacheControl,
    };
    this.#files.clear();
    this.#notFound = undefined;
  }

  /** Decoded, without a trailing slash. */
  get basePath(): string {
    return this.#place.basePath;
  }

  get cacheControl(): CacheControl {
    return this.#place.cacheControl;
  }

  /** Sent with every response; names and values alternate. */
  get headers(): readonly string[] {
    return this.#place.headers;
  }

  /** The path of every file, as in a manifest. */
  paths(): Iterable<string> {
    return this.#entries.keys();
  }

  /** The text of a file, whose path is as in a manifest; undefined when there is no such file. */
  async readText(path: string): Promise<string | undefined> {
    const content = this.#file(path)?.plain.content;
    if (content === undefined) return undefined;
    return 'file' in content ? readFile(content.file, 'utf8') : Buffer.from(content.bytes).toString('utf8');
  }

  /** 404.html as the response for a missing page, which differs from a request for that file. */
  get notFound(): StaticFile | undefined {
    const entry = this.#entries.get('404.html');
    this.#notFound ??= entry && this.#describe(entry, { isFound: false });
    return this.#notFound;
  }

  /** An exact redirect from a decoded path. */
  findMoved(path: string): { redirect: Redirect } | undefined {
    const redirect = exactRedirect(this.rules, path);
    return redirect && { redirect };
  }

  /** The resource at a decoded path. */
  find(path: string, { asMarkdown = false } = {}): Found | undefined {
    const name = path.slice(1);
    const moved = this.findMoved(path);
    if (moved !== undefined) return moved;
    for (const each of [name, path.endsWith('/') ? `${name}index.html` : `${name}.html`]) {
      const markdown = asMarkdown && this.#entries.has(each) ? this.#file(markdownOf(each) ?? '') : undefined;
      const file = markdown ?? this.#file(each);
      if (file !== undefined) return { file };
    }
    const redirect = this.#canonicalRedirect(name) ?? patternRedirect(this.rules, path);
    return redirect === undefined ? undefined : { redirect };
  }

  /**
   * Links between pages are relative, so a page has one canonical URL: with a trailing slash for a folder
   * page, without for others. The other spelling redirects.
   */
  #canonicalRedirect(name: string): Redirect | undefined {
    if (name.includes('//') || name.startsWith('/')) return this.#withoutEmptySegments(name);
    const bare = name.endsWith('/') ? name.slice(0, -1) : name;
    const stem = bare.endsWith('.html') ? bare.slice(0, -'.html'.length) : bare;
    if (bare !== name && (this.#entries.has(`${bare}.html`) || (stem !== bare && this.#entries.has(bare))))
      return { to: encodedPath(`/${bare}`), permanent: true };
    if (stem !== '' && this.#entries.has(`${stem}/index.html`))
      return { to: encodedPath(`/${stem}/`), permanent: true };
    return undefined;
  }

  /** Redirects only to existing resources and never to `//host`. */
  #withoutEmptySegments(name: string): Redirect | undefined {
    const path = `/${name}`.replaceAll(/\/{2,}/g, '/');
    const found = this.find(path);
    if (found === undefined) return undefined;
    return 'redirect' in found ? found.redirect : { to: encodedPath(path), permanent: true };
  }

  #file(path: string): StaticFile | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const file = this.#describe(entry);
    this.#files.set(path, file);
    return file;
  }

  #describe(
    { path, sizeBytes, sha256 }: Manifest['files'][number],
    { isFound } = { isFound: true },
  ): StaticFile {
    const { siteFolder, compressedFolder } = this.#release;
    const compressed: Partial<Record<Encoding, FileContent>> = {};
    const places = this.#compressed.get(sha256) ?? {};
    for (const encoding of encodings) {
      const place = places[encoding];
      if (place !== undefined) compressed[encoding] = { file: packOf(compressedFolder), ...place };
    }
    return staticFile({
      path,
      // 132 bits of the hash.
      tag: Buffer.from(sha256, 'hex').toString('base64url').slice(0, 22),
      plain: { file: join(siteFolder, path), offset: 0, sizeBytes },
      compressed,
      isFound,
      varies: [
        ...(this.#hasTwoForms(path) ? ['Accept'] : []),
        ...(this.cacheControl === privateCacheControl ? ['Cookie'] : []),
      ],
      headers: this.#place.onlyHeaders ?? this.#siteHeaders(path),
    });
  }

  /** A page and its Markdown have the same address. */
  #hasTwoForms(path: string): boolean {
    return path.endsWith('.md') || this.#entries.has(markdownOf(path) ?? '');
  }

  #siteHeaders(path: string): string[] {
    const llms = `<${encodedPath(this.basePath)}/${llmsFile}>; rel="llms-txt"`;
    return [
      'Cache-Control',
      namedByContent.test(path) ? this.cacheControl.neverChanges : this.cacheControl.mayChange,
      ...(this.#entries.has(llmsFile) ? ['Link', llms] : []),
      ...this.headers,
    ];
  }
}
