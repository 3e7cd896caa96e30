/**
 * `npm run attacks`: runs every hostile site at every supported isolation level and prints a matrix. Exits with 1 when an
 * attack is not contained or not reported. Each lane is a process, so that its descendants belong to one case.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCorpus } from './corpus.ts';
import { type Level, findLevels } from './isolation-levels.ts';
import { type Outcome, Stage } from './run.ts';

const help = `Exports hostile sites at each level of isolation and prints the result of each.

  npm run attacks -- [--only TEXT] [--level N] [--lanes N] [--json]

  --only TEXT   only cases whose name or class contains this
  --level N     only at this level, 0 to 3
  --lanes N     how many cases run at once (one for each processor, four at most)
  --json        print one JSON object a line instead of a table
  --help        this text
`;

interface Options {
  only: string;
  level: string;
  lanes: string;
  json: boolean;
  /** Number of this lane, and number of lanes. */
  lane: string;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const { help: wantsHelp, ...options } = readOptions();
  if (wantsHelp) {
    process.stdout.write(help);
    return 0;
  }
  const levels = (await findLevels(say)).filter(({ level }) => String(level).startsWith(options.level));
  if (levels.length === 0 || casesOf(options).length === 0) {
    say(`There is no such case, or level ${options.level} is not available here.\n\n${help}`);
    return 2;
  }
  let escapes = 0;
  for (const level of levels) {
    const outcomes = options.lane === '' ? await runLanes(level, options) : await runLane(level, options);
    escapes += outcomes.filter(({ isEscape }) => isEscape).length;
  }
  // The parent evaluates the outcomes of a lane; another exit code than 0 means that the lane crashed.
  return escapes === 0 || options.lane !== '' ? 0 : 1;
}

function readOptions(): Options & { help: boolean } {
  const text = { type: 'string', default: '' } as const;
  const { values } = parseArgs({
    options: {
      only: text,
      level: text,
      lanes: { type: 'string', default: String(Math.min(4, availableParallelism())) },
      json: { type: 'boolean', default: false },
      lane: text,
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

function casesOf({ only }: Options): ReturnType<typeof readCorpus> {
  return readCorpus().filter((each) => `${each.id} ${each.class}`.includes(only));
}

/** Prints each outcome as a line of JSON. */
async function runLane(level: Level, options: Options): Promise<Outcome[]> {
  const [number = 0, lanes = 1] = options.lane.split('/').map(Number);
  const outcomes: Outcome[] = [];
  const stage = new Stage(level);
  try {
    await stage.prepare();
    for (const [index, attack] of casesOf(options).entries()) {
      if (index % lanes !== number) continue;
      const outcome = await stage.run(attack);
      process.stdout.write(`${JSON.stringify(outcome)}\n`);
      outcomes.push(outcome);
    }
  } finally {
    await stage.close();
  }
  return outcomes;
}

async function runLanes(level: Level, options: Options): Promise<Outcome[]> {
  const began = performance.now();
  if (!options.json) process.stdout.write(heading(level.level));
  const lanes = Array.from({ length: Number(options.lanes) }, (_, lane) =>
    startLane(level, lane, options, (outcome) =>
      process.stdout.write(options.json ? `${JSON.stringify(outcome)}\n` : row(outcome)),
    ),
  );
  const outcomes = (await Promise.all(lanes)).flat();
  if (!options.json) process.stdout.write(summary(outcomes, level.level, performance.now() - began));
  return outcomes;
}

async function startLane(
  { level }: Level,
  lane: number,
  { only, lanes }: Options,
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const args = ['--level', String(level), '--only', only, '--lane', `${lane}/${lanes}`];
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const outcomes: Outcome[] = [];
  for await (const line of createInterface(child.stdout)) {
    const outcome = JSON.parse(line) as Outcome;
    report(outcome);
    outcomes.push(outcome);
  }
  const status = await ended;
  if (status !== 0) throw new Error(`lane ${lane} ended with ${status}`);
  return outcomes;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function heading(level: number): string {
  return `\n## Level ${level}\n\n| Class | Case | Outcome | Reported | Time | Memory |\n| --- | --- | --- | --- | ---: | ---: |\n`;
}

function row({ isEscape, problems, reported, ...outcome }: Outcome): string {
  const word = problems.length === 0 ? 'contained' : isEscape ? 'ESCAPED' : 'not at this level';
  const figures = [`${outcome.milliseconds} ms`, `${outcome.peakMegabytes} MB`];
  const cells = [outcome.class, outcome.name, word, reported.join(', ') || 'inert', ...figures];
  const lines = problems.map((problem) => `  ${outcome.id}: ${problem.slice(0, 400)}\n`);
  return `| ${cells.join(' | ')} |\n${lines.join('')}`;
}

function summary(outcomes: readonly Outcome[], level: number, milliseconds: number): string {
  const escapes = outcomes.filter(({ isEscape }) => isEscape).length;
  const contained = outcomes.filter(({ problems }) => problems.length === 0).length;
  const slowest = Math.max(...outcomes.map((outcome) => outcome.milliseconds));
  const largest = Math.max(...outcomes.map(({ peakMegabytes }) => peakMegabytes));
  return `\nLevel ${level}: ${contained} of ${outcomes.length} contained, ${escapes} escapes, in ${Math.round(milliseconds / 1000)} s. The slowest took ${(slowest / 1000).toFixed(1)} s, the largest ${largest} MB.\n`;
}
