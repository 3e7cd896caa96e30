/**
 * Prints findings on a terminal and decides which of them fail a command. Findings quote untrusted files, so control
 * characters are removed.
 */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic, LoadOptions, Severity, Site, SiteReport } from '@docyard/render';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { painter, printable, type Paint, type Style } from './terminal.ts';

export interface FailOptions {
  failOn?: string;
  strict?: boolean;
}

export function addFailOptions(command: Command, defaultFailOn: string): Command {
  return command
    .option(
      '--fail-on <list>',
      `exit with status 7 on these findings: error, warning, info or codes (default: ${defaultFailOn})`,
    )
    .option('--strict', 'the same as --fail-on warning');
}

export async function failOnOf(
  { failOn, strict }: FailOptions,
  defaultFailOn: readonly string[],
): Promise<string[]> {
  const named = failOn === undefined ? [...defaultFailOn] : await findingNames('--fail-on', failOn);
  return strict === true ? [...named, 'warning'] : named;
}

/** A list such as `broken_link,error`; an unknown name is a usage error. */
export async function findingNames(option: string, list: string): Promise<string[]> {
  const { unknownFindings } = await import('@docyard/render/report');
  const names = list.split(',').map((name) => name.trim());
  const [unknown] = unknownFindings(names);
  if (unknown === undefined) return names;
  throw new CommandError(
    `${option}: unknown finding "${unknown}". Use error, warning, info, or a code from the findings page of the manual.`,
    'usage',
  );
}

export async function requireFolder(root: string): Promise<void> {
  const found = await stat(root).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandError(`Folder not found: ${root}. Check the path.`);
  });
  if (!found.isDirectory())
    throw new CommandError(`${root} is a file. Pass the folder that contains docs.json.`);
}

export async function loadOrExplain(options: LoadOptions): Promise<Site> {
  await requireFolder(options.root);
  const { loadSite } = await import('@docyard/render');
  return explainLoad(loadSite(options));
}

/** Turns the error for a folder without a site into a message. */
export async function explainLoad<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  const { SiteLoadError } = await import('@docyard/render');
  return loading.catch((error: unknown) => {
    if (!(error instanceof SiteLoadError)) throw error;
    const { file, line, column, message, hint } = error.diagnostic;
    const place = [file, line, column].filter((part) => part !== undefined && part !== '').join(':');
    throw new CommandError(printable(`${place}: ${message}.${hint === undefined ? '' : ` ${hint}`}`));
  });
}

/** The parts of a report that commands print. */
export type ReportOfFindings = Omit<SiteReport, 'weights'>;

type Count = 'errors' | 'warnings' | 'infos';

export interface FindingsView {
  /** The folder of the site, for excerpts. */
  root: string;
  colors: boolean;
  maxShown: number;
  /** Where all findings can be read. */
  more: string;
}

export function findingsText(
  report: Pick<SiteReport, 'diagnostics' | Count>,
  { root, colors, maxShown, more }: FindingsView,
): string {
  const paint = painter(colors);
  const shown = report.diagnostics.slice(0, maxShown);
  const total = report.errors + report.warnings + report.infos;
  const parts = [...Map.groupBy(shown, ({ file }) => file)].map(([file, items]) => {
    const lines = linesOf(root, file);
    return `${paint('underline', printable(file || 'the site'))}\n${items.map((item) => findingText(item, lines, paint)).join('')}`;
  });
  if (total > shown.length) parts.push(`… and ${total - shown.length} more in ${more}\n`);
  return parts.map((part) => `${part}\n`).join('');
}

export function summaryText(report: ReportOfFindings, colors: boolean): string {
  const paint = painter(colors);
  const count = (number: number, word: string, style: Style): string => {
    const text = `${number} ${word}${number === 1 ? '' : 's'}`;
    return number > 0 ? paint(style, text) : text;
  };
  const codes = Object.entries(report.byCode).map(([code, number]) => `${code} ${number}`);
  return (
    `${count(report.errors, 'error', 'red')}, ${count(report.warnings, 'warning', 'yellow')}, ` +
    `${count(report.infos, 'note', 'blue')} on ${report.pages} page${report.pages === 1 ? '' : 's'}.\n` +
    (codes.length > 0 ? `${paint('dim', codes.join(', '))}\n` : '')
  );
}

const severityStyles: Record<Severity, Style> = { error: 'red', warning: 'yellow', info: 'blue' };
const severityWords: Record<Severity, string> = { error: 'error', warning: 'warning', info: 'note' };

function findingText(finding: Diagnostic, lines: readonly string[], paint: Paint): string {
  const { severity, line, column, message, hint, code } = finding;
  const place = line === undefined ? '' : `${line}:${column ?? 1}`;
  const word = paint(severityStyles[severity], severityWords[severity].padEnd(7));
  const excerpt = line === undefined ? '' : excerptText(lines[line - 1], line, column ?? 1, paint);
  return (
    `  ${paint('dim', place.padEnd(7))} ${word} ${printable(message)} ${paint('dim', code)}\n${excerpt}` +
    othersText(finding, paint) +
    (hint === undefined ? '' : `          ${paint('cyan', printable(hint))}\n`)
  );
}

const maxNamed = 3;

/** A finding may apply to many places. */
function othersText(
  { count = 1, examples = [] }: Pick<Diagnostic, 'count' | 'examples'>,
  paint: Paint,
): string {
  if (count < 2) return '';
  const named = examples
    .slice(1, 1 + maxNamed)
    .map(({ file, line }) => printable(line === undefined ? file : `${file}:${line}`));
  const more = count - 1 - named.length > 0 ? ', …' : '';
  return `          ${paint('dim', `${count} times, also in ${named.join(', ')}${more}`)}\n`;
}

const maxExcerptWidth = 96;

/** The source line with a caret below the column; long lines are cut around it. */
function excerptText(source: string | undefined, line: number, column: number, paint: Paint): string {
  if (source === undefined || source.trim() === '') return '';
  const start = column > maxExcerptWidth - 16 ? column - 32 : 0;
  const text = printable(source.slice(start, start + maxExcerptWidth).replaceAll('\t', ' ')).trimEnd();
  const number = String(line).padStart(7);
  const caret = column - start > text.length + 1 ? '' : `${' '.repeat(Math.max(0, column - 1 - start))}^`;
  return (
    `  ${paint('dim', `${number} │`)} ${text}\n` +
    (caret === '' ? '' : `  ${paint('dim', '        │')} ${paint('red', caret)}\n`)
  );
}

function linesOf(root: string, file: string): string[] {
  try {
    return readFileSync(join(root, file), 'utf8').split(/\r\n|\r|\n/);
  } catch {
    return [];
  }
}

/** Notes are in the report; after a build they would hide more important findings. */
export function withoutNotes(report: ReportOfFindings): ReportOfFindings {
  return {
    ...report,
    infos: 0,
    diagnostics: report.diagnostics.filter(({ severity }) => severity !== 'info'),
  };
}
