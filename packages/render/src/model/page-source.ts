/** A page as its author wrote it, before anything is rendered. */
import type { Diagnostic } from './diagnostic.ts';
import type { ApiTarget, PlaygroundDisplay, WrittenOperation } from './site-plan.ts';

export type PageMode = 'default' | 'wide' | 'custom' | 'frame' | 'center';

export interface GroupRule {
  includes: string[];
  excludes: string[];
}

/** What the front matter of a page says, with defaults. */
export interface PageMeta {
  route: string;
  file: string;
  title: string;
  sidebarTitle: string;
  description: string;
  icon?: string;
  tag?: string;
  url?: string;
  mode: PageMode;
  hidden: boolean;
  noIndex: boolean;
  deprecated: boolean;
  /** False keeps the page out of search only. */
  searchable: boolean;
  boost?: number;
  keywords: readonly string[];
  hidePagination: boolean;
  groups: readonly GroupRule[];
  metatags: readonly [string, string][];
  canonical?: string;
  /** The method and path of an API page: what its marker shows. */
  endpoint?: { method: string; path: string } | undefined;
  /** The page wants no marker beside its name in the sidebar. */
  hideApiMarker?: boolean;
  /** How the form of an API page is offered; the site decides when the page does not. */
  playground?: PlaygroundDisplay;
  /** What the front matter says the page documents. */
  reference?: PageReference;
  /** What the page documents, found in a description or written by the page itself. */
  api?: ApiTarget;
  /** The page is generated: `file` is the API description, `content` the MDX inside it. */
  generated?: boolean;
  content?: string;
  /** The page's place among its neighbours on a site without configured navigation. */
  order?: number;
  /** When the page was last changed, as its author says. */
  lastUpdated?: string;
  /** Whether to show that date; the site decides when the page does not. */
  timestamp?: boolean;
  contextual?: ContextualMenu;
  /** The page offers its feed to readers. */
  showsFeed: boolean;
  /** The text of the page has a diagram in it. */
  hasDiagram?: boolean;
}

export interface PageReference {
  to: ApiReference;
  /** Where the front matter names it. */
  line: number;
  /** The page has no title of its own, so that the description may give it one. */
  needsTitle: boolean;
}

/** What was read of the file of a page when the site was loaded. */
export interface PageSource {
  /** Of the bytes of its file. */
  sourceHash: string;
  meta: PageMeta;
  /** Files that the page imports, as written: an imported file is a snippet and no page. */
  imports: readonly string[];
  diagnostics: readonly Diagnostic[];
}

/** How a page or an entry of the navigation names what it documents. */
export type ApiReference =
  | { kind: 'operation'; file?: string | undefined; method: string; path: string }
  | { kind: 'webhook'; file?: string | undefined; name: string }
  | { kind: 'schema'; file?: string | undefined; name: string }
  | { kind: 'channel'; file?: string | undefined; name: string }
  /** Only a description; it must hold one operation for this to mean something. */
  | { kind: 'file'; file: string }
  | ({ kind: 'written' } & WrittenOperation);

/** An entry of the menu beside a page's title: one of the known ones by name, or one the author describes. */
export type ContextualOption =
  | { kind: 'known'; id: string }
  | { kind: 'own'; title: string; description?: string; icon?: string; href: string };

export interface ContextualMenu {
  options: ContextualOption[];
  display: 'header' | 'toc';
}
