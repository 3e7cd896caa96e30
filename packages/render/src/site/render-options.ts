/** What the caller of the renderer chooses about the output. */
import type { FetchPicture } from '../assets/remote-pictures.ts';
import type { SitePlan, UrlStyle } from '../model/site-plan.ts';

export type CustomScriptsOption = 'include' | 'skip';

export interface SiteOptions {
  /** Absolute origin for canonical addresses, for example `https://docs.example.com`. */
  origin?: string;
  /** For example `/docs`; affects only canonical addresses and the not-found page, since links are relative. */
  basePath?: string;
  urlStyle?: UrlStyle;
  /** Only these pages. */
  paths?: string[];
  /** Only pages without groups, or with one of these. Without this option all pages are rendered. */
  groups?: string[];
  /** A label of the output, for those who keep several. */
  version?: string;
  /** Where the output goes nothing can be reached: pages offer nothing that needs a network. */
  airGapped?: boolean;
  /** Whether scripts of the repository run on every page; they are left out when nothing is said. */
  customScripts?: CustomScriptsOption;
  /** Fetches pictures of other hosts; without it pages link to them. */
  fetchPicture?: FetchPicture;
  /** Whether code of pages that must be run is run; otherwise why not. It is run when nothing is said. */
  customCode?: SitePlan['customCode'];
  /** When the site was written, as an ISO date: what time it is for the code of its pages. */
  committedAt?: string | null;
}
