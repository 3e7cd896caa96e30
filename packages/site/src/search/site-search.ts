/** Finds passages of a site that answer a question, with the search index and the ranking of its search dialog. */
import { markdownOf } from '../serving/markdown-preference.ts';
import type { ServedSite } from '../serving/served-site.ts';
import { encodedPath } from '../serving/site-rules.ts';
import { createRanking, type RankedPage, type Ranking } from './files/ranking.js';
import { MarkdownPage, plainWords, QuestionMatcher } from './passages.ts';
import { wordsOf } from './question-words.ts';
import { readShard, SearchIndexError } from './shards.ts';

/** A section of a page, or the part of it that has most of the question. */
export interface Passage {
  /** The file of the page, such as `guide/install.html`. */
  path: string;
  /** With the base path of the site, and the anchor of the heading. */
  url: string;
  /** Of the page. */
  title: string;
  /** Empty at the start of a page. */
  heading: string;
  /** The anchor of the heading; empty at the start of a page. */
  id: string;
  /** Markdown. */
  text: string;
  /** Comparable within one answer. */
  score: number;
  /** The share of the question that the passage has, from 0 to 1, with rare words counting more. */
  coverage: number;
}

export interface FindOptions {
  limit: number;
  /** Index of a language and version of the site; all without it. */
  scope?: number | undefined;
}

export interface SiteSearch {
  /** Best first; empty for a site without a search index. Throws `SearchIndexError`. */
  find(question: string, options: FindOptions): Promise<Passage[]>;
}

const maxPages = 20;
const maxPassagesOfPage = 2;
/** The second passage of a page counts less, so that several pages are among the first. */
const furtherPassageFactor = 0.5;
/** Only the start of a longer question is searched for. */
const maxQuestionCharacters = 2000;
/** Decoded shards stay in memory up to this size of their files. */
const maxLoadedBytes = 8 * 1024 * 1024;
const maxKnownWords = 20_000;

const searches = new WeakMap<ServedSite, SiteSearch>();

/** The search over what a reader may see. It exists as long as the release. */
export function siteSearch(site: ServedSite): SiteSearch {
  const known = searches.get(site);
  if (known !== undefined) return known;
  const search = new IndexSearch(site);
  searches.set(site, search);
  return search;
}

class IndexSearch implements SiteSearch {
  readonly #site: ServedSite;
  #ranking: Ranking | undefined;
  #loadedBytes = 0;

  constructor(site: ServedSite) {
    this.#site = site;
  }

  async find(question: string, { limit, scope = -1 }: FindOptions): Promise<Passage[]> {
    if (!isFile(this.#site, '_docyard/search/index.js')) return [];
    try {
      const ranking = this.#open();
      // Without the space, the last word would be completed like one that a reader is still typing.
      const query = `${wordsOf(question.slice(0, maxQuestionCharacters)).join(' ')} `;
      const { results, words } = await ranking.find(query, { scope, limit: maxPages, partial: true });
      const matcher = new QuestionMatcher(ranking, words);
      const found = await Promise.all(results.map((page) => this.#passagesOf(page, matcher)));
      return withoutCopies(found.flat().toSorted((a, b) => b.score - a.score)).slice(0, limit);
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
      throw new SearchIndexError('The search index of the site is damaged.', { cause: error });
    }
  }

  #open(): Ranking {
    if (this.#ranking === undefined || this.#loadedBytes > maxLoadedBytes) {
      this.#ranking = createRanking();
      this.#loadedBytes = 0;
      this.#ranking.fetchShard = async (name) => {
        const shard = await readShard(this.#site, name);
        this.#loadedBytes += shard.sizeBytes;
        return shard.data;
      };
    }
    this.#ranking.forgetWords(maxKnownWords);
    return this.#ranking;
  }

  async #passagesOf(page: RankedPage, matcher: QuestionMatcher): Promise<Passage[]> {
    const found = await this.#readPage(page.href);
    if (found === undefined) return [];
    const { path, markdown } = found;
    const address = `${encodedPath(this.#site.basePath)}/${page.href}`;
    return page.sections
      .map((section) => {
        const { id, title: heading } = section;
        const part = matcher.bestPart(
          markdown?.sectionOf(section) ?? section.text,
          `${page.title}\n${heading}`,
        );
        const url = id === '' ? address : `${address}#${encodeURIComponent(id)}`;
        return { path, url, title: page.title, heading, id, ...part, score: section.score * part.coverage };
      })
      .toSorted((a, b) => b.score - a.score)
      .slice(0, maxPassagesOfPage)
      .map((passage, at) => ({ ...passage, score: passage.score * furtherPassageFactor ** at }));
  }

  /** Undefined for a page that is not part of the site. */
  async #readPage(href: string): Promise<{ path: string; markdown: MarkdownPage | undefined } | undefined> {
    const path = pageFiles(href).find((file) => isFile(this.#site, file));
    if (path === undefined) return undefined;
    const markdown = await this.#site.readText(markdownOf(path) ?? '');
    return { path, markdown: markdown === undefined ? undefined : new MarkdownPage(markdown) };
  }
}

/** The files that an address can mean, without and with the extension. */
function pageFiles(href: string): string[] {
  const name = decoded(href);
  if (name.endsWith('.html')) return [name];
  return name === '' || name.endsWith('/') ? [`${name}index.html`] : [`${name}.html`, `${name}/index.html`];
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

function isFile(site: ServedSite, path: string): boolean {
  const found = site.find(`/${path}`);
  return found !== undefined && 'file' in found;
}

/** Versions of a site repeat pages. The first copy is kept, whose score is the highest. */
function withoutCopies(passages: readonly Passage[]): Passage[] {
  const known = new Set<string>();
  return passages.filter(({ title, heading, text }) => {
    const key = `${title}\n${heading}\n${plainWords(text)}`;
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}
