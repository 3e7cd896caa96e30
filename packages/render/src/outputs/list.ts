/**
 * The files of a site that are no page, asset or search index, as a visible list: each output is one function from what
 * is known after the last page to files. An output must not render pages.
 */
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Addresses } from '../navigation/addresses.ts';
import type { PublicAddresses } from '../navigation/public-addresses.ts';
import { feeds } from './feeds.ts';
import type { FullText } from './full-text.ts';
import { llmsFull, llmsIndex } from './llms.ts';
import { sharedFiles } from './shared-files.ts';
import { notFoundOutput } from './not-found.ts';
import { printOutput } from './print.ts';
import type { PrintPages } from './print-pages.ts';
import { redirectOutputs } from './redirects.ts';
import { robots, sitemap } from './sitemap.ts';
import { type SocialImages, socialImageFiles } from './social-images.ts';
import { specCopies } from './specs.ts';
import type { FeedItem } from '../model/page.ts';
import type { SitePlan } from '../model/site-plan.ts';
import type { Site } from '../site/site.ts';

/** What is kept of a page once it is written. */
export interface PageFacts {
  route: string;
  /** Its file in the output. */
  output: string;
  title: string;
  /** Plain text. */
  description: string;
  /** The first words of its text, for pages without a description. */
  summary: string;
  updates: readonly FeedItem[];
  failed: boolean;
}

export interface OutputContext {
  site: Site;
  plan: SitePlan;
  addresses: Addresses;
  publicAddresses: PublicAddresses;
  /** The pages of this output, in the order of the navigation. */
  pages: readonly PageFacts[];
  /** Classes for inline styles, with their declarations; classes that authors wrote. */
  styles: ReadonlyMap<string, string>;
  classes: ReadonlySet<string>;
  /** The fragment that leads to the id of a page which is meant. */
  fragmentOn?: (route: string, fragment: string) => string;
  /** Whether a file of the site is part of the output. */
  used: (file: string) => boolean;
  styleFiles: Parameters<typeof sharedFiles>[0]['styleFiles'];
  readFile: Parameters<typeof sharedFiles>[0]['readFile'];
  /** The Markdown of the pages; of those that are as they were it is in the file that the last run has left. */
  fullText: FullText;
  lastSections?: { count: number; read(): Promise<void> } | undefined;
  /** The content of the pages, for the document that holds them all. */
  print: PrintPages;
  /** The pictures that pages name for shared links. */
  socialImages: SocialImages;
  /** Whether the last run has written a file that this one may take over. */
  isOld?: ((path: string) => boolean) | undefined;
  signal?: AbortSignal | undefined;
}

/** What is too large to be held at once. Each piece is there until the next is asked for. */
export interface InPieces {
  pieces: Iterable<Uint8Array>;
}

export type OutputItem =
  | { path: string; content: string | Uint8Array }
  | ({ path: string } & InPieces)
  /** A file that is as the last run has written it. */
  | { path: string; old: true }
  | { finding: Diagnostic };

export type Output = (context: OutputContext) => Iterable<OutputItem> | AsyncIterable<OutputItem>;

/** The largest first: whoever takes the files has the most to do with those, and can while the others are made. */
const outputs: Output[] = [
  printOutput,
  llmsFull,
  sharedFiles,
  notFoundOutput,
  redirectOutputs,
  llmsIndex,
  specCopies,
  sitemap,
  robots,
  feeds,
  socialImageFiles,
];

export async function* siteOutputs(context: OutputContext): AsyncGenerator<OutputItem> {
  for (const output of outputs) {
    context.signal?.throwIfAborted();
    yield* output(context);
  }
}
