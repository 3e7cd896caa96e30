/** Writes the figures in the README and the manual from the committed report. A test compares them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toMarkdown, type Table } from './measurement.ts';
import { readReport, type Recorded, type Report } from './report.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
export const committedResults = fileURLToPath(new URL('results', import.meta.url));

interface Place {
  file: string;
  /** The lines around the generated part. */
  begin: string;
  end: string;
  text(report: Report): string;
}

const places: readonly Place[] = [
  { file: 'README.md', begin: '<!-- from bench/results -->', end: '<!-- to here -->', text: readmeText },
  {
    file: 'docs/operate/speed.mdx',
    begin: '{/* from bench/results */}',
    end: '{/* to here */}',
    text: manualText,
  },
];

export function publish(): void {
  for (const [file, content] of published()) {
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    writeFileSync(join(repository, file), content);
  }
}

/** The expected contents of files, by path in the repository. */
export function published(): Map<string, string> {
  const report = readReport(committedResults);
  const files = new Map(places.map((place) => [place.file, filled(place, report)]));
  const chart = join(committedResults, 'chart.svg');
  if (existsSync(chart)) files.set('docs/images/speed.svg', readFileSync(chart, 'utf8'));
  return files;
}

function filled({ file, begin, end, text }: Place, report: Report): string {
  const content = readFileSync(join(repository, file), 'utf8');
  const [before, rest] = split(content, begin, file);
  const [, after] = split(rest, end, file);
  return `${before}${begin}\n\n${text(report)}${end}${after}`;
}

function split(content: string, mark: string, file: string): [string, string] {
  const at = content.indexOf(mark);
  if (at < 0) throw new Error(`${file} lacks the line ${mark}`);
  return [content.slice(0, at), content.slice(at + mark.length)];
}

const generatorColumns = {
  '': '',
  seconds: 'Seconds',
  'time to Docyard': 'Relative to Docyard',
  'peak memory MB': 'Peak memory, MB',
};

const readmeRows = ['docyard export', 'Hugo, bare', 'Starlight', 'VitePress', 'Rspress'];

function readmeText({ generators }: Report): string {
  if (generators === undefined) return '';
  return `![Seconds and memory of Docyard and other generators](bench/results/chart.svg)

${toMarkdown(narrowed(withRows(generators.result, readmeRows), generatorColumns))}

${sourceOf(generators)} [All figures](bench/results/README.md).

`;
}

function manualText({ generators, scale }: Report): string {
  const parts = [];
  if (generators !== undefined)
    parts.push(
      '![Seconds and memory of Docyard and other generators](/images/speed.svg)',
      '## Compared with other generators',
      toMarkdown(narrowed(generators.result, { ...generatorColumns, 'output MB': 'Output, MB' })),
      sourceOf(generators),
    );
  if (scale !== undefined)
    parts.push(
      '## As sites grow',
      toMarkdown(
        narrowed(scale.result, {
          pages: 'Pages',
          '': '',
          seconds: 'Seconds',
          'pages/s': 'Pages per second',
          'peak memory MB': 'Peak memory, MB',
        }),
      ),
      sourceOf(scale),
    );
  return parts.map((part) => `${part}\n\n`).join('');
}

function sourceOf({ date, machine }: Recorded): string {
  return `Measured on ${date}: ${machine}.`;
}

function withRows({ columns, rows }: Table, names: readonly string[]): Table {
  return { columns, rows: rows.filter(([name]) => names.includes(String(name))), notes: [] };
}

/** Selects columns and renames them. */
function narrowed({ columns, rows }: Table, names: Record<string, string>): Table {
  const kept = Object.keys(names).map((name) => columns.indexOf(name));
  return {
    columns: Object.values(names),
    rows: rows.map((row) => kept.map((at) => row[at] ?? '')),
    notes: [],
  };
}
