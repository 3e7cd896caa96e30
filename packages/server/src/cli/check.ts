/** `docyard check`: renders a folder without keeping the output and reports its findings. */
import { readFile, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Diagnostic, SiteReport } from '@docyard/render';
import type { Command } from 'commander';
import { annotate } from './annotations.ts';
import { automationFindings } from './automations-file.ts';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import {
  addFailOptions,
  failOnOf,
  findingNames,
  findingsText,
  loadOrExplain,
  summaryText,
  type FailOptions,
} from './findings.ts';
import { Progress } from './progress.ts';
import { remoteFetch, remoteAssets } from './remote.ts';
import { hasColors } from './terminal.ts';
import { formReport, reportForms } from './report-forms.ts';
import { fileErrorReason } from '@docyard/site/disk';

interface CheckOptions extends FailOptions {
  format: string;
  output?: string;
  only?: string;
  ignore?: string;
  base?: string;
  group?: string[];
  offline?: boolean;
  quiet?: boolean;
}

const formats = ['text', ...reportForms] as const;
type Format = (typeof formats)[number];

const maxShown = 500;

const examples = `
Examples:
  docyard check docs                                    errors end with status 7
  docyard check docs --strict                           warnings do as well
  docyard check docs --fail-on broken_link,broken_anchor
  docyard check docs --format sarif --output docs.sarif
  docyard check docs --base earlier/report.json         only new findings
`;

export function describeCheck(command: Command): void {
  command
    .description('Render a documentation folder without keeping the output, and report its problems.')
    .argument('[folder]', 'folder with docs.json', '.');
  addFailOptions(command, 'error')
    .option('--format <format>', 'text, json, sarif, junit, html or markdown', 'text')
    .option('--output <file>', 'write the report to this file instead of printing it')
    .option('--only <list>', 'report only these findings: codes or severities')
    .option('--ignore <list>', 'leave out these findings')
    .option('--base <file>', 'an earlier report.json; report only new findings')
    .option('--group <name...>', 'include pages restricted to these groups')
    .option('--offline', 'do not fetch images, fonts and API descriptions from other hosts')
    .option('-q, --quiet', 'show no progress')
    .addHelpText('after', examples)
    .action(checkSiteFolder);
}

export async function checkSiteFolder(folder: string, options: CheckOptions): Promise<void> {
  const format = formats.find((name) => name === options.format);
  if (format === undefined) throw new CommandError(`--format must be one of ${formats.join(', ')}.`, 'usage');
  const failOn = await failOnOf(options, ['error']);
  const keep = await filterOf(options);
  const root = resolve(folder);
  const { narrowReport, countingFindings } = await import('@docyard/render/report');
  const { slowest, ...fullReport } = await reportOf(root, options);
  const report = narrowReport(fullReport, keep);
  const text = await formatted({ ...report, slowest }, format, {
    root,
    failOn,
    toFile: options.output !== undefined,
  });
  annotate(report.diagnostics, root);
  if (options.output === undefined) process.stdout.write(text);
  else {
    await writeFile(options.output, text);
    process.stderr.write(summaryText(report, false));
  }
  if (countingFindings(report.diagnostics, failOn).length > 0)
    process.exitCode = exitTable.problems_found.status;
}

type TimedReport = SiteReport & { slowest: { file: string; milliseconds: number }[] };

async function reportOf(root: string, options: CheckOptions): Promise<TimedReport> {
  const { checkSite } = await import('@docyard/render');
  const site = await loadOrExplain({ root, fetchRemote: remoteFetch(options) });
  const progress = new Progress({ unit: 'pages', quiet: options.quiet });
  const report = await checkSite(site, {
    groups: options.group ?? [],
    ...remoteAssets(options),
    onPage: (done, total) => progress.update({ phase: 'checking', share: done / total, done, total }),
  });
  progress.end();
  const found = await automationFindings(root);
  if (found.length === 0) return report;
  const { reportWith } = await import('@docyard/render/report');
  return reportWith(report, [...report.diagnostics, ...found]);
}

async function filterOf({ only, ignore, base }: CheckOptions): Promise<(diagnostic: Diagnostic) => boolean> {
  const selected = only === undefined ? undefined : new Set(await findingNames('--only', only));
  const ignored = new Set(ignore === undefined ? [] : await findingNames('--ignore', ignore));
  const isNew = base === undefined ? undefined : await newSince(base);
  return (diagnostic) => {
    const names = [diagnostic.code, diagnostic.severity];
    const chosen = selected === undefined || names.some((name) => selected.has(name));
    return chosen && !names.some((name) => ignored.has(name)) && (isNew?.(diagnostic) ?? true);
  };
}

async function newSince(file: string): Promise<(diagnostic: Diagnostic) => boolean> {
  const { isNewSince } = await import('@docyard/render/report');
  const { Report } = await import('@docyard/api/site-schemas');
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`--base: cannot read ${file}: ${fileErrorReason(error)}.`);
  });
  const parsed = Report.pick({ diagnostics: true }).safeParse(parseJson(text));
  if (!parsed.success) throw new CommandError(`--base: ${file} is not a report.json of Docyard.`);
  return isNewSince(parsed.data.diagnostics);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function formatted(
  report: TimedReport,
  format: Format,
  { root, failOn, toFile }: { root: string; failOn: string[]; toFile: boolean },
): Promise<string> {
  if (format !== 'text') return formReport(report, format, { title: basename(root), failOn });
  const colors = !toFile && hasColors(process.stdout);
  return (
    findingsText(report, { root, colors, maxShown, more: '--format json' }) + summaryText(report, colors)
  );
}
