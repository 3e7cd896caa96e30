/** The interface of a measurement, and arithmetic that measurements share. */
import type { Panel } from './chart.ts';

export interface Measurement {
  name: string;
  /** One sentence for --help. */
  about: string;
  run(report: (progress: string) => void, choices: Choices): Promise<Result>;
}

/** Command line options; a measurement ignores those it does not need. */
export interface Choices {
  pages?: number | undefined;
  peers?: readonly string[] | undefined;
  pollers?: number | undefined;
  /** An additional documentation folder to measure. */
  folder?: string | undefined;
  /** A folder of real sites. */
  sites?: string | undefined;
  /** A slower generator is stopped and reported as slower than this. */
  timeLimitSeconds: number;
}

export interface Table {
  columns: string[];
  rows: (string | number)[][];
  /** What a reader must know to judge the figures. */
  notes: string[];
}

export interface Result extends Table {
  verdicts?: Verdict[];
  panels?: Panel[];
}

export interface Verdict {
  measure: string;
  target: string;
  figure: string;
  /** Null when this run cannot decide: another size than the target's, or a missing peer. */
  isMet: boolean | null;
}

/** The target holds for one size; at another size the figure has no verdict. */
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

/** `share` is from 0 to 1; the list need not be sorted. */
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

/** With thousands separators. */
export function counted(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
