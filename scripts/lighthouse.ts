/**
 * `npm run lighthouse`: scores the sample site as desktop and phone. Fails below 100 in any category or above a size budget.
 * Lighthouse is downloaded on demand and is not a dependency.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rounded, toMarkdown } from '../bench/measurement.ts';
import { chromiumPath } from './measure/browser.ts';
import { render } from './measure/render.ts';
import { serve } from './measure/serve.ts';

const help = `Judges an exported site with Lighthouse in Chromium and weighs a page of it.

  npm run lighthouse -- [FOLDER] [--page PATH]... [--weights]

FOLDER is a documentation folder; the sample unless given.

  --page PATH   a page of the output to judge; may be repeated (index.html unless given)
  --weights     only weigh the pages, do not run Lighthouse
  --help        this text
`;

const sampleSite = fileURLToPath(new URL('../packages/server/sample', import.meta.url));
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
/** Kilobytes over gzip, without pictures. */
const budgets = { scripts: 15, styles: 20, 'first load': 60 };

process.exitCode = await main();

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      page: { type: 'string', multiple: true, default: ['index.html'] },
      weights: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'docyard-lighthouse-'));
  try {
    const { out, crash } = await render(resolve(positionals[0] ?? sampleSite), join(scratch, 'out'));
    if (crash !== undefined) throw new Error(crash);
    const weights = values.page.map((page) => weigh(out, page));
    console.log(weightTable(values.page, weights));
    const light = weights.every((weight) =>
      Object.entries(budgets).every(([name, most]) => (weight[name as keyof typeof budgets] ?? 0) <= most),
    );
    if (values.weights) return light ? 0 : 1;
    const scores = await judge(out, values.page, scratch);
    return light && scores.every((score) => score === 100) ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Weight = Record<keyof typeof budgets, number>;

function weigh(folder: string, page: string): Weight {
  const html = readFileSync(join(folder, page), 'utf8');
  const sizeOf = (pattern: RegExp): number =>
    [...html.matchAll(pattern)]
      .map(([, address = '']) => join(folder, posix.join(posix.dirname(page), address)))
      .reduce((sum, file) => sum + kilobytes(readFileSync(file)), 0);
  const scripts = sizeOf(/<script[^>]* src="([^"]+)"/g);
  const styles = sizeOf(/<link[^>]* rel="stylesheet"[^>]* href="([^"]+)"/g);
  return { scripts, styles, 'first load': kilobytes(Buffer.from(html)) + scripts + styles };
}

function kilobytes(content: Uint8Array): number {
  return gzipSync(content).length / 1000;
}

function weightTable(pages: readonly string[], weights: readonly Weight[]): string {
  const names = Object.keys(budgets) as (keyof typeof budgets)[];
  return toMarkdown({
    columns: ['kB over gzip', ...names],
    rows: [
      ...pages.map((page, index) => [page, ...names.map((name) => rounded(weights[index]?.[name] ?? 0))]),
      ['at most', ...names.map((name) => budgets[name])],
    ],
    notes: [],
  });
}

async function judge(folder: string, pages: readonly string[], scratch: string): Promise<number[]> {
  const server = await serve(folder);
  const all: number[] = [];
  const rows: (string | number)[][] = [];
  const costs: string[] = [];
  try {
    for (const page of pages) {
      for (const device of ['desktop', 'mobile'] as const) {
        const report = await runLighthouse(`${server.origin}/${page}`, device, join(scratch, 'report.json'));
        const scores = categories.map((name) => Math.round((report.categories[name]?.score ?? 0) * 100));
        all.push(...scores);
        rows.push([page, device, ...scores]);
        costs.push(...costsOf(report).map((text) => `${page} ${device}: ${text}`));
      }
    }
  } finally {
    await server.close();
  }
  console.log(`\n${toMarkdown({ columns: ['page', 'device', ...categories], rows, notes: [] })}`);
  if (costs.length) console.log(`\n${costs.join('\n')}`);
  return all;
}

interface Report {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, { title: string; score: number | null; displayValue?: string }>;
}

async function runLighthouse(url: string, device: 'desktop' | 'mobile', file: string): Promise<Report> {
  const args = [
    url,
    '--quiet',
    '--output=json',
    `--output-path=${file}`,
    `--only-categories=${categories.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-background-networking',
    ...(device === 'desktop' ? ['--preset=desktop'] : []),
  ];
  const command = ['exec', '--yes', '--package=lighthouse@13.5.0', '--', 'lighthouse', ...args];
  const child = spawn('npm', command, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...(chromiumPath === undefined ? {} : { CHROME_PATH: chromiumPath }) },
  });
  const status = await new Promise<number | null>((done) => child.once('close', done));
  if (status !== 0) throw new Error('Lighthouse could not be run; it needs the network to be fetched.');
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}

/** The audits that cost points. */
function costsOf({ categories: judged, audits }: Report): string[] {
  return Object.entries(judged).flatMap(([category, { auditRefs }]) =>
    auditRefs.flatMap(({ id, weight }) => {
      const audit = audits[id];
      if (weight === 0 || !audit || audit.score === null || audit.score === 1) return [];
      return [`${category}: ${audit.title} (${audit.displayValue ?? audit.score})`];
    }),
  );
}
