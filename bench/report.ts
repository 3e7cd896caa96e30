/**
 * The report: a folder with `results.json`, which keeps the last result of each measurement with its date and machine, and
 * what is made of it for readers: `README.md` and `chart.svg`. Measurements may be run one by one; the report holds all of them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from './chart.ts';
import { toMarkdown, type Result, type Verdict } from './measurement.ts';

export interface Recorded {
  /** A day is enough: who needs more has the commit. */
  date: string;
  machine: string;
  result: Result;
}

export type Report = Record<string, Recorded>;

export function readReport(folder: string): Report {
  const file = join(folder, 'results.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : {};
}

/** `order` is that of the measurements in the report. */
export function writeReport(folder: string, report: Report, order: readonly string[]): void {
  const sorted = Object.fromEntries(
    order.flatMap((name) => (report[name] === undefined ? [] : [[name, report[name]]])),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), reportText(sorted));
  const hasChart = Object.values(sorted).some(({ result }) => result.panels !== undefined);
  if (hasChart) writeFileSync(join(folder, 'chart.svg'), chartOf(sorted));
}

function reportText(report: Report): string {
  const verdicts = Object.values(report).flatMap(({ result }) => result.verdicts ?? []);
  const sections = Object.entries(report).map(
    ([name, { date, machine, result }]) => `## ${name}\n\n${date}, ${machine}.\n\n${toMarkdown(result)}\n`,
  );
  return `# Measurements

Written by \`npm run bench\`, not by hand. Absolute times are those of one machine; compare the ratios, which come from one
run each. [How it is measured](../../docs/operate/speed.mdx).

![${chartTitle}](chart.svg)

## Targets

${verdictTable(verdicts)}

${sections.join('\n')}`;
}

export function verdictTable(verdicts: readonly Verdict[]): string {
  return toMarkdown({
    columns: ['Measure', 'Target', 'Figure', 'Met'],
    rows: verdicts.map(({ measure, target, figure, isMet }) => [measure, target, figure, verdictWord(isMet)]),
    notes: [],
  });
}

function verdictWord(isMet: boolean | null): string {
  if (isMet === null) return 'cannot be told';
  return isMet ? 'yes' : '**no**';
}

const chartTitle = 'Docyard beside other generators';

function chartOf(report: Report): string {
  const panels = Object.values(report).flatMap(({ result }) => result.panels ?? []);
  const sources = Object.values(report).filter(({ result }) => result.panels !== undefined);
  const footer = [...new Set(sources.map(({ date, machine }) => `${date} · ${machine}`))].join(' · ');
  return drawChart(panels, { title: chartTitle, footer: footer.slice(0, 150) });
}
