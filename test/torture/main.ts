/** `npm run torture`: the long version of the torture test. Exits with 1 when acknowledged work was lost. */
import { parseArgs } from 'node:util';
import { runMany } from '../agent/many-jobs.ts';
import { torture, type TortureFigures } from './torture.ts';

const help = `Kills the service repeatedly while it is used, and counts lost, stuck and duplicated jobs.

  npm run torture -- [--rounds 100] [--seed 1] [--log]
  npm run torture -- --agent [--jobs 200] [--seed 1]

  --rounds N   number of kills (default 100; about 3 s each)
  --seed N     seed of the random moments and operations (default 1)
  --log        print the log of the service
  --agent      run agent jobs, two at a time, cancel a third of them, and count leftover files and processes
  --jobs N     number of agent jobs (default 200; about 2 s each)
  --help       this text
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      log: { type: 'boolean', default: false },
      agent: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '200' },
      help: { type: 'boolean', default: false },
    },
  });
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)];
  if (values.help || !(Number.isInteger(rounds) && rounds > 0 && Number.isInteger(seed))) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  if (values.agent) return manyAgentJobs(Number(values.jobs), seed);
  const figures = await torture({
    rounds,
    seed,
    onRound: ({ number, kind, killed, problems }) =>
      console.log(`round ${number} of ${rounds}: ${kind}, killed: ${killed}; problems so far: ${problems}`),
    ...(values.log ? { onLog: (text: string) => process.stderr.write(text) } : {}),
  });
  console.log(`\n${table(figures, seed)}`);
  for (const problem of figures.problems) console.log(`\n- ${problem}`);
  return figures.problems.length === 0 ? 0 : 1;
}

async function manyAgentJobs(jobs: number, seed: number): Promise<number> {
  const onJob = (ended: number) => void (ended % 10 === 0 && console.log(`${ended} of ${jobs} have ended`));
  const { problems, ...figures } = await runMany({ jobs, seed, onJob });
  const rows: [string, number][] = [
    ['agent jobs', figures.jobs],
    ['seed', seed],
    ['canceled', figures.canceled],
    ['completed', figures.completed],
    ['failed (the canceled ones)', figures.failed],
    ['folders left behind', figures.leakedFolders],
    ['jobs still waiting or held by a worker', figures.heldJobs],
    ['processes left behind', figures.leakedProcesses],
    ['open files of the service before', figures.openFilesBefore],
    ['open files of the service after', figures.openFilesAfter],
    ['problems', problems.length],
    ['seconds', figures.seconds],
  ];
  console.log(`\n${tableOf(rows)}`);
  for (const problem of problems) console.log(`- ${problem}`);
  return problems.length === 0 ? 0 : 1;
}

function table(figures: TortureFigures, seed: number): string {
  const rows: [string, number][] = [
    ['rounds', figures.rounds],
    ['seed', seed],
    ['kills during start-up', figures.killsDuringStart],
    ['kills while running', figures.killsWhileRunning],
    ['kills during packing, storing or a download', figures.killsDuringBundle],
    ['rendering processes killed', figures.renderersKilled],
    ['acknowledged starts', figures.acknowledgedStarts],
    ['lost (jobs, keys, projects)', figures.lost],
    ['stuck', figures.stuck],
    ['torn archives', figures.torn],
    ['duplicated results', figures.duplicated],
    ['canceled jobs resurrected', figures.resurrected],
    ['idempotent retries', figures.idempotentRetries],
    ['idempotent retries that made a second job', figures.secondJobs],
    ['other contradictions', figures.other],
    ['leaked processes', figures.leakedProcesses],
    ['attempts spent', figures.attempts],
    ['jobs completed', figures.completed],
    ['jobs canceled', figures.canceled],
    ['jobs given up after three lost workers', figures.workerLost],
    ['jobs failed because their renderer was killed', figures.failedOtherwise],
    ['archives downloaded during the rounds', figures.downloads],
    ['archives unpacked at the end', figures.wholeArchives],
    ['seconds', figures.seconds],
  ];
  return tableOf(rows);
}

function tableOf(rows: readonly [string, number][]): string {
  return ['| Figure | Value |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    '\n',
  );
}
