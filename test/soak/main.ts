/** `npm run soak`: exports and polls for an hour. Exits with 1 when a resource grows or a request fails. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dropForeignSettings } from '../chaos/environment.ts';
import { postgresMissing } from '../postgres.ts';
import { rgwMissing } from '../rgw.ts';
import { committedResults, measuresTable, publish, type SoakResults } from './published-figures.ts';
import { soak, type SoakFigures } from './soak.ts';
import type { StackName } from './stacks.ts';

const help = `Uses an installation steadily: commits, exports, polling, event streams, bundles and deltas. Samples memory, open files,
processes, disk and rows, fits a line to each after a warm-up, and fails if one grows. Settings of the caller's environment are
not used.

  npm run soak -- --stack single|scale [--minutes 60] [--warm-up 15] [--every 15] [--results FILE]

  --stack NAME     single: one process with SQLite and a folder
                   scale: two API processes and two workers with PostgreSQL and a Ceph gateway
  --minutes N      length, with the warm-up (default 60; at least 4)
  --warm-up N      minutes that are not measured (default: a quarter of the length)
  --every N        seconds between samples (default 15)
  --results FILE   JSON file whose entry of this stack is replaced; test/soak/results.json also renews the manual
  --help           this text
`;

// Child processes end on exit, so a signal must exit normally.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      stack: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      'warm-up': { type: 'string' },
      every: { type: 'string', default: '15' },
      results: { type: 'string', default: committedResults },
      help: { type: 'boolean', default: false },
    },
  });
  const { stack, results: file } = values;
  const minutes = Number(values.minutes);
  const warmUpMinutes = Number(values['warm-up'] ?? minutes / 4);
  const sampleSeconds = Number(values.every);
  const isValid = minutes >= 4 && warmUpMinutes < minutes && sampleSeconds > 0;
  if (values.help || !isValid || (stack !== 'single' && stack !== 'scale')) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const missing = stack === 'scale' ? (postgresMissing ?? rgwMissing) : undefined;
  if (missing !== undefined) {
    console.error(`Not run: ${missing}.`);
    return 2;
  }
  dropForeignSettings(process.env);
  const onProgress = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
  const figures = await soak({ stack, minutes, warmUpMinutes, sampleSeconds, onProgress });
  keep(file, stack, figures);
  console.log(`\n${measuresTable(figures)}\n`);
  for (const problem of figures.problems.slice(0, 50)) console.log(`- ${problem}`);
  if (figures.problems.length > 50) console.log(`- and ${figures.problems.length - 50} more`);
  return figures.problems.length === 0 ? 0 : 1;
}

function keep(file: string, stack: StackName, figures: SoakFigures): void {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SoakResults) : {};
  writeFileSync(file, `${JSON.stringify({ ...before, [stack]: figures }, null, 2)}\n`);
  if (file === committedResults) publish();
}
