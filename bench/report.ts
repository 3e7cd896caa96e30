/** Stores the last result of each measurement in `results.json` and renders `README.md` and `chart.svg` from it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawChart } from './chart.ts';
import { counted, toMarkdown, type Result, type Verdict } from './measurement.ts';

export interface Recorded {
  date: string;
  machine: string;
  /** Only the default size has verdicts and charts. */
  isUsualSize: boolean;
  result: Result;
}

/** Keyed by the name of the measurement, with its size when that is not the default. */
export type Report = Record<string, Recorded>;

export function recordName(measurement: string, pages: number | undefined): string {
  return pages === undefined ? measurement : `${measurement}, ${counted(pages)} pages`;
}

export function readReport(folder: string): Report {
  const file = join(folder, 'results.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : {};
}

/** `order` is that of the measurements in the report. */
export function writeReport(folder: string, report: Report, order: readonly string[]): void {
  const sorted = Object.fromEntries(
    order.flatMap((name) => Object.entries(report).filter(([key]) => key.split(',')[0] === name)),
  );
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(sorted, null, 2)}\n`);
  writeFileSync(join(folder, 'README.md'), reportText(sorted));
  const charted = usual(sorted).filter(({ result }) => result.panels !== undefined);
  if (charted.length > 0) writeFileSync(join(folder, 'chart.svg'), chartOf(charted));
}

function usual(report: Report): Recorded[] {
  return Object.values(report).filter(({ isUsualSize }) => isUsualSize);
}

function reportText(report: Report): string {
  const verdicts = usual(report).flatMap(({ result }) => result.verdicts ?? []);
  const sections = Object.entries(report).map(
    ([name, { date, machine, result }]) => `## ${name}\n\n${date}, ${machine}.\n\n${toMarkdown(result)}\n`,
  );
  return `# Measurements

Written by \`npm run bench\`, not by hand. Absolute times are those of one machine; compare the ratios, which come from one
run each. [How it is measured](../../docs/operate/speed.mdx).

${usual(report).some(({ result }) => result.panels !== undefined) ? `![${chartTitle}](chart.svg)\n\n` : ''}## Targets

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
  if (isMet === null) return 'not measured';
  return isMet ? 'yes' : '**no**';
}

const chartTitle = 'Docyard compared with other generators';

function chartOf(charted: readonly Recorded[]): string {
  const panels = charted.flatMap(({ result }) => result.panels ?? []);
  const [first] = charted;
  return drawChart(panels, { title: chartTitle, footer: `${first?.date} · ${first?.machine}` });
}
