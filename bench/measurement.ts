/**
 * What a measurement is, and small arithmetic that all of them need.
 */
import type { Panel } from './chart.ts';

export interface Measurement {
  name: string;
  /** One sentence for --help. */
  about: string;
  run(tell: (progress: string) => void, choices: Choices): Promise<Result>;
}

/** What the caller has chosen; a measurement that has no use for a choice ignores it. */
export interface Choices {
  pages?: number | undefined;
  peers?: readonly string[] | undefined;
  pollers?: number | undefined;
  /** A documentation folder of the caller, measured as well. */
  folder?: string | undefined;
  /** A folder of real sites. */
  sites?: string | undefined;
  /** A generator that takes longer is ended and counts as slower than this. */
  timeLimitSeconds: number;
}

export interface Table {
  columns: string[];
  rows: (string | number)[][];
  /** What a reader must know to judge the figures. */
  notes: string[];
}

export interface Result extends Table {
  /** What was promised beside what came out; empty when nothing was promised. */
  verdicts?: Verdict[];
  /** For the chart of the report. */
  panels?: Panel[];
}

export interface Verdict {
  measure: string;
  target: string;
  figure: string;
  /** Null when this run cannot tell: another size than the target speaks of, or a peer that is missing. */
  isMet: boolean | null;
}

/** The target speaks of one size; at another one the figure is shown without a verdict. */
export function verdict(
  measure: string,
  target: string,
  figure: string,
  isMet: boolean | undefined,
  isTargetSize = true,
): Verdict {
  return { measure, target, figure, isMet: isTargetSize ? (isMet ?? null) : null };
}

export function toMarkdown({ columns, rows, notes }: Table): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const lines = [line(columns), line(columns.map(() => '---')), ...rows.map(line)];
  return [...lines, ...notes.map((note) => `\n${note}`)].join('\n');
}

/** `share` from 0 to 1; the list need not be sorted. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? 0;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function rounded(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}

export function megabytes(bytes: number): number {
  return rounded(bytes / 1e6);
}

/** With separators, as a reader wants large numbers. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
