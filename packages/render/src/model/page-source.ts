import type { Diagnostic } from './diagnostic.ts';
import type { ApiTarget, PlaygroundDisplay, FrontMatterOperation } from './site-plan.ts';

export type PageMode = 'default' | 'wide' | 'custom' | 'frame' | 'center';

export interface GroupRule {
  includes: string[];
  excludes: string[];
}

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
  /** False removes the page from search only. */
  searchable: boolean;
  boost?: number;
  keywords: readonly string[];
  hidePagination: boolean;
  groups: readonly GroupRule[];
  /** Whether readers of a private site see the page without signing in. Undefined: as the navigation says. */
  isPublic?: boolean;
  metatags: readonly [string, string][];
  canonical?: string;
  endpoint?: { method: string; path: string } | undefined;
  hideApiMarker?: boolean;
  /** Overrides the site's setting. */
  playground?: PlaygroundDisplay;
  reference?: PageReference;
  api?: ApiTarget;
  /** `file` is the API description and `content` the MDX it contains. */
  generated?: boolean;
  content?: string;
  /** Position among its siblings on a site without configured navigation. */
  order?: number;
  lastUpdated?: string;
  timestamp?: boolean;
  contextual?: ContextualMenu;
  showsFeed: boolean;
  hasDiagram?: boolean;
}

export interface PageReference {
  to: ApiReference;
  line: number;
  /** The page has no title, so the operation's summary is used. */
  needsTitle: boolean;
}

export interface PageSource {
  sourceHash: string;
  meta: PageMeta;
  /** As written. An imported file is a snippet, not a page. */
  imports: readonly string[];
  diagnostics: readonly Diagnostic[];
}

export type ApiReference =
  | { kind: 'operation'; file?: string | undefined; method: string; path: string }
  | { kind: 'webhook'; file?: string | undefined; name: string }
  | { kind: 'schema'; file?: string | undefined; name: string }
  | { kind: 'channel'; file?: string | undefined; name: string }
  /** Valid only when the API description has exactly one operation. */
  | { kind: 'file'; file: string }
  | ({ kind: 'front-matter' } & FrontMatterOperation);

export type ContextualOption =
  | { kind: 'known'; id: string }
  | { kind: 'own'; title: string; description?: string; icon?: string; href: string };

export interface ContextualMenu {
  options: ContextualOption[];
  display: 'header' | 'toc';
}
