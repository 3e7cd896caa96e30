/** A page on its way through the renderer: plain data, so that it can cross a process boundary. */
import type { Diagnostic, FilePlace, Severity } from './diagnostic.ts';
import type { ApiTarget, PlaygroundDisplay } from './site-plan.ts';

export interface PageTask {
  id: number;
  route: string;
  file: string;
  output: string;
  title: string;
  /** An API page without a description of its own has the first paragraph of what is said about its operation. */
  description: string;
  /** As browsers name it; absent when the site does not say. */
  language?: string | undefined;
  /** The banner of the page's language, where it differs from the site's. */
  banner?: string | undefined;
  /** The banners of other languages that the page is shown in, by language. */
  guestBanners?: [language: string, content: string][] | undefined;
  /** What the page documents, when it is an API page. */
  api?: ApiTarget | undefined;
  /** The page has no file of its own: it is made from what `api` names, and `file` is that description. */
  generated?: boolean | undefined;
  /** MDX that stands before what is made from `api`, on a generated page. */
  content?: string | undefined;
  /** How the form of an API page is offered, where the page differs from the site. */
  playground?: PlaygroundDisplay | undefined;
  /** Absent when the page cannot be found by search. */
  search?: SearchTask | undefined;
  /** A hint: the page is likely to need the engine for diagrams, which costs a process much to load. */
  hasDiagram?: boolean | undefined;
}

export interface Heading {
  level: number;
  text: string;
  id: string;
}

/** What the code of a page took: there is none, it was computed without running it, it was run, or it was not to be run. */
export type PageTier = 'none' | 'static' | 'run' | 'refused';

export type PageFeature = 'math' | 'api' | 'try-it';

/** Everything there is to know of a page. Its long texts are bytes: nobody who gets it has to read them. */
export interface PageResult {
  id: number;
  html: Uint8Array;
  /** What belongs beside the content on a wide screen: example requests, panels. */
  aside: Uint8Array;
  /** What a check of the output has to know of both. */
  content: HtmlFacts;
  /** The bar under the title of an API page. */
  bar: string;
  /** What the form of an API page may send requests to, as sources of a content security policy. */
  connectSources: string[];
  description: string;
  banner: string;
  guestBanners?: [language: string, html: string][];
  headings: Heading[];
  /** Classes generated for inline styles, with their declarations; files of rules that stand in the page, with their text. */
  styles: [string, string][];
  /** Classes that authors wrote on elements. */
  classes: string[];
  /** What the page uses that needs files of its own. */
  features: PageFeature[];
  /** Classes of the formulas on the page, with their declarations. */
  mathStyles: [string, string][];
  /** Files of the site that the page shows or links to. */
  assets: string[];
  /** The files whose text is on the page: its own and the snippets it uses. Absent when the page failed. */
  sourceFiles?: string[];
  diagnostics: Diagnostic[];
  /** What the page adds to the search index. */
  search?: PageTerms | undefined;
  /** The content of the page as Markdown, without title and description. */
  markdown: Uint8Array;
  /** What looks like a credential in it. */
  secretsBeside: FoundSecret[];
  /** The first paragraph of a page that has no description. */
  summary: string;
  /** What the changelog entries of the page add to its feed, newest first. */
  updates: FeedItem[];
  /** What elements that live on in the browser need. Absent on a page without any. */
  islands?: PageIslandsResult | undefined;
  /** The page shows an error panel instead of its content. */
  failed: boolean;
  /** Pictures of other hosts that the page would show, and nobody has asked for yet. */
  wantedPictures?: string[];
  /** Links to a heading or id, with where they were written: the check of the output needs the way back. */
  anchors?: LinkUse[];
  /** Absent when the page failed. */
  tier?: PageTier;
  /** How long the page took. It must not reach any file of the output. */
  milliseconds?: number;
}

/** A page that nobody has read yet. */
export type UnreadPage = Omit<PageResult, 'content' | 'secretsBeside'>;

export interface LinkUse {
  /** As it stands in the output. */
  href: string;
  /** As the author wrote it. */
  written: string;
  place: FilePlace | undefined;
}

export interface FeedItem {
  title: string;
  /** Plain text. */
  description: string;
  /** The id of a heading of the page; empty for the page itself. */
  anchor: string;
  tags: string[];
  /** `2026-06-17`, when the entry names its day. */
  date?: string | undefined;
}

/** An entry as it was rendered. */
export interface RenderedUpdate {
  /** Its label, as a heading. */
  heading: string;
  body: string;
  label: string;
  description: string;
  tags: string[];
  /** What the author wants the feed to show for the entry as a whole. */
  feed?: { title?: string | undefined; description?: string | undefined } | undefined;
}

/** What a stretch of HTML holds, whatever stands around it. It crosses from a render process. */
export interface HtmlFacts {
  /** Each once, in order. */
  ids: string[];
  duplicateIds: string[];
  /** Addresses inside of the site, each once; the first letter says whether it is followed or loaded. */
  references: string[];
  /** Links of the page to itself. */
  fragments: string[];
  skippedHeadings: SkippedHeading[];
  /** The level of the last heading. */
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
  /** What may be shown. */
  start: string;
  /** The whole of it, only for finding its place in the source. */
  whole: string;
}

/** What a page with islands needs besides its content. */
export interface PageIslandsResult {
  modules: IslandModule[];
  /** HTML that the first state of the page does not show, for the end of the body. */
  parts: string;
  hosts: string[];
}

/** What is known about a page before it is rendered. Present only for pages that can be found. */
export interface SearchTask {
  keywords: readonly string[];
  /** Multiplies all weights of the page. */
  boost: number;
  /** Names of the groups around the page, the route and the endpoint: findable, but not shown. */
  hints: string;
}

/**
 * The form in which what a page adds to the index crosses from one process to another and is kept from one export to the
 * next. Numbers have seven bits a byte, the smallest first: how many sections there are, how many bytes their JSON has;
 * then the JSON, `[[id, title, excerpt], …]`; then for every term the length of its text, the text in UTF-8, and for each
 * section with it the number of the section, 128 more for the last of them, and the step of its weight.
 */
export type PageTerms = Uint8Array;

/** A module as a classic script: an expression that is the factory of the module. */
export interface IslandModule {
  id: string;
  factory: string;
}
