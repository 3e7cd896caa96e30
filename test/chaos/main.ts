/**
 * `npm run chaos`: runs an installation of six processes under constant faults. Exits with 1 when acknowledged work was lost,
 * duplicated or stuck.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { postgresMissing } from '../postgres.ts';
import { rgwMissing } from '../rgw.ts';
import { chaos, type ChaosFigures } from './chaos.ts';
import { dropForeignSettings } from './environment.ts';
import { StartFailedError } from './start-limit.ts';

const help = `Injects failures into an installation while it is used, and counts lost, stuck and duplicated jobs: three API processes and
three workers on one PostgreSQL and one Ceph gateway, used by six organizations. Settings of the caller's environment are
not used.

  npm run chaos -- [--jobs 500] [--seed 1] [--log FILE]

  --jobs N     number of exports (default 500; at least 24; about 1 s each on two cores)
  --seed N     seed of the failures and their times (default 1)
  --log FILE   write the logs of the processes to this file
  --help       this text
`;

// Child processes end on exit, so a signal must exit normally.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      jobs: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      log: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [jobs, seed] = [Number(values.jobs), Number(values.seed)];
  if (values.help || !(Number.isInteger(jobs) && jobs >= 24 && Number.isInteger(seed))) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const missing = postgresMissing ?? rgwMissing;
  if (missing !== undefined) {
    console.error(`Not run: ${missing}.`);
    return 2;
  }
  const { log } = values;
  if (log !== undefined) writeFileSync(log, '');
  const onProgress = (text: string) => {
    const line = `${new Date().toISOString().slice(11, 19)} ${text}`;
    console.log(line);
    if (log !== undefined) appendFileSync(log, `${line}\n`);
  };
  const onLog = log === undefined ? undefined : (text: string) => appendFileSync(log, text);
  const foreign = dropForeignSettings(process.env);
  if (foreign.length > 0) onProgress(`not used of the environment: ${foreign.length} variables`);
  const figures = await chaos({ jobs, seed, onProgress, onLog }).catch((error: unknown) => {
    if (!(error instanceof StartFailedError)) throw error;
    console.error(`Stopped: ${error.message}`);
    return undefined;
  });
  if (figures === undefined) return 1;
  console.log(`\n${table(figures, seed)}\n\n${fairnessTable(figures)}`);
  for (const problem of figures.problems) console.log(`- ${problem}`);
  return figures.problems.length === 0 ? 0 : 1;
}

function table(figures: ChaosFigures, seed: number): string {
  const rows: [string, number | string][] = [
    ['exports acknowledged', figures.acknowledged],
    ['seed', seed],
    ...Object.entries(figures.troubles),
    ['starts of processes that came to nothing', figures.failedStarts],
    ['requests repeated without a response', figures.retries.unanswered],
    ['requests repeated because the answer said so', figures.retries.refused],
    ['lost', figures.lost],
    ['duplicated', figures.duplicated],
    ['stuck', figures.stuck],
    ['completed', figures.completed],
    ['given up after lost attempts', figures.givenUp],
    ['attempts', figures.attempts],
    ['complete bundles downloaded during failures', figures.downloads],
    ['whole bundles downloaded at the end', figures.wholeBundles],
    ['objects in the storage after a sweep', figures.objects],
    ['jobs followed by events, none missed', figures.followedByEvents],
    ['webhook messages, each received at least once', figures.messages],
    ['webhook requests received', figures.received],
    ['webhook requests dropped by the receiver', figures.dropped],
    ['jobs whose messages arrived out of order', figures.outOfOrder],
    ['limit of running jobs for an organization', figures.runningPerOrganization],
    ['most at work at once, from the events', figures.maxRunning],
    ['most in the hands of workers at once, sampled', figures.mostActive],
    ['fairness: Jain’s index of turns got for turns due', figures.fairness.jain.toFixed(3)],
    ['problems', figures.problems.length],
    ['seconds', figures.seconds],
  ];
  return ['| Figure | Value |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    '\n',
  );
}

function fairnessTable({ fairness }: ChaosFigures): string {
  const rows = fairness.organizations.map(
    ({ name, jobs, got, due, medianSeconds, maxSeconds }) =>
      `| ${name} | ${jobs} | ${got} | ${due} | ${medianSeconds} | ${maxSeconds} |`,
  );
  return [
    '| Organization | Exports | Turns while others waited | Turns due | Median wait (s) | Longest wait (s) |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
