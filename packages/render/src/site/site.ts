/** A loaded, unrendered site: configuration, files, pages and navigation. */
import type { RemoteHosts } from '../assets/remote-hosts.ts';
import type { SiteSettings } from '../config/settings.ts';
import type { placeFinder } from '../config/shape.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { SpecDocument } from '../model/site-plan.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { Section } from '../navigation/tree.ts';
import type { SiteFiles } from '../navigation/files.ts';
import type { FetchRemote, SpecCache } from '../openapi/library.ts';
import type { NavigationRule } from '../search/pages.ts';
import type { PageMeta, PageSource } from '../model/page-source.ts';

export interface Site {
  name: string;
  /** Navigation pages in reading order, then hidden pages. */
  pages: PageRef[];
  diagnostics: Diagnostic[];
  root: string;
  sourceHashes: ReadonlyMap<string, string>;
  /** Files modified after this time may differ from what was read. */
  loadStartedAtMs: number;
  configFile: string;
  placeInConfig: ReturnType<typeof placeFinder>;
  settings: SiteSettings;
  files: SiteFiles;
  /** The tree that `navigation` maps. */
  navigationRoot: Section;
  navigation: NavigationMap;
  searchable: ReadonlyMap<string, boolean>;
  metas: ReadonlyMap<string, PageMeta>;
  /** Search inclusion from the navigation, including hidden nodes. */
  searchRules: ReadonlyMap<string, NavigationRule>;
  specOf: (name: string) => SpecDocument | undefined;
  frameAddresses: readonly string[];
  /** API descriptions and images share one deadline. */
  remoteHosts: RemoteHosts;
  /** The site that this one is the visible part of. */
  whole?: Site;
  /** Original route → route with a portable name. */
  renamedRoutes: ReadonlyMap<string, string>;
}

export interface PageRef {
  /** Without leading slash or extension: `index`, `guides/start`. */
  path: string;
  file: string;
  title?: string;
}

export interface LoadOptions {
  /** Absolute folder that contains `docs.json`. */
  root: string;
  /** Without it, remote API descriptions are omitted. It enforces its own time and address limits. */
  fetchRemote?: FetchRemote;
  /** Render processes to start while the site loads, at most two. */
  renderProcesses?: number;
  /** What an earlier load has read; see `LoadCache`. */
  cache?: LoadCache;
}

/** Data reused by the next load. The owner removes entries of changed files. */
export interface LoadCache {
  files?: SiteFiles | undefined;
  pages: Map<string, PageSource>;
  specs: SpecCache;
}
