import type { ReadSiteFile } from '../assets/inline-masks.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { BuildCache } from '../model/build-cache.ts';
import type { PageSummary } from '../model/finished-page.ts';
import type { PageTask } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { SourceFacts } from '../model/source-facts.ts';
import type { Addresses } from '../navigation/addresses.ts';
import type { PublicAddresses } from '../navigation/public-addresses.ts';
import type { Site } from '../site/site.ts';
import type { SiteFrame } from '../theme/compose.ts';
import type { StyleFiles } from '../theme/site-css.ts';
import type { FullText } from './full-text.ts';
import type { PrintPages } from './print-pages.ts';
import type { SocialImages } from './social-images.ts';

export interface Output {
  name: string;
  /**
   * Path patterns relative to the root of the export; see `model/path-pattern.ts`. Copies of site files and
   * redirect pages are not listed.
   */
  files: readonly string[];
  /** Contains absolute URLs, so it is omitted without an origin. */
  needsOrigin: boolean;
  /** An author's file at the first path of `files` replaces all fixed paths of `files`. */
  canOverride: boolean;
  /**
   * Agent jobs must not create or change files with these names, in any folder. Only for outputs at the root of
   * the export with a fixed name, because the policy compares names without folders.
   */
  isProtected: boolean;
  /** Repeats page content, whose links are checked on the pages. */
  repeatsPages: boolean;
  /**
   * True only if `preview/preview.ts` serves the files itself. For other outputs the preview renders the whole
   * site on request.
   */
  hasPreview: boolean;
  /** Must not render pages. Absent when the pipeline writes the files. */
  write?: (context: OutputContext) => Iterable<OutputItem> | AsyncIterable<OutputItem>;
}

export type OutputPage = Pick<PageTask, 'route' | 'output' | 'title'> &
  Pick<PageSummary, 'description' | 'summary' | 'updates' | 'failed'>;

export interface OutputContext {
  site: Site;
  plan: SitePlan;
  sourceFacts?: SourceFacts | undefined;
  /** Header and footer with links that start with a prefix. */
  frameAt: (prefix: string) => SiteFrame;
  addresses: Addresses;
  publicAddresses: PublicAddresses;
  /**
   * All pages in navigation order, including hidden ones (see `isListed` in `site/visibility.ts`) and failed
   * ones. Titles may contain code marks (see `plainTitle` in `theme/titles.ts`).
   */
  pages: readonly OutputPage[];
  styles: ReadonlyMap<string, string>;
  classes: ReadonlySet<string>;
  /** Normalizes a fragment to an existing id of the page. */
  fragmentOn?: (route: string, fragment: string) => string;
  used: (file: string) => boolean;
  styleFiles: StyleFiles;
  /** Files of the site. */
  logo: { light: string; dark: string } | undefined;
  readFile: ReadSiteFile;
  fullText: FullText;
  print: PrintPages;
  socialImages: SocialImages;
  /** Optional. Keys contain a hash of the inputs. */
  cache?: BuildCache | undefined;
  signal?: AbortSignal | undefined;
}

/** For content too large to hold in memory. Each piece is valid until the next is requested. */
export interface InPieces {
  pieces: Iterable<Uint8Array>;
}

export type OutputItem =
  | { path: string; content: string | Uint8Array }
  | ({ path: string } & InPieces)
  | { finding: Diagnostic };
