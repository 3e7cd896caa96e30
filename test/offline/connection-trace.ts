/** Records with strace every address that a process and its children try to reach. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithTest, temporaryFolder } from '../temporary-resources.ts';

export interface Trap {
  /** Attempts so far, as `address:port`. DNS queries count as outside. */
  tried(): { outside: string[]; here: string[] };
  /** Resolves once every traced process has exited. */
  close(): Promise<void>;
}

/** Why nothing can be traced here, or undefined. */
export function whyNoTrap(): string | undefined {
  const command = inNamespace(['strace', '-f', '-qq', '-e', 'trace=connect', 'true']);
  const { error, status, stderr } = spawnSync(command[0] ?? '', command.slice(1), { encoding: 'utf8' });
  if (error === undefined && status === 0) return undefined;
  return `a network namespace with strace inside cannot be had (${stderr?.trim().split('\n').at(-1) ?? error?.message})`;
}

/** Runs the command in a namespace that has only loopback. */
export function inNamespace(command: readonly string[]): string[] {
  const isRoot = process.getuid?.() === 0;
  const withLoopback = 'ip link set lo up && exec "$@"';
  return ['unshare', isRoot ? '-n' : '-rn', 'sh', '-c', withLoopback, 'sh', ...command];
}

const traced = ['-f', '-qq', '-s', '0', '-e', 'signal=none', '-e', 'trace=connect,sendto,sendmsg,sendmmsg'];

/** Runs a command in such a namespace and returns the addresses it tried. */
export async function triedBy(
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ status: number | null; outside: string[]; here: string[] }> {
  const file = join(temporaryFolder('trap'), 'calls');
  const [program = '', ...args] = inNamespace(['strace', ...traced, '-o', file, '--', ...command]);
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...environment } });
  endWithTest(child);
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { status, ...attemptsIn(readFileSync(file, 'utf8')) };
}

/** Attaches to a process that has just started. */
export function setTrap(child: ChildProcess): Trap {
  const file = join(temporaryFolder('trap'), 'calls');
  const args = [...traced, '-o', file, '-p', String(child.pid)];
  const strace = spawn('strace', args, { stdio: 'ignore' });
  endWithTest(strace);
  const ended = new Promise<void>((resolve) => strace.once('exit', () => resolve()));
  return {
    tried: () => attemptsIn(existsSync(file) ? readFileSync(file, 'utf8') : ''),
    async close() {
      await Promise.race([ended, pause(10_000)]);
      strace.kill('SIGKILL');
    },
  };
}

const addressed =
  /(?:sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\))|(?:sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)")/;
const loopback = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const nameServer = '53';

function attemptsIn(text: string): { outside: string[]; here: string[] } {
  const outside = new Set<string>();
  const here = new Set<string>();
  for (const line of text.split('\n')) {
    const [, port = '', address, port6 = '', address6] = addressed.exec(line) ?? [];
    const found = address ?? address6;
    if (found === undefined) continue;
    const isHere = loopback.test(found) && (port || port6) !== nameServer;
    (isHere ? here : outside).add(`${found}:${port || port6}`);
  }
  return { outside: [...outside].toSorted(), here: [...here].toSorted() };
}
