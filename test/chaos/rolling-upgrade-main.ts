/**
 * `npm run rolling-upgrade`: replaces the processes of an installation one by one while it is used. Exits with 1 when
 * acknowledged work was lost, duplicated or stuck.
 */
import { appendFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { postgresMissing } from '../postgres.ts';
import { rgwMissing } from '../rgw.ts';
import { historyMissing } from '../upgrade/earlier-program.ts';
import { dropForeignSettings } from './environment.ts';
import { rollingUpgrade, type RollingUpgradeFigures } from './rolling-upgrade.ts';

const help = `Replaces two API processes and two workers of the previous version one by one with this version, on one PostgreSQL and one
Ceph gateway, while four organizations export. Counts lost, stuck and duplicated jobs. Settings of the caller's environment
are not used.

  npm run rolling-upgrade -- [--jobs 200] [--first api|worker] [--seed 1] [--log FILE]

  --jobs N       number of exports (default 200; at least 40; about 1 s each on two cores)
  --first ROLE   which role is replaced first and migrates the database: api (default) or worker
  --seed N       seed of the choices of the clients (default 1)
  --log FILE     write the logs of the processes to this file
  --help         this text
`;

// Child processes end on exit, so a signal must exit normally.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      jobs: { type: 'string', default: '200' },
      first: { type: 'string', default: 'api' },
      seed: { type: 'string', default: '1' },
      log: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [jobs, seed] = [Number(values.jobs), Number(values.seed)];
  const { first, log } = values;
  const isValid = Number.isInteger(jobs) && jobs >= 40 && Number.isInteger(seed);
  if (values.help || !isValid || (first !== 'api' && first !== 'worker')) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  const missing = postgresMissing ?? rgwMissing ?? historyMissing;
  if (missing !== undefined) {
    console.error(`Not run: ${missing}.`);
    return 2;
  }
  if (log !== undefined) writeFileSync(log, '');
  const onProgress = (text: string) => {
    const line = `${new Date().toISOString().slice(11, 19)} ${text}`;
    console.log(line);
    if (log !== undefined) appendFileSync(log, `${line}\n`);
  };
  const onLog = log === undefined ? undefined : (text: string) => appendFileSync(log, text);
  dropForeignSettings(process.env);
  const figures = await rollingUpgrade({ jobs, seed, first, onProgress, onLog });
  console.log(`\n${table(figures)}`);
  for (const problem of figures.problems) console.log(`- ${problem}`);
  return figures.problems.length === 0 ? 0 : 1;
}

function table(figures: RollingUpgradeFigures): string {
  const rows: [string, number | string][] = [
    ['exports acknowledged', figures.acknowledged],
    ['order of replacement', figures.upgraded.join(', ')],
    ['lost', figures.lost],
    ['duplicated', figures.duplicated],
    ['stuck', figures.stuck],
    ['completed', figures.completed],
    ['given up after lost attempts', figures.givenUp],
    ['attempts', figures.attempts],
    ['requests repeated without a response', figures.retries.unanswered],
    ['requests repeated because the answer said so', figures.retries.refused],
    ['bundles downloaded during the upgrade', figures.downloads],
    ['whole bundles downloaded at the end', figures.wholeBundles],
    ['objects in the storage after a sweep', figures.objects],
    ['jobs followed by events, none missed', figures.followedByEvents],
    ['webhook messages, each received at least once', figures.messages],
    ['problems', figures.problems.length],
    ['seconds', figures.seconds],
  ];
  return ['| Figure | Value |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join(
    '\n',
  );
}
