/**
 * The child process that checks a site. It has no network, so API descriptions of other hosts are left out, in
 * the baseline as well.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, loadSite, renderSite, type Site, SiteLoadError } from '@docyard/render';
import { placesOf } from '@docyard/render/report';
import type { FoundProblem, SiteCheckMessage, SiteCheckOrder } from './site-check.ts';

process.once('message', (order: SiteCheckOrder) => {
  const work = order.type === 'check' ? check(order) : renderOne(order, order.file);
  work
    .catch((error: unknown) => ({ type: 'failed' as const, message: textOf(error) }))
    .then((answer) => {
      // Disconnecting before the callback would truncate a long answer.
      process.send?.(answer, () => process.disconnect());
    })
    .catch(() => process.exit(1));
});
process.once('disconnect', () => process.exit());

async function check({ folder, renderProcesses, customCode }: SiteCheckOrder): Promise<SiteCheckMessage> {
  try {
    const site = await loadSite({ root: folder });
    for await (const event of renderSite(site, { concurrency: renderProcesses, customCode })) {
      if (event.type === 'report')
        return {
          type: 'checked',
          findings: [
            ...event.report.diagnostics.flatMap(placesOf).map(problemOf),
            ...(await exampleProblems(site)),
          ],
        };
    }
    throw new Error('the renderer ended without a report');
  } catch (error) {
    if (!(error instanceof SiteLoadError)) throw error;
    return { type: 'checked', findings: [problemOf(error.diagnostic)] };
  }
}

/** Examples of the API descriptions that pages of the site show. */
async function exampleProblems({ root, metas, specOf }: Site): Promise<FoundProblem[]> {
  const names = new Set([...metas.values()].flatMap(({ api }) => (api && 'spec' in api ? [api.spec] : [])));
  const documents = [...names].map(specOf).filter((document) => document !== undefined);
  if (documents.length === 0) return [];
  const files = [...metas.values()].filter(({ generated }) => generated !== true).map(({ file }) => file);
  // Only sites with an API need the validator.
  const { checkExamples } = await import('./api-examples/check-examples.ts');
  return checkExamples(
    files.map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') })),
    documents,
  );
}

async function renderOne({ folder, customCode }: SiteCheckOrder, file: string): Promise<SiteCheckMessage> {
  const site = await loadSite({ root: folder }).catch((error: unknown) => {
    if (error instanceof SiteLoadError) return error;
    throw error;
  });
  if (site instanceof SiteLoadError)
    return { type: 'no-page', reason: `The site does not load: ${site.message}.` };
  const meta = [...site.metas.values()].find((each) => each.file === file && each.generated !== true);
  if (meta === undefined) {
    return {
      type: 'no-page',
      reason: `"${file}" is not a page of the site: it is a snippet, ignored or not Markdown.`,
    };
  }
  let markdown = '';
  const findings: FoundProblem[] = [];
  for await (const event of renderSite(site, { paths: [meta.route], concurrency: 1, customCode })) {
    if (event.type === 'diagnostic' && event.diagnostic.file === file)
      findings.push(problemOf(event.diagnostic));
    if (event.type !== 'file' || event.file.path !== `${meta.route}.md`) continue;
    const { content } = event.file;
    if ('read' in content) markdown = new TextDecoder().decode(content.read());
  }
  return { type: 'rendered', markdown: markdown.slice(0, 2_000_000), findings: findings.slice(0, 5000) };
}

function problemOf({ severity, code, message, file, line, hint }: Diagnostic): FoundProblem {
  return {
    severity,
    code,
    message: message.slice(0, 4000),
    file: file.slice(0, 2000),
    line: line !== undefined && line > 0 ? line : null,
    hint: hint?.slice(0, 4000) ?? null,
  };
}

function textOf(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 4000);
}
