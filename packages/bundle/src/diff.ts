/**
 * Compares two exports of a site by pages. A page is a Markdown file with an HTML file beside it. If only the
 * HTML differs, the page was restyled.
 */
import type { Manifest } from './manifest.ts';
import { pageTitle } from './page-title.ts';
import { makePatch } from './patch.ts';

/** Without `read`, hashes and titles come from the manifest; older manifests have no titles. */
export interface Side {
  manifest: Manifest;
  /** Returns those of the files that exist. */
  read?: (paths: ReadonlySet<string>) => Promise<Map<string, Uint8Array>>;
}

export interface Page {
  /** Public path, such as `/guides/start`. */
  path: string;
  title: string | null;
}

export interface ChangedPage extends Page {
  titleBefore: string | null;
}

export interface MovedPage extends ChangedPage {
  from: string;
  /** Whether it was also edited. */
  changed: boolean;
}

export interface SiteDiff {
  identical: boolean;
  from: SideFacts;
  to: SideFacts;
  pages: {
    added: Page[];
    changed: ChangedPage[];
    removed: Page[];
    moved: MovedPage[];
    /** Pages with unchanged text and changed HTML. */
    restyled: string[];
  };
  /** Files that do not belong to a page. */
  files: { added: string[]; changed: string[]; removed: string[] };
  /** Uncompressed size of new and changed files. */
  changedBytes: number;
}

type SideFacts = Pick<Manifest, 'version' | 'commit' | 'committedAt' | 'pages'> & { bytes: number };

/** Limits how many pages are read to find moves. */
const maxRead = 2000;

export async function diffSites(from: Side, to: Side): Promise<SiteDiff> {
  const [before, after] = [new Files(from.manifest), new Files(to.manifest)];
  const changed = [...after.pages].filter(
    (page) => before.pages.has(page) && before.hash(page) !== after.hash(page),
  );
  const added = [...after.pages].filter((page) => !before.pages.has(page));
  const removed = [...before.pages].filter((page) => !after.pages.has(page));
  const [oldTexts, newTexts] = await Promise.all([
    readSome(from, [...removed, ...changed]),
    readSome(to, [...added, ...changed]),
  ]);
  const moves = findMoves({ added, removed, before, after, oldTexts, newTexts });
  const movedFrom = new Set(moves.values());
  const oldPage = (page: string) => ({ path: pagePath(page), title: before.title(page, oldTexts) });
  const newPage = (page: string) => ({ path: pagePath(page), title: after.title(page, newTexts) });
  return {
    identical: sameFiles(before, after),
    from: factsOf(from.manifest),
    to: factsOf(to.manifest),
    pages: {
      added: added.filter((page) => !moves.has(page)).map(newPage),
      changed: changed.map((page) => ({ ...newPage(page), titleBefore: oldPage(page).title })),
      removed: removed.filter((page) => !movedFrom.has(page)).map(oldPage),
      moved: [...moves].map(([page, old]) => ({
        ...newPage(page),
        titleBefore: oldPage(old).title,
        from: pagePath(old),
        changed: before.hash(old) !== after.hash(page),
      })),
      restyled: restyledPages(before, after).map(pagePath),
    },
    files: {
      added: after.others.filter((path) => !before.has(path)),
      changed: after.others.filter((path) => before.has(path) && before.hash(path) !== after.hash(path)),
      removed: before.others.filter((path) => !after.has(path)),
    },
    changedBytes: after.bytesWhere((path) => before.hash(path) !== after.hash(path)),
  };
}

class Files {
  /** The Markdown files of pages. */
  readonly pages: ReadonlySet<string>;
  /** Files that are neither the Markdown nor the HTML of a page. */
  readonly others: readonly string[];
  readonly #files: ReadonlyMap<string, Manifest['files'][number]>;

