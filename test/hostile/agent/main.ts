/** `npm run hostile`: runs every hostile case against the whole program with both engines. Exits with 1 when one succeeds. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { needsForeignEngine } from './case.ts';
import { runHostile, type HostileOptions } from './program.ts';

const help = `Runs every hostile case against the whole program and prints the result of each.

  npm run hostile -- [--only TEXT] [--engine built-in|foreign]

  --only TEXT     only cases whose name contains this
  --engine NAME   only with this engine; a foreign agent needs bubblewrap
  --help          this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      engine: { type: 'string', default: '' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  let failures = 0;
  for (const engine of ['built-in', 'foreign'] as const) {
    if (!engine.startsWith(values.engine)) continue;
    if (engine === 'foreign' && spawnSync('bwrap', ['--version']).status !== 0) {
      process.stdout.write('SKIPPED  the foreign engine: there is no bubblewrap\n');
      continue;
    }
    failures += await runAll(engine, values.only);
  }
  return failures === 0 ? 0 : 1;
}

async function runAll(engine: HostileOptions['engine'], only: string): Promise<number> {
  const started = performance.now();
  const { outcomes, problems } = await runHostile({
    engine,
    choose: (cases) =>
      cases.filter((each) => each.name.includes(only) && (engine === 'foreign' || !needsForeignEngine(each))),
    onCase: ({ name, ending, problems: found }) =>
      process.stdout.write(
        `${[`${found.length === 0 ? 'held  ' : 'FAILED'}  ${name}  (${ending})`, ...found].join('\n        ')}\n`,
      ),
  });
  const failed = outcomes.filter((outcome) => outcome.problems.length > 0).length;
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stdout.write(
    `${engine}: ${outcomes.length - failed} of ${outcomes.length} cases held, ${seconds} s\n`,
  );
  for (const problem of problems) process.stdout.write(`FAILED  ${problem}\n`);
  return failed + problems.length;
}
