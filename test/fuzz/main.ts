/** `npm run fuzz`: runs every target. Exits with 1 when a promise was broken, a process died or a run hung. */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Order, Progress } from './process.ts';
import { targets } from './targets/index.ts';

const help = `Passes malformed input to everything that reads untrusted text.

  npm run fuzz -- [--runs N] [--only TEXT] [--from N]

  --runs N      inputs for each target (20000)
  --only TEXT   only targets whose name contains this
  --from N      the number of the first input (1); the number reproduces the input
  --help        this text
`;

/** A run takes milliseconds; only a hanging one is silent for so long. */
const silenceMs = 30_000;

interface Tally {
  taken: number;
  refused: number;
  broken: { run: number; message: string }[];
  died: { run: number; how: string }[];
  slowestMs: number;
  slowestRun: number;
}

process.exitCode = await main();
process.exit();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '20000' },
      only: { type: 'string', default: '' },
      from: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const from = Number(values.from);
  const runs = Number(values.runs);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(runs) || runs < 1) {
    process.stderr.write(`--runs and --from are whole numbers.\n\n${help}`);
    return 2;
  }
  const chosen = targets.filter(({ name }) => name.includes(values.only));
  process.stdout.write(
    `| Target | Inputs | Taken | Refused | Promises broken | Deaths | Slowest |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n`,
  );
  let failures = 0;
  for (const { name, promise } of chosen) {
    const tally = await fuzz({ target: name, from, to: from + runs, everyRun: false });
    const { taken, refused, broken, died, slowestMs, slowestRun } = tally;
    failures += broken.length + died.length;
    const slowest = `${Math.round(slowestMs)} ms (${slowestRun})`;
    process.stdout.write(
      `| ${name} | ${runs} | ${taken} | ${refused} | ${broken.length} | ${died.length} | ${slowest} |\n`,
    );
    for (const { run, message } of broken.slice(0, 10))
      process.stderr.write(`BROKEN  ${name}, input ${run}: ${promise}; but ${message.slice(0, 500)}\n`);
    for (const { run, how } of died.slice(0, 10))
      process.stderr.write(`DIED    ${name}, input ${run}: ${how}\n`);
  }
  process.stdout.write(failures === 0 ? 'Every promise held.\n' : `${failures} inputs broke a promise.\n`);
  return failures === 0 ? 0 : 1;
}

/** Continues after an input that killed the process. */
async function fuzz(order: Order): Promise<Tally> {
  const tally: Tally = { taken: 0, refused: 0, broken: [], died: [], slowestMs: 0, slowestRun: order.from };
  let rest = order;
  for (;;) {
    const death = await runProcess(rest, tally);
    if (death === undefined) return tally;
    // Progress arrives twice a second; the inputs since then are repeated one by one to find the fatal one.
    const deadly = rest.everyRun ? death : undefined;
    if (deadly !== undefined) tally.died.push(deadly);
    if (tally.died.length >= 20) return tally;
    rest = {
      ...order,
      from: deadly === undefined ? death.run : deadly.run + 1,
      everyRun: deadly === undefined,
    };
    if (rest.from >= order.to) return tally;
  }
}

function runProcess(order: Order, tally: Tally): Promise<{ run: number; how: string } | undefined> {
  return new Promise((resolve) => {
    const child = fork(new URL('process.ts', import.meta.url), {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let at = order.from;
    let complaint = '';
    let isDone = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2000);
    });
    const kill = (): boolean => child.kill('SIGKILL');
    let timer = setTimeout(kill, silenceMs);
    child.on('message', (progress: Progress) => {
      clearTimeout(timer);
      timer = setTimeout(kill, silenceMs);
      if (progress.type === 'at') at = progress.run;
      if (progress.type === 'broken') tally.broken.push(progress);
      if (progress.type === 'done') {
        isDone = true;
        tally.taken += progress.taken;
        tally.refused += progress.refused;
        if (progress.slowestMs > tally.slowestMs)
          Object.assign(tally, { slowestMs: progress.slowestMs, slowestRun: progress.slowestRun });
      }
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(isDone ? undefined : { run: at, how: `${signal ?? code}: ${complaint.trim().slice(-300)}` });
    });
    child.send(order);
  });
}