  constructor(manifest: Manifest) {
    this.#files = new Map(manifest.files.map((file) => [file.path, file]));
    const paths = [...this.#files.keys()].toSorted();
    this.pages = new Set(paths.filter((path) => this.htmlOf(path) !== undefined));
    const html = new Set([...this.pages].map((page) => this.htmlOf(page)));
    this.others = paths.filter((path) => !this.pages.has(path) && !html.has(path));
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  hash(path: string): string | undefined {
    return this.#files.get(path)?.sha256;
  }

  title(page: string, texts: Map<string, Uint8Array>): string | null {
    const text = texts.get(page);
    const title = text === undefined ? this.#files.get(page)?.title : pageTitle(page, text);
    return title ?? null;
  }

  htmlOf(path: string): string | undefined {
    if (!path.endsWith('.md')) return undefined;
    const stem = path.slice(0, -'.md'.length);
    return [`${stem}.html`, `${stem}/index.html`].find((html) => this.#files.has(html));
  }

  bytesWhere(matches: (path: string) => boolean): number {
    const matching = [...this.#files.values()].filter(({ path }) => matches(path));
    return matching.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  get size(): number {
    return this.#files.size;
  }

  get paths(): Iterable<string> {
    return this.#files.keys();
  }
}

/**
 * Maps each moved page to its old path. A page has moved if its Markdown is identical, or if the unique page
 * of the same name in another folder has mostly the same text. Relative links make the Markdown of a moved
 * page differ.
 */
function findMoves(input: {
  added: readonly string[];
  removed: readonly string[];
  before: Files;
  after: Files;
  oldTexts: Map<string, Uint8Array>;
  newTexts: Map<string, Uint8Array>;
}): Map<string, string> {
  const { added, removed, before, after, oldTexts, newTexts } = input;
  const moves = new Map<string, string>();
  const oldByHash = uniqueBy(removed, (page) => before.hash(page));
  for (const [hash, page] of uniqueBy(added, (each) => after.hash(each))) {
    const old = oldByHash.get(hash);
    if (old !== undefined) moves.set(page, old);
  }
  const movedFrom = new Set(moves.values());
  const oldByName = uniqueBy(
    removed.filter((page) => !movedFrom.has(page)),
    nameOf,
  );
  const newByName = uniqueBy(
    added.filter((page) => !moves.has(page)),
    nameOf,
  );
  for (const [name, page] of newByName) {
    const old = oldByName.get(name);
    if (old !== undefined && isMostly(oldTexts.get(old), newTexts.get(page))) moves.set(page, old);
  }
  return moves;
}

/** Pages by key, without keys that two pages share. */
function uniqueBy<Key>(pages: readonly string[], keyOf: (page: string) => Key | undefined): Map<Key, string> {
  const found = new Map<Key, string>();
  const shared = new Set<Key>();
  for (const page of pages) {
    const key = keyOf(page);
    if (key === undefined) continue;
    if (found.has(key)) shared.add(key);
    found.set(key, page);
  }
  for (const key of shared) found.delete(key);
  return found;
}

/** Whether half of the new text can be copied from the old one. */
function isMostly(old: Uint8Array | undefined, text: Uint8Array | undefined): boolean {
  if (old === undefined || text === undefined) return false;
  const patch = makePatch(old, text);
  return patch !== undefined && patch.length * 2 < text.length;
}

function restyledPages(before: Files, after: Files): string[] {
  return [...after.pages].filter((page) => {
    if (!before.pages.has(page) || before.hash(page) !== after.hash(page)) return false;
    return before.hash(before.htmlOf(page) ?? '') !== after.hash(after.htmlOf(page) ?? '');
  });
}

function sameFiles(before: Files, after: Files): boolean {
  return (
    before.size === after.size && [...after.paths].every((path) => before.hash(path) === after.hash(path))
  );
}

async function readSome(side: Side, pages: readonly string[]): Promise<Map<string, Uint8Array>> {
  if (side.read === undefined || pages.length === 0) return new Map();
  return side.read(new Set(pages.slice(0, maxRead)));
}

function pagePath(markdownFile: string): string {
  return markdownFile === 'index.md' ? '/' : `/${markdownFile.slice(0, -'.md'.length)}`;
}

function nameOf(page: string): string {
  return page.slice(page.lastIndexOf('/') + 1);
}

function factsOf({ version, commit, committedAt, pages, files }: Manifest): SideFacts {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { version, commit, committedAt, pages, bytes };
}
