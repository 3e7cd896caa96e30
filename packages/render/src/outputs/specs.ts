/** Publishes the API descriptions behind pages as files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { yamlText } from '../openapi/trim-yaml.ts';
import { visibleDocument } from '../openapi/visible.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { isDefaultBranch, isListed } from '../site/visibility.ts';

export interface SpecFile {
  source: string;
  isRemote: boolean;
  kind: 'openapi' | 'asyncapi';
}

/** A site with more has one description per page, and the Markdown of each page already contains it. */
const maxFilesOfOnePage = 20;

/** For pages of the default language and version. */
export function specFiles({ site, pages }: Pick<OutputContext, 'site' | 'pages'>): SpecFile[] {
  const found = new Map<string, SpecFile & { pages: number }>();
  let files: Set<string> | undefined;
  for (const { route } of pages) {
    const meta = site.metas.get(route);
    const target = meta?.api;
    const branch = site.navigation.places.get(route)?.branch;
    if (!target || target.kind === 'front-matter' || !isListed(site, meta)) continue;
    if (branch && !isDefaultBranch(branch)) continue;
    const isRemote = /^https?:\/\//i.test(target.spec);
    if (!isRemote && !(files ??= new Set(site.files.all)).has(target.spec)) continue;
    const kind = target.kind === 'channel' ? 'asyncapi' : 'openapi';
    const known = found.get(target.spec);
    if (known) known.pages += 1;
    else found.set(target.spec, { source: target.spec, isRemote, kind, pages: 1 });
  }
  const all = [...found.values()];
  return all.length > maxFilesOfOnePage ? all.filter((spec) => spec.pages > 1) : all;
}

export function* specCopies(context: OutputContext): Generator<OutputItem> {
  for (const { source, isRemote } of specFiles(context))
    if (!isRemote)
      yield {
        path: source,
        content: visibleSpec(context, source) ?? readFileSync(join(context.site.root, source)),
      };
}

/** The text of an API description without what its readers may not see; undefined if they may see the whole file. */
export function visibleSpec(
  { site, plan }: Pick<OutputContext, 'site' | 'plan'>,
  file: string,
): string | undefined {
  const document = site.specOf(file);
  if (document === undefined) return undefined;
  const visible = plan.groups === undefined ? document : visibleDocument(document, plan.groups);
  if (visible === (site.whole ?? site).specOf(file)) return undefined;
  return file.endsWith('.json') ? `${JSON.stringify(visible, undefined, 2)}\n` : yamlText(visible);
}
