/**
 * A release in service: a table of paths from its manifest. A path outside the table does not exist, so no
 * request path reaches the file system.
 */
import { readFile } from 'node:fs/promises';
import { type Audiences, type Manifest, sealedFolder } from '@docyard/bundle';
import { AudienceSites } from './audience-sites.ts';
import { ContentCache } from './content-cache.ts';
import { markdownOf } from './markdown-preference.ts';
import { type ListedFile, ReleaseContent, type RestrictedFolders } from './release-content.ts';
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
  type StaticFile,
  staticFile,
} from './static-file.ts';

/** The part of a release that serving needs. */
export interface ReleaseFiles {
  id: string;
  siteFolder: string;
  compressedFolder: string;
  manifest: Pick<Manifest, 'files'>;
  /** Absent if the release has no sealed files, or if they cannot be opened. */
  restricted?: (RestrictedFolders & { audiences: Audiences }) | undefined;
}

export interface SiteConfiguration {
  basePath?: string | undefined;
  /** Added to those of the site. */
  headers?: readonly string[];
  onlyHeaders?: readonly string[];
  /** Whether access is controlled, so that no shared cache may store a response. */
  isPrivate?: boolean;
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
const filesForHosts = /^(?:_redirects|_headers|_hosts\/.*)$/s;
/** Only these names contain a hash of their content. */
const namedByContent = /^_docyard\/(?:social|remote|fonts)\/[0-9a-f]{16}\.[a-z\d]{3,5}$/;
const llmsFile = 'llms.txt';
/** The page on which readers sign in, with a placeholder for the form. */
const signInPage = '_docyard/sign-in.html';
const maxSignInPageBytes = 1024 * 1024;

/** The site that readers without a group see, from which the other audiences are opened. */
export async function openSite(release: ReleaseFiles): Promise<ServedSite> {
  const { id, manifest, restricted } = release;
  const content = await ReleaseContent.open(release);
  const cache = new ContentCache();
  const open = async (files: Manifest['files'], audiences?: AudienceSites): Promise<ServedSite> =>
    new ServedSite({ id, files, content, cache, rules: await rulesOf(files, content), audiences });
  const audiences =
    restricted &&
    new AudienceSites(restricted.audiences, async ({ files }) => {
      const site = await open(files);
      site.configure(root.configuration);
      return site;
    });
  const root = await open(manifest.files, audiences);
  return root;
}

async function rulesOf(files: Manifest['files'], content: ReleaseContent): Promise<SiteRules> {
  const listed = files.find(({ path }) => path === rulesFile);
  if (listed === undefined || listed.sizeBytes > maxRulesBytes) return readRules(undefined);
  return readRules(await readFile(content.fileOf(listed), 'utf8').catch(() => undefined));
}

interface ServedSiteParts {
  id: string;
  files: Manifest['files'];
  content: ReleaseContent;
  cache: ContentCache;
  rules: SiteRules;
  audiences?: AudienceSites | undefined;
}

export class ServedSite {
  readonly id: string;
  readonly rules: SiteRules;
  /** Shared by all audiences of the release. */
  readonly content: ContentCache;
  readonly #stored: ReleaseContent;
  readonly #audiences: AudienceSites | undefined;
  readonly #entries: ReadonlyMap<string, ListedFile>;
  readonly #signInPage: ListedFile | undefined;
  /** Built on demand, so that switching to a large site does not block requests. */
  readonly #files = new Map<string, StaticFile>();
  #configuration: SiteConfiguration = {};
  #place: Place;
  #notFound: StaticFile | undefined;

  constructor({ id, files, content, cache, rules, audiences }: ServedSiteParts) {
    this.id = id;
    this.rules = rules;
    this.content = cache;
    this.#stored = content;
    this.#audiences = audiences;
    this.#entries = new Map(files.filter(({ path }) => isServed(path)).map((entry) => [entry.path, entry]));
    this.#signInPage = files.find(({ path }) => path === signInPage);
    this.#place = {
      basePath: rules.basePath,
      headers: rules.headers.flat(),
      onlyHeaders: undefined,
      cacheControl,
    };
  }

  /** Sets path and headers. Call it before the first request. */
  configure(configuration: SiteConfiguration): void {
    const { basePath = this.rules.basePath, headers = [], onlyHeaders, isPrivate = false } = configuration;
    this.#configuration = configuration;
    this.#place = {
      basePath,
      headers: [...this.rules.headers.flat(), ...headers],
      onlyHeaders,
      cacheControl: isPrivate ? privateCacheControl : cacheControl,
    };
    this.#files.clear();
    this.#notFound = undefined;
    this.#audiences?.close();
  }

  /** For the other audiences of the release, which have the same base path. */
  get configuration(): SiteConfiguration {
    return { ...this.#configuration, basePath: this.basePath };
  }

  /**
   * What a reader may see of the release; undefined for nothing. Readers who have not signed in are undefined.
   */
  async siteFor(reader: { groups: readonly string[] } | undefined): Promise<ServedSite | undefined> {
    if (this.#audiences === undefined) return reader && this;
    const site = await this.#audiences.of(reader);
    return site === 'manifest' ? this : site;
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
    const listed = this.#entries.get(path);
    return listed && readFile(this.#stored.fileOf(listed), 'utf8');
  }

  /** Undefined without a usable page. */
  async readSignInPage(): Promise<string | undefined> {
    const listed = this.#signInPage;
    if (listed === undefined || listed.sizeBytes > maxSignInPageBytes) return undefined;
    return readFile(this.#stored.fileOf(listed), 'utf8').catch(() => undefined);
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

  /** Whether there is a file with this path in the bundle. */
  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** The resource at a decoded path. */
  find(path: string, { asMarkdown = false } = {}): Found | undefined {
    const name = path.slice(1);
    const moved = this.findMoved(path);
    if (moved !== undefined) return moved;
    for (const each of [name, path.endsWith('/') ? `${name}index.html` : `${name}.html`]) {
      const markdown = asMarkdown && this.has(each) ? markdownOf(each) : undefined;
      const file = this.#file(markdown ?? '') ?? this.#file(each);
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

  #describe(listed: ListedFile, { isFound } = { isFound: true }): StaticFile {
    const { path, sha256 } = listed;
    return staticFile({
      path,
      // 132 bits of the hash.
      tag: Buffer.from(sha256, 'hex').toString('base64url').slice(0, 22),
      ...this.#stored.formsOf(listed),
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

function isServed(path: string): boolean {
  return !filesForHosts.test(path) && !path.startsWith(sealedFolder) && path !== signInPage;
}
