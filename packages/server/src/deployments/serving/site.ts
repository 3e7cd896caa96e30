/**
 * A release as it is served: a table from its manifest that tells what is at each path. Whatever is not in the table does
 * not exist, so no path of a request ever reaches the file system.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '../../bundles/manifest.ts';
import { type CompressedFiles, encodings, type Encoding, packOf, readCompressed } from './compressed.ts';
import { ContentCache } from './content-cache.ts';
import { contentTypeOf } from './content-types.ts';
import {
  encodedPath,
  exactRedirect,
  patternRedirect,
  readRules,
  rulesFile,
  type Redirect,
  type SiteRules,
} from './rules.ts';

/** The part of a release that serving needs. */
export interface ReleaseFiles {
  id: string;
  siteFolder: string;
  compressedFolder: string;
  manifest: Pick<Manifest, 'files'>;
}

export interface ServedFile {
  type: string;
  /** The file as it is, and what of it is kept compressed. */
  plain: Representation;
  compressed: Partial<Record<Encoding, Representation>>;
}

/** One form of a file with everything that is sent along with it. */
export interface Representation {
  file: string;
  /** Where in the file it begins. */
  offset: number;
  sizeBytes: number;
  encoding: Encoding | undefined;
  etag: string;
  /** Names and values in turn, as `writeHead` takes them fastest. */
  headers: string[];
  /** For the answer that nothing has changed. */
  unchangedHeaders: string[];
}

export type Found = { file: ServedFile } | { redirect: Redirect };

/** For other hosts than this one. */
const notServed = /^(?:_redirects|_headers|_hosts\/.*)$/s;
/** The renderer puts a hash of the content into these names and no others. */
const namedByContent = /^_docyard\/social\/[0-9a-f]{16}\.png$/;
const mayChange = 'public, max-age=0, must-revalidate';
const neverChanges = 'public, max-age=31536000, immutable';
const llmsFile = 'llms.txt';

export async function openSite(release: ReleaseFiles): Promise<ServedSite> {
  const { siteFolder, compressedFolder, manifest } = release;
  const hasRules = manifest.files.some(({ path }) => path === rulesFile);
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
  readonly notFound: ServedFile | undefined;
  readonly #files: ReadonlyMap<string, ServedFile>;

  constructor(release: ReleaseFiles, rules: SiteRules, compressed: CompressedFiles) {
    this.id = release.id;
    this.rules = rules;
    const served = release.manifest.files.filter(({ path }) => !notServed.test(path));
    const paths = new Set(served.map(({ path }) => path));
    const common = { release, rules, compressed, hasLlms: paths.has(llmsFile) };
    this.#files = new Map(served.map((entry) => [entry.path, servedFile(entry, common)]));
    this.notFound = this.#files.get('404.html');
  }

  /** What is at a decoded path from the root of the site. */
  find(path: string): Found | undefined {
    const name = path.slice(1);
    const moved = exactRedirect(this.rules, path);
    if (moved !== undefined) return { redirect: moved };
    const file =
      this.#files.get(name) ?? this.#files.get(path.endsWith('/') ? `${name}index.html` : `${name}.html`);
    if (file !== undefined) return { file };
    const redirect = this.#otherSpelling(name) ?? patternRedirect(this.rules, path);
    return redirect === undefined ? undefined : { redirect };
  }

  /**
   * Links between pages are relative, so a page is shown only where they are right: a folder's page with a slash at the
   * end, any other without. From the other spelling readers are sent on.
   */
  #otherSpelling(name: string): Redirect | undefined {
    if (name.includes('//') || name.startsWith('/')) return this.#withoutEmptySegments(name);
    const bare = name.endsWith('/') ? name.slice(0, -1) : name;
    const stem = bare.endsWith('.html') ? bare.slice(0, -'.html'.length) : bare;
    if (bare !== name && (this.#files.has(`${bare}.html`) || (stem !== bare && this.#files.has(bare))))
      return { to: encodedPath(`/${bare}`), permanent: true };
    if (stem !== '' && this.#files.has(`${stem}/index.html`))
      return { to: encodedPath(`/${stem}/`), permanent: true };
    return undefined;
  }

  /** Only to what exists, and never to `//host`. */
  #withoutEmptySegments(name: string): Redirect | undefined {
    const path = `/${name}`.replaceAll(/\/{2,}/g, '/');
    const found = this.find(path);
    if (found === undefined) return undefined;
    return 'redirect' in found ? found.redirect : { to: encodedPath(path), permanent: true };
  }
}

interface Common {
  release: ReleaseFiles;
  rules: SiteRules;
  compressed: CompressedFiles;
  hasLlms: boolean;
}

function servedFile(entry: Manifest['files'][number], common: Common): ServedFile {
  const { path, sizeBytes, sha256 } = entry;
  const { siteFolder, compressedFolder } = common.release;
  const pack = packOf(compressedFolder);
  const places = common.compressed.get(sha256) ?? {};
  const type = contentTypeOf(path);
  const shared = [
    'Content-Type',
    type,
    'Cache-Control',
    namedByContent.test(path) ? neverChanges : mayChange,
    ...(Object.keys(places).length === 0 ? [] : ['Vary', 'Accept-Encoding']),
    // From the file, so that it is right below any path.
    ...(common.hasLlms ? ['Link', `<${'../'.repeat(depthOf(path))}${llmsFile}>; rel="llms-txt"`] : []),
    ...common.rules.headers.flat(),
  ];
  const compressed: ServedFile['compressed'] = {};
  for (const encoding of encodings) {
    const place = places[encoding];
    if (place === undefined) continue;
    compressed[encoding] = representation({ file: pack, ...place, encoding, sha256 }, shared);
  }
  const form = { file: join(siteFolder, path), offset: 0, sizeBytes, encoding: undefined, sha256 };
  return { type, plain: representation(form, shared), compressed };
}

function representation(
  form: Pick<Representation, 'file' | 'offset' | 'sizeBytes' | 'encoding'> & { sha256: string },
  shared: readonly string[],
): Representation {
  const { sha256, ...facts } = form;
  const { encoding, sizeBytes } = facts;
  // 132 bits of the hash; each form has a tag of its own, as strong tags must.
  const tag = Buffer.from(sha256, 'hex').toString('base64url').slice(0, 22);
  const etag = `"${tag}${encoding === undefined ? '' : `-${encoding}`}"`;
  const unchangedHeaders = [...shared.slice(2), 'ETag', etag];
  const headers = [
    ...shared,
    'ETag',
    etag,
    'Content-Length',
    String(sizeBytes),
    ...(encoding === undefined ? ['Accept-Ranges', 'bytes'] : ['Content-Encoding', encoding]),
  ];
  return { ...facts, etag, headers, unchangedHeaders };
}

function depthOf(path: string): number {
  return path.split('/').length - 1;
}
