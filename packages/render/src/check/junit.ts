/**
 * The quality report as JUnit XML, which build servers show as tests: a suite per file, a case per finding.
 */
import { escapeAttribute, escapeText } from '../text/html.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type SiteReport, countingFindings } from './report.ts';

/**
 * Findings that do not count against the site are skipped cases; a page without findings is a passed case.
 */
export function reportJunit(
  { diagnostics, weights }: Pick<SiteReport, 'diagnostics' | 'weights'>,
  failOn: readonly string[],
): string {
  const counting = new Set(countingFindings(diagnostics, failOn));
  const byFile = new Map<string, Diagnostic[]>(weights.map(({ file }) => [file, []]));
  for (const diagnostic of diagnostics)
    byFile.set(diagnostic.file, [...(byFile.get(diagnostic.file) ?? []), diagnostic]);
  const suites = [...byFile].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const cases = suites.reduce((sum, [, items]) => sum + Math.max(1, items.length), 0);
  const lines = suites.map(([file, items]) => suiteXml(file, items, counting));
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<testsuites name="docyard" tests="${cases}" failures="${counting.size}" errors="0">\n` +
    `${lines.join('')}</testsuites>\n`
  );
}

function suiteXml(file: string, items: readonly Diagnostic[], counting: ReadonlySet<Diagnostic>): string {
  const name = attribute(file === '' ? 'site' : file);
  const failures = items.filter((item) => counting.has(item)).length;
  const head =
    `<testsuite name="${name}" tests="${Math.max(1, items.length)}" failures="${failures}" errors="0" ` +
    `skipped="${items.length - failures}">`;
  const cases =
    items.length === 0
      ? ` <testcase classname="${name}" name="no findings"/>\n`
      : items.map((item) => caseXml(name, item, counting.has(item))).join('');
  return `${head}\n${cases}</testsuite>\n`;
}

function caseXml(className: string, diagnostic: Diagnostic, fails: boolean): string {
  const { code, message, hint, file, line, column, severity } = diagnostic;
  const place = [file, line, column].filter((part) => part !== undefined && part !== '').join(':');
  const title = attribute(`${code}${line === undefined ? '' : ` at line ${line}`}: ${message}`);
  const inner = fails
    ? `<failure type="${code}" message="${attribute(message)}">${text(`${place}: ${severity}: ${message}${hint === undefined ? '' : `\n${hint}`}`)}</failure>`
    : `<skipped message="${attribute(`${severity}: ${message}`)}"/>`;
  return ` <testcase classname="${className}" name="${title}" file="${attribute(file)}"${line === undefined ? '' : ` line="${line}"`}>${inner}</testcase>\n`;
}

function attribute(value: string): string {
  return escapeAttribute(allowedInXml(value)).replaceAll('\n', '&#10;');
}

function text(value: string): string {
  return escapeText(allowedInXml(value));
}

/** XML cannot represent these characters, not even escaped. */
function allowedInXml(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
}
