/** A loaded site: its configuration, files, pages and navigation. Nothing has been rendered. */
import type { RemoteHosts } from '../assets/remote-hosts.ts';
import type { SiteSettings } from '../config/settings.ts';
import type { placeFinder } from '../config/shape.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { SpecDocument } from '../model/site-plan.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { SiteFiles } from '../navigation/files.ts';
import type { FetchRemote, SpecCache } from '../openapi/library.ts';
import type { NavigationRule } from '../search/pages.ts';
import type { PageMeta, PageSource } from '../model/page-source.ts';

export interface Site {
  name: string;
  /** Every page that will be output: navigation pages in reading order, then the hidden ones. */
  pages: PageRef[];
  diagnostics: Diagnostic[];
  root: string;
  /** Hashes of page files as they were read. */
  sourceHashes: ReadonlyMap<string, string>;
  /** A file that changed later may differ from what was read. */
  loadStartedAtMs: number;
  /** The file that findings about the configuration name. */
  configFile: string;
  /** Where a value of the configuration stands in that file. */
  placeInConfig: ReturnType<typeof placeFinder>;
  settings: SiteSettings;
  files: SiteFiles;
  navigation: NavigationMap;
  /** Pages that the navigation puts into the search or keeps out of it. */
  searchable: ReadonlyMap<string, boolean>;
  metas: ReadonlyMap<string, PageMeta>;
  /** What the navigation says about finding pages, also about those it hides. */
  searchRules: ReadonlyMap<string, NavigationRule>;
  /** An API description that pages are about, by its name in their targets. */
  specOf: (name: string) => SpecDocument | undefined;
  /** Addresses in the configuration that may lead to a heading. */
  frameAddresses: readonly string[];
  /** What is known of other hosts: descriptions and pictures have one deadline together. */
  remoteHosts: RemoteHosts;
  /** Pages whose files have names that not every file system can hold: their routes as written and as used. */
  renamedRoutes: ReadonlyMap<string, string>;
}

export interface PageRef {
  /** Route without leading slash or extension: `index`, `guides/start`. */
  path: string;
  /** Source file, relative to the root. */
  file: string;
  title?: string;
}

export interface LoadOptions {
  /** Absolute folder that holds `docs.json`. */
  root: string;
  /** Fetches API descriptions of other hosts; without it they are left out. Limits of time and place are its own. */
  fetchRemote?: FetchRemote;
  /** Processes for pages that start while the site is loaded, at most two. */
  renderProcesses?: number;
  /** What an earlier load has read; see `LoadCache`. */
  cache?: LoadCache;
}

/** What the next load need not read again. The owner removes entries of files that changed. */
export interface LoadCache {
  files?: SiteFiles | undefined;
  /** By file. */
  pages: Map<string, PageSource>;
  specs: SpecCache;
}
