import type { FetchRemoteFile } from '../assets/remote-hosts.ts';
import type { FetchPicture } from '../assets/remote-pictures.ts';
import type { SitePlan, UrlStyle } from '../model/site-plan.ts';
import type { SourceFacts } from '../model/source-facts.ts';

export type CustomScriptsOption = 'include' | 'skip';

export interface SiteOptions {
  /** For canonical URLs, for example `https://docs.example.com`. */
  origin?: string;
  /** For example `/docs`. Affects only canonical URLs and the not-found page, because links are relative. */
  basePath?: string;
  urlStyle?: UrlStyle;
  paths?: string[];
  /** Render only pages without groups or with one of these. Default: all pages. */
  groups?: readonly string[];
  /** Render only what readers who have not signed in may see: pages without groups that are public. */
  publicOnly?: boolean;
  version?: string;
  /** Readers have no network: omit features that need one. */
  airGapped?: boolean;
  /** Whether repository scripts run on every page. Default: they are omitted. */
  customScripts?: CustomScriptsOption;
  /** Without it, images of other hosts are linked. */
  fetchPicture?: FetchPicture;
  /** Without it, families of other hosts are replaced by the bundled font. */
  fetchFont?: FetchRemoteFile;
  /** Default: `run`. */
  customCode?: SitePlan['customCode'];
  /** ISO date. Site code sees this time. */
  committedAt?: string | null;
  /** For sites that show dates or links to their repository; see `needsSourceFacts`. */
  sourceFacts?: SourceFacts | undefined;
}
