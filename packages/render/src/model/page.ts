/** Page data exchanged with render processes: plain, structured-cloneable values. */
import type { Diagnostic, FilePlace, Severity } from './diagnostic.ts';
import type { ApiTarget, PlaygroundDisplay } from './site-plan.ts';

export interface PageTask {
  id: number;
  route: string;
  file: string;
  output: string;
  title: string;
  /** For an API page without a description: the first paragraph of the operation's description. */
  description: string;
  /** BCP 47; absent when the site declares no language. */
  language?: string | undefined;
  banner?: string | undefined;
  guestBanners?: [language: string, content: string][] | undefined;
  api?: ApiTarget | undefined;
  /** The page has no source file; `file` is the API description. */
  generated?: boolean | undefined;
  /** On a generated page, MDX placed before the generated content. */
  content?: string | undefined;
  playground?: PlaygroundDisplay | undefined;
  /** Absent when the page is excluded from search. */
  search?: SearchTask | undefined;
  /** A hint that the page needs the diagram engine, which is expensive to load. */
  hasDiagram?: boolean | undefined;
}

export interface Heading {
  level: number;
  text: string;
  id: string;
}

/** How the page's code was evaluated: no code, statically, by execution, or refused. */
export type PageTier = 'none' | 'static' | 'run' | 'refused';

export type PageFeature = 'math' | 'api' | 'try-it';

/** Long texts are bytes: receivers write them without decoding. */
export interface PageResult {
  id: number;
  html: Uint8Array;
  /** Content of the right column: example requests, panels. */
  aside: Uint8Array;
  /** Facts about `html` and `aside`. */
  content: HtmlFacts;
  bar: string;
  /** CSP `connect-src` sources of the request form. */
  connectSources: string[];
  description: string;
  banner: string;
  guestBanners?: [language: string, html: string][];
  headings: Heading[];
  /** Classes generated for inline styles, with their declarations; names of stylesheets, with their text. */
  styles: [string, string][];
  classes: string[];
  features: PageFeature[];
  mathStyles: [string, string][];
  assets: string[];
  /** The page's own file and its snippets. Absent when the page failed. */
  sourceFiles?: string[];
  diagnostics: Diagnostic[];
  search?: PageTerms | undefined;
  /** Without title and description. */
  markdown: Uint8Array;
  /** Possible credentials in the Markdown. */
  secretsBeside: FoundSecret[];
  /** The first paragraph, when the page has no description. */
  summary: string;
  /** Newest first. */
  updates: FeedItem[];
  /** Absent on a page without interactive elements. */
  islands?: PageIslandsResult | undefined;
  /** The page shows an error panel instead of its content. */
  failed: boolean;
  /** Images of other hosts that have not been fetched. */
  wantedPictures?: string[];
  anchors?: LinkUse[];
  /** Absent when the page failed. */
  tier?: PageTier;
  /** Must not affect any output file. */
  milliseconds?: number;
}

export type UnreadPage = Omit<PageResult, 'content' | 'secretsBeside'>;

export interface LinkUse {
  href: string;
  /** As in the source. */
  written: string;
  place: FilePlace | undefined;
}

export interface FeedItem {
  title: string;
  description: string;
  /** A heading id, or empty for the page itself. */
  anchor: string;
  tags: string[];
  /** `2026-06-17`, when the entry names its day. */
  date?: string | undefined;
}

export interface RenderedUpdate {
  heading: string;
  body: string;
  label: string;
  description: string;
  tags: string[];
  feed?: { title?: string | undefined; description?: string | undefined } | undefined;
}

/** Facts about a fragment of HTML, independent of its surroundings. */
export interface HtmlFacts {
  /** Unique, in document order. */
  ids: string[];
  duplicateIds: string[];
  /** Same-site addresses, unique. The first character encodes whether the address is followed or loaded. */
  references: string[];
  fragments: string[];
  skippedHeadings: SkippedHeading[];
  level: number;
  undescribedPictures: string[];
  remoteFiles: string[];
  secrets: FoundSecret[];
}

export interface SkippedHeading {
  id: string;
  level: number;
  before: number;
}

export interface FoundSecret {
  kind: string;
  severity: Severity;
  /** The prefix that may be displayed. */
  start: string;
  /** The full secret, used only to locate it in the source. */
  whole: string;
}

export interface PageIslandsResult {
  modules: IslandModule[];
  /** HTML hidden in the initial state, for the end of the body. */
  parts: string;
  hosts: string[];
}

export interface SearchTask {
  keywords: readonly string[];
  /** Multiplies all term weights of the page. */
  boost: number;
  /** Group names, route and endpoint: searchable but not displayed. */
  hints: string;
}

/**
 * A page's search index entries in binary form. Numbers are little-endian base-128 varints. Layout: number of
 * sections, byte length of the JSON, the JSON `[[id, title, excerpt], …]`; then per term its byte length, its
 * UTF-8 text and, per section, the section number (plus 128 for the last one) and the weight step.
 */
export type PageTerms = Uint8Array;

/** A module as a classic script: an expression that evaluates to the module's factory. */
export interface IslandModule {
  id: string;
  factory: string;
}
