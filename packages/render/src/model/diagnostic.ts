/**
 * What the renderer tells an author about their source: one shape for every finding, wherever it was made.
 * It must not decide whether a finding stops anything; only loading a site that has nothing to render throws.
 */
import type { DiagnosticCode } from './finding-codes.ts';

export type Severity = 'error' | 'warning' | 'info';

export interface Diagnostic {
  severity: Severity;
  code: DiagnosticCode;
  message: string;
  file: string;
  line?: number;
  column?: number;
  hint?: string;
  /** The address that the finding is about: as it was written, or seen from the root of the output. */
  target?: string;
  /** How many findings with one cause this one stands for; absent for one. */
  count?: number;
  /** The first of them. */
  examples?: FindingExample[];
}

/** One place of a finding that has several. */
export interface FindingExample {
  file: string;
  line?: number;
  column?: number;
  target?: string;
}

export interface SourcePlace {
  line: number;
  column: number;
}

/** A place in one of the site's files, in lines of that file. */
export interface FilePlace extends SourcePlace {
  file: string;
}

/** Thrown only when there is nothing to render; carries the same finding an author would see in a report. */
export class SiteLoadError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(`${diagnostic.file}: ${diagnostic.message}`);
    this.name = 'SiteLoadError';
    this.diagnostic = diagnostic;
  }
}

/** One-based line and column of an offset, as editors count them. */
export function placeAt(source: string, offset: number): SourcePlace {
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** Stable order for reports: by file, then place, then code, so that the same input reads the same every time. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A finding whose place its caller knows. */
export type Finding = Pick<Diagnostic, 'severity' | 'code' | 'message' | 'hint'>;
