/**
 * The files of a site that are no page, asset or search index, as a visible list: each output is one function from what
 * is known after the last page to files. An output must not render pages.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic } from '../check/diagnostic.ts';
import type { Site } from '../load.ts';
import type { Addresses } from '../navigation/addresses.ts';
import type { Heading, SitePlan } from '../page/task.ts';
import { offersMarkdown } from '../theme/contextual.ts';
import { sharedFiles } from './shared-files.ts';
import { notFoundOutput } from './not-found.ts';
import { pageMarkdown } from './page-markdown.ts';
import { redirectOutputs } from './redirects.ts';

/** What is kept of a page once it is written. */
export interface PageFacts {
  route: string;
  /** Its file in the output. */
  output: string;
  title: string;
  /** Plain text. */
  description: string;
  headings: Heading[];
  failed: boolean;
}

export interface OutputContext {
  site: Site;
  plan: SitePlan;
  addresses: Addresses;
  /** The pages of this output, in the order of the navigation. */
  pages: readonly PageFacts[];
  /** Classes for inline styles, with their declarations; classes that authors wrote. */
  styles: ReadonlyMap<string, string>;
  classes: ReadonlySet<string>;
  styleFiles: Parameters<typeof sharedFiles>[0]['styleFiles'];
  signal?: AbortSignal | undefined;
}

export type OutputItem = { path: string; content: string | Uint8Array } | { finding: Diagnostic };

export type Output = (context: OutputContext) => Iterable<OutputItem> | AsyncIterable<OutputItem>;

const outputs: Output[] = [markdownPages, sharedFiles, notFoundOutput, redirectOutputs];

export async function* siteOutputs(context: OutputContext): AsyncGenerator<OutputItem> {
  for (const output of outputs) {
    context.signal?.throwIfAborted();
    yield* output(context);
  }
}

/** Pages that can be viewed as Markdown have that file beside them. */
async function* markdownPages({ site, plan, signal }: OutputContext): AsyncGenerator<OutputItem> {
  for (const route of plan.rendered) {
    const meta = site.metas.get(route);
    if (!meta || !offersMarkdown(meta.contextual ?? site.settings.contextual)) continue;
    signal?.throwIfAborted();
    const bytes = await readFile(join(site.root, meta.file));
    yield { path: `${route}.md`, content: pageMarkdown(meta, bytes, plan.variables) };
  }
}
