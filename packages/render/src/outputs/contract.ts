/** What an output of a site is: its row in the table of outputs, what it gets and what it returns. */
import type { ReadSiteFile } from '../assets/inline-masks.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { BuildCache } from '../model/build-cache.ts';
import type { PageSummary } from '../model/finished-page.ts';
import type { PageTask } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Addresses } from '../navigation/addresses.ts';
import type { PublicAddresses } from '../navigation/public-addresses.ts';
import type { Site } from '../site/site.ts';
import type { StyleFiles } from '../theme/site-css.ts';
import type { FullText } from './full-text.ts';
import type { PrintPages } from './print-pages.ts';
import type { SocialImages } from './social-images.ts';

/** A row of the table. Links, the preview, the agent's policy, the check, the manual and tests read these columns. */
export interface Output {
  name: string;
  /**
   * Paths from the root of the export: `*` matches part of a name, `{page}` the path of a page. Copies of the author's own files
   * and pages for redirects are not listed.
   */
  files: readonly string[];
  /** Contains absolute addresses, so it is not written without an origin. */
  needsOrigin: boolean;
  /** A file of the author at the first path of `files` replaces all fixed paths of `files`. */
  canOverride: boolean;
  /** Agent jobs must not create or change files with a fixed name of `files`, in any folder. */
  isProtected: boolean;
  /** Repeats the content of pages, whose links are checked on the pages. */
  repeatsPages: boolean;
  /** Must not render pages. Absent where the pipeline writes the files, with the pages or after the check. */
  write?: (context: OutputContext) => Iterable<OutputItem> | AsyncIterable<OutputItem>;
}

/** A page of the export as outputs see it. */
export type OutputPage = Pick<PageTask, 'route' | 'output' | 'title'> &
  Pick<PageSummary, 'description' | 'summary' | 'updates' | 'failed'>;

export interface OutputContext {
  site: Site;
  plan: SitePlan;
  addresses: Addresses;
  publicAddresses: PublicAddresses;
  /** All pages of the export, hidden ones too (`isListed` of `site/visibility.ts`), in the order of the navigation. */
  pages: readonly OutputPage[];
  /** Classes for inline styles, with their declarations; classes that authors wrote. */
  styles: ReadonlyMap<string, string>;
  classes: ReadonlySet<string>;
  /** The fragment that leads to the id of a page which is meant. */
  fragmentOn?: (route: string, fragment: string) => string;
  /** Whether a file of the site is part of the output. */
  used: (file: string) => boolean;
  styleFiles: StyleFiles;
  readFile: ReadSiteFile;
  /** The Markdown of the pages. */
  fullText: FullText;
  /** The content of the pages, for the document that holds them all. */
  print: PrintPages;
  /** The pictures that pages name for shared links. */
  socialImages: SocialImages;
  /** For values that are costly to compute and named by a hash of their content. Outputs work without it. */
  cache?: BuildCache | undefined;
  signal?: AbortSignal | undefined;
}

/** What is too large to be held at once. Each piece is there until the next is asked for. */
export interface InPieces {
  pieces: Iterable<Uint8Array>;
}

export type OutputItem =
  | { path: string; content: string | Uint8Array }
  | ({ path: string } & InPieces)
  | { finding: Diagnostic };
