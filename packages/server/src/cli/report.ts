/**
 * `docyard report`: converts the quality report of an export to another format. Reads a bundle, a folder, a
 * report.json or a job of a service.
 */
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { basename, join, resolve } from 'node:path';
import { Report } from '@docyard/api';
import type { SiteReport } from '@docyard/render';
import type { Command } from 'commander';
import { readEntries } from '@docyard/bundle';
import { makeFolder } from '@docyard/site/disk';
import { addServerOptions, connect, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { exitTable } from './exit.ts';
import { addFailOptions, failOnOf, summaryText, type FailOptions } from './findings.ts';
import { formReport, reportForms, type ReportForm } from './report-forms.ts';

interface ReportOptions extends ServerOptions, FailOptions {
  format: string;
  output?: string;
  folder?: string;
}

const examples = `
Examples:
  docyard report bundle.tar.gz --format junit --output findings.xml
  docyard report se_3f9a2c1b8e7d4a06 --format markdown
  docyard report bundle.tar.gz --folder reports     every form at once
`;

export function describeReport(command: Command): void {
  command
    .description('Convert the quality report of an export to another format.')
    .argument('<source>', 'a bundle, an exported folder, a report.json, or a job id');
  addFailOptions(addServerOptions(command), 'nothing')
    .option('--format <form>', `text, ${reportForms.join(', ')}`, 'text')
    .option('--output <file>', 'write the report to this file instead of printing it')
    .option('--folder <folder>', 'write every format to this folder: report.json, .sarif, .xml, .html, .md')
    .addHelpText('after', examples)
    .action(report);
}

async function report(source: string, options: ReportOptions): Promise<void> {
  const format = ['text' as const, ...reportForms].find((name) => name === options.format);
  if (format === undefined) {
    throw new CommandError(`--format must be one of text, ${reportForms.join(', ')}.`, 'usage');
  }
  const failOn = await failOnOf(options, []);
  const { countingFindings } = await import('@docyard/render/report');
  const found = await readReport(source, options);
  const form = (wanted: ReportForm) =>
    formReport(found, wanted, {
      title: basename(source),
      failOn: failOn.length === 0 ? ['error'] : failOn,
    });
  if (options.folder !== undefined) await writeAll(options.folder, form);
  const chosen = options.json === true && format === 'text' ? 'json' : format;
  const text = chosen === 'text' ? summaryText(found, false) : await form(chosen);
  if (options.output !== undefined) await writeFile(options.output, text);
  else if (options.folder === undefined) process.stdout.write(text);
  if (countingFindings(found.diagnostics, failOn).length > 0)
    process.exitCode = exitTable.problems_found.status;
}

const endings: Record<ReportForm, string> = {
  json: 'json',
  sarif: 'sarif',
  junit: 'xml',
  html: 'html',
  markdown: 'md',
};

async function writeAll(folder: string, form: (wanted: ReportForm) => Promise<string>): Promise<void> {
  await makeFolder(folder);
  for (const name of reportForms) {
    await writeFile(join(folder, `report.${endings[name]}`), await form(name));
  }
}

async function readReport(source: string, options: ReportOptions): Promise<SiteReport> {
  const found = await stat(source).catch(() => undefined);
  if (found === undefined && /^se_[0-9a-z]+$/.test(source)) {
    const client = await connect(options);
    return asSiteReport(await client.call('readReport', { params: { jobId: source } }));
  }
  if (found === undefined) {
    throw new CommandError(`${source} is not a file, a folder or a job id.`, 'not_found');
  }
  const file = found.isDirectory() ? join(source, 'report.json') : resolve(source);
  const bytes = file.endsWith('.json')
    ? await readFile(file).catch(() => undefined)
    : await reportOfBundle(file);
  const parsed = ReportFile.safeParse(parseJson(bytes?.toString() ?? ''));
  if (!parsed.success) throw new CommandError(`No Docyard report in ${source}.`, 'not_found');
  return asSiteReport(parsed.data);
}

/** The report file in a bundle lacks the fields that only the service adds. */
const ReportFile = Report.omit({ jobId: true, slowest: true });

/** Codes are text on the wire, so that older clients can read newer reports. */
function asSiteReport(found: object): SiteReport {
  return found as SiteReport;
}

/** Reports list a limited number of findings, so a larger file is not a report. */
const maxReportBytes = 64 * 1024 ** 2;

async function reportOfBundle(file: string): Promise<Buffer | undefined> {
  for await (const { path, sizeBytes, content } of readEntries(createReadStream(file))) {
    if (path === 'report.json' && sizeBytes <= maxReportBytes) return buffer(content);
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
