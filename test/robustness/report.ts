/** The results as lines, as a table, and as the JSON file from which the manual lists the servers. */
import { groups, type CaseReport, type Group } from './case.ts';
import { nameOf } from './suite.ts';

interface Row {
  group: Group;
  passed: number;
  total: number;
  turns: number;
  inputTokens: number;
  outputTokens: number;
}

export function lineOf(report: CaseReport, done: number, total: number): string {
  const { problems, turns, inputTokens, outputTokens, tasks } = report;
  const verdict = problems.length === 0 ? 'passed' : 'FAILED';
  const rate = tasks === undefined ? '' : `${tasks.passed} of ${tasks.total} tasks, `;
  const cost = `${rate}${turns} turns, ${inputTokens} tokens in, ${outputTokens} out, ${report.seconds.toFixed(1)} s`;
  const lines = [`${verdict}  ${done}/${total}  ${nameOf(report)}  (${cost})`];
  return `${[...lines, ...problems.map((problem) => `        ${problem}`)].join('\n')}\n`;
}

export function tableOf(reports: readonly CaseReport[]): string {
  const rows = rowsOf(reports).map(({ group, passed, total, turns, inputTokens, outputTokens }) => [
    group,
    `${passed} of ${total}`,
    `${Math.round((100 * passed) / total)} %`,
    String(turns),
    String(inputTokens),
    String(outputTokens),
  ]);
  const all = [['group', 'passed', 'rate', 'turns', 'tokens in', 'tokens out'], ...rows];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

export function jsonOf(reports: readonly CaseReport[], seeds: readonly number[]): string {
  const servers = [...Map.groupBy(reports, ({ server }) => server)].map(([server, of]) => ({
    server,
    passed: of.filter(isPassed).length,
    total: of.length,
  }));
  return `${JSON.stringify({ seeds, groups: rowsOf(reports), servers, cases: reports }, null, 2)}\n`;
}

function rowsOf(reports: readonly CaseReport[]): Row[] {
  return groups.flatMap((group) => {
    const of = reports.filter((report) => report.group === group);
    if (of.length === 0) return [];
    const sum = (value: (report: CaseReport) => number): number =>
      of.reduce((total, report) => total + value(report), 0);
    return {
      group,
      passed: sum((report) => report.tasks?.passed ?? (isPassed(report) ? 1 : 0)),
      total: sum(({ tasks }) => tasks?.total ?? 1),
      turns: sum(({ turns }) => turns),
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
    };
  });
}

function isPassed({ problems }: CaseReport): boolean {
  return problems.length === 0;
}
