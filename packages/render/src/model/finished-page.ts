/** A page in its frame, as it is written, and what the site keeps of it. */
import type { Diagnostic } from './diagnostic.ts';
import type {
  FeedItem,
  FoundSecret,
  LinkUse,
  PageFeature,
  PageResult,
  PageTask,
  PageTerms,
  PageTier,
  SkippedHeading,
} from './page.ts';

/** Turns tasks into finished pages, in any order. */
export interface PageRenderer {
  /** `idsOf` knows the ids of pages that are not among the tasks. */
  render(tasks: readonly PageTask[], idsOf: IdsOf): AsyncGenerator<FinishedPage | FetchedPicture>;
}

/** The ids of a page, by its output. */
export type IdsOf = (output: string) => readonly string[] | undefined;

/** A picture of another host that pages show. */
export interface FetchedPicture {
  path: string;
  picture: Uint8Array;
}

export interface FinishedPage {
  task: PageTask;
  html: Uint8Array;
  /** SHA-256 of the HTML. */
  htmlHash: string;
  /** The Markdown file beside the page. */
  markdown: Uint8Array;
  summary: PageSummary;
  dependencies: PageDependencies;
  milliseconds: number;
}

/** What decides about the bytes of a page besides the site and its own source. */
export interface PageDependencies {
  /** Source, snippets and shown files; undefined for a page that must be rendered each time. */
  files: readonly string[] | undefined;
  /** The pages that it leads to with a fragment, with a hash of their ids. */
  targets: readonly [output: string, idsHash: string][];
  /** The time that the code of the page sees, if it has code. */
  clockMs: number | undefined;
}

/** What the site needs of a page once its files are written. */
export interface PageSummary {
  /** Files that the page or its frame shows or links to. */
  assets: readonly string[];
  styles: PageResult['styles'];
  classes: readonly string[];
  mathStyles: PageResult['mathStyles'];
  features: readonly PageFeature[];
  diagnostics: readonly Diagnostic[];
  /** Plain text. */
  description: string;
  /** The first words of its text, for pages without a description. */
  summary: string;
  updates: readonly FeedItem[];
  failed: boolean;
  /** The ids of its content, for links of other pages. */
  ids: readonly string[];
  search: PageTerms | undefined;
  check: PageCheck;
  /** The page names a picture that the site draws. */
  usesSocialImage: boolean;
  /** What a page without a sidebar leads to. */
  followed: readonly string[] | undefined;
  /** Byte ranges of its content in its files. */
  places: { html: ByteRange; aside: ByteRange; markdown: ByteRange };
  /** HTML above the content. */
  lead: string;
}

export type ByteRange = readonly [start: number, end: number];

/** What the check of the output needs of a page. */
export interface PageCheck {
  anchors: readonly LinkUse[];
  tier: PageTier | undefined;
  bytes: number;
  facts: OutputFacts;
  secretsBeside: readonly FoundSecret[];
  /** Pages it leads to that the navigation does not. */
  reaches: readonly string[];
  /** Addresses in its frame that lead to no planned page. */
  frameReferences: readonly Reference[];
  /** Addresses of the configuration that were resolved for its frame, and lead nowhere. */
  unresolved: readonly UnresolvedAddress[];
}

/** An address, and whether a browser loads it with the page rather than when a reader follows it. */
export interface Reference {
  address: string;
  loads: boolean;
}

export type UnresolvedAddress = readonly [
  written: string,
  code: 'broken_link' | 'unsafe_link' | 'image_missing',
];

export interface OutputFacts {
  /** Ids and unsettled references, each list as one text: substrings would keep the whole page in memory. */
  ids: string;
  references: string;
  /** Links of the page to itself that name no id it has. */
  lostFragments: readonly string[];
  duplicateIds: readonly string[];
  skippedHeadings: readonly SkippedHeading[];
  undescribedPictures: readonly string[];
  remoteFiles: readonly string[];
  secrets: readonly FoundSecret[];
}
