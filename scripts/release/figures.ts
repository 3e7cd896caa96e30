/** The table of sizes and times in the manual, from the stored results of `npm run release -- --kit --figures`. A test compares them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

export interface StepFigures {
  name: string;
  seconds: number;
  files: number;
  bytes: number;
}

interface Results {
  date: string;
  cores: number;
  /** Of the last minutes. Above the number of cores, other work slowed the build down. */
  loadAverage: number;
  steps: StepFigures[];
}

const results = 'test/release/results.json';
const page = 'docs/internals/releases.mdx';
const begin = `{/* from ${results} */}`;
const end = '{/* to here */}';

export function writeFigures(root: string, steps: StepFigures[]): void {
  const stored: Results = {
    date: new Date().toISOString().slice(0, 10),
    cores: availableParallelism(),
    loadAverage: Number((loadavg()[1] ?? 0).toFixed(1)),
    steps: steps.map((step) => ({ ...step, seconds: Number(step.seconds.toFixed(1)) })),
  };
  writeFileSync(join(root, results), `${JSON.stringify(stored, null, 2)}\n`);
  const { file, content } = publishedFigures(root);
  writeFileSync(file, content);
}

/** The page as it is expected. */
export function publishedFigures(root: string): { file: string; content: string } {
  const file = join(root, page);
  const content = readFileSync(file, 'utf8');
  const [from, to] = [content.indexOf(begin), content.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} lacks the lines ${begin} and ${end}.`);
  const stored = JSON.parse(readFileSync(join(root, results), 'utf8')) as Results;
  return {
    file,
    content: `${content.slice(0, from + begin.length)}\n\n${table(stored)}\n\n${content.slice(to)}`,
  };
}

function table({ date, cores, loadAverage, steps }: Results): string {
  const rows = steps.map(
    ({ name, seconds, files, bytes }) =>
      `| ${name[0]?.toUpperCase()}${name.slice(1)} | ${files} | ${(bytes / 1e6).toFixed(1)} | ${seconds.toFixed(1)} |`,
  );
  const head = ['| Step | Files | Size, MB | Seconds |', '| --- | --- | --- | --- |'];
  return [
    ...head,
    ...rows,
    '',
    `Measured on ${date} with ${cores} processor cores and a load average of ${loadAverage}.`,
  ].join('\n');
}
