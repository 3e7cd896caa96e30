/** The figures of `npm run image`: printed, kept in results.json, and shown in the manual. A test compares them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toMarkdown } from '../../bench/measurement.ts';
import { root } from '../deploy/dockerfile.ts';

export interface Figures {
  date: string;
  machine: string;
  rows: [what: string, figure: string][];
}

const resultsFile = fileURLToPath(new URL('results.json', import.meta.url));
const manualFile = join(root, 'docs/operate/docker.mdx');
const marks = { begin: '{/* from test/image/results.json */}', end: '{/* to here */}' };

export function figuresOf(rows: Figures['rows']): Figures {
  const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
  const machine = `${processor}, ${cpus().length} cores, ${Math.round(totalmem() / 1e9)} GB`;
  return { date: new Date().toISOString().slice(0, 10), machine, rows };
}

export function tableOf({ rows, date, machine }: Figures): string {
  const table = toMarkdown({ columns: ['', 'Measured'], rows, notes: [] });
  return `${table}\n\nMeasured on ${date}: ${machine}.`;
}

export function writeFigures(figures: Figures): void {
  writeFileSync(resultsFile, `${JSON.stringify(figures, null, 2)}\n`);
  writeFileSync(manualFile, expectedManual());
}

/** The manual with the table of the stored figures. */
export function expectedManual(): string {
  const manual = readFileSync(manualFile, 'utf8');
  if (!existsSync(resultsFile)) return manual;
  const [before, rest] = manual.split(marks.begin);
  const after = rest?.split(marks.end)[1];
  if (before === undefined || after === undefined) throw new Error(`${manualFile} lacks ${marks.begin}`);
  const figures = JSON.parse(readFileSync(resultsFile, 'utf8')) as Figures;
  return `${before}${marks.begin}\n\n${tableOf(figures)}\n\n${marks.end}${after}`;
}

export const seconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} s`;
export const megabytes = (value: number): string => `${value.toFixed(0)} MB`;
