/** Writes the figures in the manual from the committed results. A test compares them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measure, SoakFigures } from './soak.ts';
import type { StackName } from './stacks.ts';

export type SoakResults = Partial<Record<StackName, SoakFigures>>;

export const committedResults = fileURLToPath(new URL('results.json', import.meta.url));
export const manualPage = fileURLToPath(new URL('../../docs/operate/durability.mdx', import.meta.url));

const [begin, end] = ['{/* from test/soak/results.json */}', '{/* to here */}'];

const titles: Record<StackName, string> = {
  single: 'One process with SQLite and a folder',
  scale: 'Two API processes and two workers with PostgreSQL and a Ceph bucket',
};

export function publish(): void {
  writeFileSync(manualPage, published());
}

/** The expected content of the page. */
export function published(): string {
  const results = JSON.parse(readFileSync(committedResults, 'utf8')) as SoakResults;
  const page = readFileSync(manualPage, 'utf8');
  const [start, stop] = [page.indexOf(begin), page.indexOf(end)];
  if (start < 0 || stop < 0) throw new Error(`${manualPage} lacks the lines ${begin} and ${end}`);
  const parts = (['single', 'scale'] as const).flatMap((stack) => {
    const figures = results[stack];
    return figures === undefined ? [] : [describe(stack, figures)];
  });
  const figures = parts.length === 0 ? 'No run is published yet.\n' : parts.join('\n');
  return `${page.slice(0, start)}${begin}\n\n${figures}\n${page.slice(stop)}`;
}

function describe(stack: StackName, figures: SoakFigures): string {
  const { minutes, warmUpMinutes, load, problems } = figures;
  const count = (number: number) => number.toLocaleString('en-US');
  const facts = [
    `${minutes} minutes, the first ${warmUpMinutes} not measured`,
    `${count(load.exports)} exports`,
    `${count(load.polls)} status requests`,
    `${count(load.downloads)} bundles and ${count(load.deltas)} deltas downloaded`,
    `${count(problems.length)} problems`,
  ];
  return `**${titles[stack]}**: ${facts.join(', ')}.\n\n${measuresTable(figures)}\n`;
}

export function measuresTable({ measures }: SoakFigures): string {
  return [
    '| Quantity | Median | Maximum | Growth | Allowed growth |',
    '|---|--:|--:|--:|--:|',
    ...measures.map((measure) => `| ${measure.name} | ${rowOf(measure).join(' | ')} |`),
  ].join('\n');
}

function rowOf({ median, max, growth, allowed, unit }: Measure): string[] {
  return [median, max, growth, allowed].map((value) => {
    const text = Math.abs(value) < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
    return `${text.replace(/^-(0\.0)$/, '$1')}${unit === '' ? '' : ` ${unit}`}`;
  });
}
