/** The API descriptions that pages are about, as files of the output: programs read them better than pages. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputContext, OutputItem } from './list.ts';

export interface SpecFile {
  /** A file of the site, or an address elsewhere. */
  source: string;
  isRemote: boolean;
  kind: 'openapi' | 'asyncapi';
}

export function specFiles({ site, pages }: Pick<OutputContext, 'site' | 'pages'>): SpecFile[] {
  const found = new Map<string, SpecFile>();
  const files = new Set(site.files.all);
  for (const { route } of pages) {
    const target = site.metas.get(route)?.api;
    if (!target || target.kind === 'written' || found.has(target.spec)) continue;
    const isRemote = /^https?:\/\//i.test(target.spec);
    if (!isRemote && !files.has(target.spec)) continue;
    const kind = target.kind === 'channel' ? 'asyncapi' : 'openapi';
    found.set(target.spec, { source: target.spec, isRemote, kind });
  }
  return [...found.values()];
}

export async function* specCopies(context: OutputContext): AsyncGenerator<OutputItem> {
  for (const { source, isRemote } of specFiles(context))
    if (!isRemote) yield { path: source, content: await readFile(join(context.site.root, source)) };
}
