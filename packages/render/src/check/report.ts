/**
 * The quality report of a site: all findings, counted and in a stable order. It contains no times and nothing
 * of the machine, so that the same site gives the same bytes.
 */
import { aggregated, occurrencesOf } from './aggregate.ts';
import { type DiagnosticCode, diagnosticCodes } from '../model/finding-codes.ts';
import { type Diagnostic, compareDiagnostics } from '../model/diagnostic.ts';
import type { CheckResult, PageWeight } from './output-check.ts';
import { withoutRepeats } from './output-findings.ts';

export interface SiteReport {
  /** Incremented when a field changes its meaning; new fields do not change it. */
  format: 1;
  pages: number;
  errors: number;
  warnings: number;
  infos: number;
  byCode: Record<string, number>;
  /** The total of all places: one finding may represent many. */
  occurrences: number;
  /** Errors first, then by file and place. */
  diagnostics: Diagnostic[];
  /** Whether only the first diagnostics are listed. */
  truncated: boolean;
  /** Every page with the bytes of its HTML, the heaviest first. */
  weights: PageWeight[];
  /** Source files of pages that neither the navigation nor a link leads to. */
  orphans: string[];
  /** Files that pages would load from other hosts. */
  remoteAssets: { file: string; address: string }[];
}

const maxDiagnosticsListed = 5000;
const rank = { error: 0, warning: 1, info: 2 } as const;
const remoteCodes: ReadonlySet<DiagnosticCode> = new Set(['remote_asset', 'remote_embed', 'remote_image']);

export function buildReport(
  diagnostics: readonly Diagnostic[],
  { weights, orphans }: Pick<CheckResult, 'weights' | 'orphans'>,
): SiteReport {
  const remoteAssets = diagnostics
    .toSorted(compareDiagnostics)
    .flatMap(({ code, file, target }) =>
      remoteCodes.has(code) && target !== undefined ? [{ file, address: target }] : [],
    );
  const sorted = aggregated(diagnostics).toSorted(
    (a, b) => rank[a.severity] - rank[b.severity] || compareDiagnostics(a, b),
  );
  const count = (wanted: Diagnostic['severity']): number =>
    sorted.filter(({ severity }) => severity === wanted).length;
  return {
    format: 1,
    pages: weights.length,
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    byCode: countByCode(sorted),
    occurrences: sorted.reduce((sum, finding) => sum + occurrencesOf(finding), 0),
    diagnostics: sorted.slice(0, maxDiagnosticsListed),
    truncated: sorted.length > maxDiagnosticsListed,
    weights,
    orphans,
    remoteAssets: remoteAssets.slice(0, maxDiagnosticsListed),
  };
}

/** With these findings instead of its own. */
export function reportWith<Report extends SiteReport>(
  report: Report,
  findings: readonly Diagnostic[],
): Report {
  return { ...report, ...buildReport(withoutRepeats(findings), report), pages: report.pages };
}

/** One entry per line, so that two reports can be compared as text. */
export function reportJson(report: object): string {
  return `${JSON.stringify(report, null, 1)}\n`;
}

/**
 * The findings that count against a site. `failOn` names codes and severities, each of which includes more
 * severe ones.
 */
export function countingFindings(
  diagnostics: readonly Diagnostic[],
  failOn: readonly string[],
): Diagnostic[] {
  const severities = failOn.flatMap((name) =>
    Object.hasOwn(rank, name) ? rank[name as keyof typeof rank] : [],
  );
  const mildest = Math.max(-1, ...severities);
  const codes = new Set(failOn);
  return diagnostics.filter(({ severity, code }) => rank[severity] <= mildest || codes.has(code));
}

export function unknownFindings(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(rank, name) && !Object.hasOwn(diagnosticCodes, name));
}

export function narrowReport(report: SiteReport, keep: (diagnostic: Diagnostic) => boolean): SiteReport {
  const narrowed = buildReport(report.diagnostics.filter(keep), report);
  return { ...narrowed, truncated: report.truncated, remoteAssets: report.remoteAssets };
}

/**
 * A test for findings that are missing from an earlier report. Lines are ignored, because text above them may
 * have changed.
 */
export function isNewSince(earlier: readonly KnownFinding[]): (diagnostic: Diagnostic) => boolean {
  const known = new Map<string, number>();
  for (const finding of earlier)
    for (const place of finding.examples ?? [finding]) {
      const identity = identityOf({ ...finding, file: place.file });
      known.set(identity, (known.get(identity) ?? 0) + 1);
    }
  /** A finding with several places is new when one of them is. */
  return (diagnostic) => {
    const isNew = (diagnostic.examples ?? [diagnostic]).map(({ file }) => {
      const identity = identityOf({ ...diagnostic, file });
      const left = known.get(identity) ?? 0;
      known.set(identity, left - 1);
      return left <= 0;
    });
    return isNew.includes(true);
  };
}

interface KnownFinding {
  file: string;
  code: string;
  message: string;
  examples?: readonly { file: string }[] | undefined;
}

function identityOf({ file, code, message }: KnownFinding): string {
  return JSON.stringify([file, code, message]);
}

function countByCode(diagnostics: readonly Diagnostic[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
