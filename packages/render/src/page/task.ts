/** What goes to a render process and what comes back: plain data, so that it can cross a process boundary. */
import type { RemotePicture } from '../assets/remote-pictures.ts';
import type { Diagnostic, FilePlace } from '../check/diagnostic.ts';
import type { HtmlFacts } from '../check/output-facts.ts';
import type { FoundSecret } from '../check/secrets.ts';
import type { ApiSettings, PlaygroundDisplay } from '../config/api.ts';
import type { Redirect } from '../config/redirects.ts';
import type { IconLibrary } from '../icons/reference.ts';
import type { PageIslandsResult } from '../islands/page-islands.ts';
import type { UrlStyle } from '../navigation/addresses.ts';
import type { MathMode } from '../math/marks.ts';
import type { ApiTarget, SpecDocument } from '../openapi/target.ts';
import type { PageTerms, SearchTask } from '../search/page-terms.ts';
import type { Lookup } from './lookups.ts';
import type { ParserName } from './parser.ts';
import type { SourceMark } from './source.ts';
import type { FeedItem } from './updates.ts';

/** What every page of a site has in common. Sent once to each process. */
export interface SitePlan {
  root: string;
  files: string[];
  routes: string[];
  /** The pages that are part of this output; links to the others lead to the published site or nowhere. */
  rendered: string[];
  urlStyle: UrlStyle;
  origin: string;
  basePath: string;
  redirects: Redirect[];
  /** Pages and files whose names not every file system can hold: as written, and as used. */
  renamedRoutes: [string, string][];
  renamedFiles: [string, string][];
  variables: Record<string, string>;
  math: MathMode;
  banner: string;
  iconLibrary: IconLibrary;
  /** The API descriptions of the site, by the name that targets use. */
  specs: Record<string, SpecDocument>;
  /** How many schema nodes each API page may show. */
  maxSchemaNodes: number;
  api: ApiSettings;
  /** The Markdown of an API page holds its part of the specification. */
  specInMarkdown: boolean;
  /** Where the output goes nothing can be reached: pages offer nothing that needs a network. */
  airGapped: boolean;
  /** What became of pictures of other hosts, by address. */
  pictures: ReadonlyMap<string, RemotePicture>;
  /** Pages say which other ones they would show. */
  asksForPictures: boolean;
  /** Whether code of the site that must be run is run; otherwise why not. */
  customCode: 'run' | { refused: string };
  /**
   * Pages are kept for another run. They say how their file was, and what they asked of the lists above, so that they can be known
   * again when the lists are others.
   */
  isRemembered: boolean;
  /** What time it is for that code: the time of the commit, so that the same site gives the same bytes. */
  clockMs: number;
}

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
  /** The file as it was when the page was made from it, if the plan says so. */
  source?: SourceMark | undefined;
  /** What the page asked of the lists of pages and files, if the plan says so. */
  lookups?: Lookup[] | undefined;
  /** All of this but its bytes as it is kept for the next run, if the process that rendered it was to pack it. */
  packedHead?: Uint8Array | undefined;
  /** Absent when the page failed. */
  tier?: PageTier;
  /** How long the page took. It must not reach any file of the output. */
  milliseconds?: number;
}

/** A page that nobody has read yet. */
export type UnreadPage = Omit<PageResult, 'content' | 'secretsBeside'>;

/** A page whose texts were just made. */
export type PageDraft = Omit<UnreadPage, LongText | 'summary'> & Record<LongText, string>;

export type LongText = 'html' | 'aside' | 'markdown';

export interface LinkUse {
  /** As it stands in the output. */
  href: string;
  /** As the author wrote it. */
  written: string;
  place: FilePlace | undefined;
}

export type ToProcess =
  /** Without `isOneOfMany` whoever gets the pages reads and packs them: a single process then has about as much to do as its parent. */
  | { type: 'site'; plan: SitePlan; isOneOfMany?: boolean }
  /** These files have other content than before. */
  | { type: 'changed'; files: string[] }
  | { type: 'pages'; tasks: PageTask[]; parser: ParserName };

export type FromProcess =
  /** Its code is loaded. */
  { type: 'ready' } | { type: 'page'; result: UnreadPage | PageResult };
