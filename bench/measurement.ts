/**
 * What a measurement is, and small arithmetic that all of them need.
 */
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
}

export interface Result {
  columns: string[];
  rows: (string | number)[][];
  /** What a reader must know to judge the figures. */
  notes: string[];
}

export function toMarkdown({ columns, rows, notes }: Result): string {
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
