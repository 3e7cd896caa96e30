/** The results as lines, as a table, and as the JSON file from which a run continues. */
import { summariesOf, type PairResult, type Summary } from './score.ts';

export interface Results {
  model: string;
  summaries: Summary[];
  pairs: PairResult[];
}

export function jsonOf(model: string, pairs: readonly PairResult[]): string {
  const sorted = pairs.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const results: Results = { model, summaries: summariesOf(sorted), pairs: sorted };
  return `${JSON.stringify(results, null, 2)}\n`;
}

export function lineOf(result: PairResult, done: number, total: number): string {
  const { name, ending, problems, steps, inputTokens, outputTokens, seconds } = result;
  const verdict = problems.length === 0 ? 'passed' : 'FAILED';
  const cost = `${ending}, ${steps} steps, ${inputTokens} tokens in, ${outputTokens} out, ${seconds.toFixed(1)} s`;
  return `${[`${verdict}  ${done}/${total}  ${name}  (${cost})`, ...problems].join('\n        ')}\n`;
}

const columns: readonly [title: string, value: (summary: Summary) => string][] = [
  ['kind', ({ kind }) => kind],
  ['passed', ({ passed, pairs }) => `${passed} of ${pairs}`],
  ['no change: precision', ({ noChangePrecision }) => percent(noChangePrecision)],
  ['recall', ({ noChangeRecall }) => percent(noChangeRecall)],
  ['pages: recall', ({ pageRecall }) => percent(pageRecall)],
  ['precision', ({ pagePrecision }) => percent(pagePrecision)],
  ['statements', ({ statements }) => percent(statements)],
  ['checks', ({ checks }) => percent(checks)],
  ['evidence', ({ evidence }) => percent(evidence)],
  ['refused calls', ({ refusedCalls }) => String(refusedCalls)],
  ['tokens in', ({ inputTokens }) => String(inputTokens)],
  ['out', ({ outputTokens }) => String(outputTokens)],
  ['seconds', ({ seconds }) => String(seconds)],
];

export function tableOf(summaries: readonly Summary[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...summaries.map((summary) => columns.map(([, value]) => value(summary))),
  ];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function percent(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 1000) / 10} %`;
}
