/** A finding about a site's source. The caller decides whether it fails the build. */
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
  /** The address in question: as written, or relative to the output root. */
  target?: string;
  /** The number of findings with the same cause that this one represents; absent means one. */
  count?: number;
  examples?: FindingExample[];
}

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

export interface FilePlace extends SourcePlace {
  file: string;
}

/** Thrown only when there is nothing to render. */
export class SiteLoadError extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(`${diagnostic.file}: ${diagnostic.message}`);
    this.name = 'SiteLoadError';
    this.diagnostic = diagnostic;
  }
}

/** One-based. */
export function placeAt(source: string, offset: number): SourcePlace {
  const before = source.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** Sorts findings by file, position and code, so that reports are deterministic. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    compareText(a.file, b.file) ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compareText(a.code, b.code) ||
    compareText(a.message, b.message)
  );
}

/** Compares code units: `localeCompare` depends on the machine. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export type Finding = Pick<Diagnostic, 'severity' | 'code' | 'message' | 'hint'>;
