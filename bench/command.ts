/** Runs a command and measures its time, the processor time of its process tree, and its peak memory. */
import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { watchTree } from './process-tree.ts';

export interface Command {
  command: readonly string[];
  cwd?: string;
  environment?: Record<string, string>;
  timeLimitSeconds?: number;
}

export interface Run {
  seconds: number;
  cpuSeconds: number;
  peakBytes: number;
  output: string;
}

/** Generators must not send telemetry or look for updates while they are measured. */
const quiet = {
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  NODE_ENV: 'production',
  CI: '1',
};

/** `times` of the shell covers all processes that it has waited for. */
const timed = '"$@" >&3 3>&-; status=$?; times; exit $status';

export async function run({ command, cwd, environment, timeLimitSeconds }: Command): Promise<Run> {
  // Writes of the previous run must not be flushed during this one.
  spawnSync('sync');
  const began = performance.now();
  const child = spawn('bash', ['-c', timed, 'measure', ...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...quiet, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    /** A process group, so that the whole tree can be killed. */
    detached: true,
  });
  const end = (): void => endGroup(child.pid);
  process.once('exit', end);
  const watched = watchTree(child.pid ?? 0);
  const [times, said, output] = [child.stdout, child.stderr, child.stdio[3]].map((stream) => {
    const heard = { text: '' };
    (stream as NodeJS.ReadableStream).setEncoding('utf8');
    stream?.on('data', (text: string) => (heard.text = (heard.text + text).slice(-100_000)));
    return heard;
  });
  let isTooLong = false;
  const timer = setTimeout(
    () => {
      isTooLong = true;
      end();
    },
    (timeLimitSeconds ?? 86_400) * 1000,
  );
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - began) / 1000;
  clearTimeout(timer);
  process.off('exit', end);
  const { peakBytes, cpuSeconds } = watched();
  if (isTooLong) throw new TimeLimitError(timeLimitSeconds ?? 0, peakBytes);
  if (status !== 0)
    throw new Error(
      `it ended with status ${status}, and said: ${complaintOf(`${output?.text}\n${said?.text}`)}`,
    );
  return {
    seconds,
    // `times` misses sandboxed processes that are killed with their sandbox.
    cpuSeconds: Math.max(cpuSeconds, childSeconds(times?.text ?? '')),
    peakBytes,
    output: output?.text ?? '',
  };
}

export class TimeLimitError extends Error {
  readonly limitSeconds: number;
  readonly peakBytes: number;

  constructor(limitSeconds: number, peakBytes: number) {
    super(`it was ended after ${limitSeconds} s`);
    this.limitSeconds = limitSeconds;
    this.peakBytes = peakBytes;
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already exited.
  }
}

/** The first line is the time of the shell, the second that of its children. */
function childSeconds(times: string): number {
  const found = [...(times.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
}

function complaintOf(said: string): string {
  const lines = said.split('\n').map((line) => line.trim());
  const complaint =
    lines.find((line) => /\w*error: /i.test(line)) ??
    lines.find((line) => /error/i.test(line)) ??
    lines.findLast((line) => line !== '');
  // Removes machine paths and terminal colors.
  const plain = complaint && stripVTControlCharacters(complaint).replaceAll(/(?:file:\/)?\/[\w@./-]+\//g, '');
  return plain?.slice(0, 300) ?? 'nothing';
}
