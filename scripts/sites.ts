/**
 * `npm run sites`: renders real sites and prints measurements of each. Exits with 1 when a site crashes, a page of its navigation
 * is missing or unreachable, an address has no file, or the crawl and the renderer's link check disagree.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { megabytes, rounded, toMarkdown } from '../bench/measurement.ts';
import { disagreements } from './measure/agreement.ts';
import { type Miss, crawl } from './measure/crawl.ts';
import { findSites, noSitesMessage, siteFolders } from './measure/find-sites.ts';
import { writeLargeApi } from './measure/large-api.ts';
import { pagesLeftOut } from './measure/navigation.ts';
import { type RenderedSite, filesBelow, render } from './measure/render.ts';

const help = `Renders real sites and prints a table of measurements.

  npm run sites -- [FOLDER...] [--only NAME]... [--crawl] [--keep FOLDER] [--json FILE]

FOLDER holds sites as folders or *.tar.gz archives; the default is the folder that DOCYARD_SITES names.
One more site is generated: an API of 1,000 operations with cyclic schemas.

  --only NAME     only sites whose name contains this; may be repeated
  --crawl         list every address in the output that leads nowhere
  --keep FOLDER   keep the rendered sites there
  --json FILE     write everything to a file as well
  --help          this text
`;

interface SiteResult extends RenderedSite {
  name: string;
  leftOut: string[];
  panels: number;
  misses: Miss[];
  /** Findings that only one of the crawl and the renderer's link check has. */
  disputes: string[];
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      crawl: { type: 'boolean', default: false },
      keep: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const folders = siteFolders(positionals);
  if (folders.length === 0) {
    console.error(noSitesMessage);
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-sites-'));
  try {
    const found = [
      ...findSites(folders, join(scratch, 'sources')),
      writeLargeApi(join(scratch, 'large-api')),
    ];
    const chosen = found.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
    const results: SiteResult[] = [];
    for (const { name, root } of chosen) {
      process.stderr.write(`${name}\n`);
      const out = join(values.keep === undefined ? join(scratch, 'out') : resolve(values.keep), name);
      results.push(await measure(name, root, out));
      if (values.keep === undefined) rmSync(out, { recursive: true, force: true });
    }
    console.log(table(results));
    for (const result of results) console.log(details(result, values.crawl));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
    return results.some(isWrong) ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A missing anchor may be the author's mistake. A link to a missing file is ours: the renderer checks links. */
function isWrong({ crash, leftOut, misses, disputes, diagnostics }: SiteResult): boolean {
  return (
    crash !== undefined ||
    leftOut.length > 0 ||
    disputes.length > 0 ||
    diagnostics.some(({ code }) => code === 'nav_unreachable') ||
    misses.some(({ why }) => why !== 'no such id')
  );
}

async function measure(name: string, root: string, out: string): Promise<SiteResult> {
  const rendered = await render(root, out);
  if (rendered.crash !== undefined)
    return { ...rendered, name, leftOut: [], panels: 0, misses: [], disputes: [] };
  const files = filesBelow(out);
  const panels = files.filter(
    (file) =>
      file.endsWith('.html') && readFileSync(join(out, file), 'utf8').includes('class="dy-error-panel"'),
  );
  const misses = crawl(out);
  return {
    ...rendered,
    name,
    leftOut: pagesLeftOut(root, new Set(files)),
    panels: panels.length,
    misses,
    disputes: disagreements(misses, rendered.diagnostics),
  };
}

function table(results: readonly SiteResult[]): string {
  const rows = results.map(({ name, pages, seconds, files, bytes, peakBytes, panels, misses, ...rest }) => [
    name,
    pages,
    rest.apiPages,
    `${rest.tiers.none} / ${rest.tiers.static} / ${rest.tiers.run} / ${rest.tiers.refused}`,
    unlisted(rest),
    rounded(seconds, 2),
    Math.round(pages / seconds),
    files,
    megabytes(bytes),
    Math.round(bytes / 1000 / Math.max(pages, 1)),
    Math.round(peakBytes / 1e6),
    rest.diagnostics.filter(({ severity }) => severity === 'warning').length,
    panels,
    count(rest, 'broken_link'),
    count(rest, 'broken_anchor'),
    count(rest, 'image_missing'),
    misses.length,
    rest.disputes.length === 0 ? 'agree' : `${rest.disputes.length} disputes`,
    rest.crash === undefined ? rest.leftOut.length : 'CRASHED',
    count(rest, 'nav_unreachable'),
  ]);
  return toMarkdown({
    columns: [
      'site',
      'pages',
      'API pages',
      'code: none / T0 / T1 / refused',
      'operations unlisted',
      'seconds',
      'pages/s',
      'files',
      'MB',
      'kB/page',
      'peak MB',
      'warnings',
      'error panels',
      'unresolved links',
      'broken anchors',
      'missing images',
      'crawl misses',
      'crawl and checker',
      'navigation pages left out',
      'branches with unreachable entries',
    ],
    rows,
    notes: [],
  });
}

/** Operations of API descriptions that no page lists. */
function unlisted({ diagnostics }: Pick<SiteResult, 'diagnostics'>): number {
  return diagnostics
    .filter(({ code }) => code === 'openapi_unlisted')
    .reduce((sum, { message }) => sum + Number.parseInt(message, 10), 0);
}

function count({ diagnostics }: Pick<SiteResult, 'diagnostics'>, code: string): number {
  return diagnostics.filter((item) => item.code === code).length;
}

function details(
  { name, diagnostics, leftOut, crash, misses, disputes }: SiteResult,
  listMisses: boolean,
): string {
  const byCode = Map.groupBy(diagnostics, ({ severity, code }) => `${code} (${severity})`);
  const codes = [...byCode].map(([code, items]) => `${code} ${items.length}`).toSorted();
  const byReason = Map.groupBy(misses, ({ why }) => why);
  return [
    `\n${name}`,
    ...(crash === undefined ? [] : [`  crashed: ${crash}`]),
    ...(codes.length ? [`  ${codes.join(', ')}`] : []),
    ...leftOut.map((page) => `  not in the output: ${page}`),
    ...(byCode.get('nav_unreachable (warning)') ?? []).map(({ message }) => `  ${message}`),
    ...[...byReason].map(([why, items]) => `  addresses: ${why} ${items.length}`),
    ...disputes.slice(0, 20).map((text) => `  dispute: ${text}`),
    ...(listMisses ? misses.map(({ page, address, why }) => `    ${page}: ${address} (${why})`) : []),
  ].join('\n');
}
