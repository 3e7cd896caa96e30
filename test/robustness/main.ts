/**
 * `npm run agent-robustness`: runs the built-in engine against imitations of model servers and of a model that makes mistakes.
 * Exits with 1 when a case fails.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { jsonOf, lineOf, tableOf } from './report.ts';
import { allCases, nameOf, runCases } from './suite.ts';

const help = `Runs the built-in agent against imitations of model servers and prints the result of each case.

  npm run agent-robustness -- [--only TEXT] [--seed NUMBER] [--json FILE]

  --only TEXT     only cases whose name contains this; a name begins with its group:
                  dialects, context, timeouts, clumsy or service
  --seed NUMBER   the clumsy model makes the mistakes of this seed; can be repeated (default: 1 to 5)
  --json FILE     write the results to this file
  --list          print the names of the cases and run none
  --help          this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      seed: { type: 'string', multiple: true, default: ['1', '2', '3', '4', '5'] },
      json: { type: 'string' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const seeds = values.seed.map(Number);
  if (!seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)) {
    process.stderr.write('The seed is invalid: it is not a whole number. Pass --seed 7, for example.\n');
    return 2;
  }
  const cases = allCases(seeds).filter((each) => nameOf(each).includes(values.only));
  if (values.list) {
    process.stdout.write(cases.map((each) => `${nameOf(each)}\n`).join(''));
    return 0;
  }
  if (cases.length === 0) {
    process.stderr.write(`No case has a name with "${values.only}". Pass --list to see the names.\n`);
    return 2;
  }
  const reports = await runCases(cases, (report, done) =>
    process.stdout.write(lineOf(report, done, cases.length)),
  );
  process.stdout.write(`\n${tableOf(reports)}`);
  if (values.json !== undefined) writeFileSync(values.json, jsonOf(reports, seeds));
  return reports.every(({ problems }) => problems.length === 0) ? 0 : 1;
}
