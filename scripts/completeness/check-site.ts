/** Compares every source page of one site with its rendered page. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, type Site, loadSite } from '@docyard/render';
import { addressesFor } from '../../packages/render/src/navigation/addresses.ts';
import { type Loss, lossesOf } from './losses.ts';
import { pageContent } from './page-content.ts';
import { failureOf, reasonForLoss } from './rules.ts';
import { sourceContent } from './source-content.ts';

export interface PageLoss {
  file: string;
  losses: Loss[];
}

export interface Completeness {
  pages: number;
  words: number;
  unexplained: PageLoss[];
  /** How many pages or parts each rule explains. */
  explained: Map<string, number>;
}

export async function checkCompleteness(
  root: string,
  out: string,
  diagnostics: readonly Diagnostic[],
): Promise<Completeness> {
  const site = await loadSite({ root });
  const byFile = Map.groupBy(diagnostics, ({ file }) => file);
  const result: Completeness = { pages: 0, words: 0, unexplained: [], explained: new Map() };
  const addresses = addressesFor(
    'html',
    site.pages.map(({ path }) => path),
  );
  for (const { path, file } of site.pages) {
    if (site.metas.get(path)?.generated) continue;
    result.pages += 1;
    const losses = comparePage(
      site,
      { file, output: join(out, addresses.outputOf(path)) },
      (each) => byFile.get(each) ?? [],
      result,
    );
    if (losses.length > 0) result.unexplained.push({ file, losses });
  }
  return result;
}

function comparePage(
  site: Site,
  { file, output }: { file: string; output: string },
  findingsOf: (file: string) => readonly Diagnostic[],
  result: Completeness,
): Loss[] {
  const explain = (reason: string, count = 1): void => {
    result.explained.set(reason, (result.explained.get(reason) ?? 0) + count);
  };
  const failure = failureOf(findingsOf(file));
  if (failure !== undefined) {
    explain(failure);
    return [];
  }
  const { variables, latex } = site.settings;
  const math = latex === undefined ? 'auto' : latex ? 'always' : 'never';
  const source = sourceContent({ root: site.root, variables, math }, file);
  result.words += source.content.words.length;
  for (const [reason, count] of source.explained) explain(reason, count);
  const findings = [...source.files].flatMap((each) => findingsOf(each));
  const html = existsSync(output) ? readFileSync(output, 'utf8') : '';
  return lossesOf(source.content, pageContent(html), (kind, part) => {
    const addresses = source.addresses.get(part) ?? new Set();
    const reason = reasonForLoss(kind, part, { findings, addresses });
    if (reason !== undefined) explain(reason);
    return reason !== undefined;
  });
}
