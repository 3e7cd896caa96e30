/** The log of `serve` and `site`: readable on a terminal, JSON for machines. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cleanUp, temporaryFolder } from '../../test/support/test-context.ts';

const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));

interface Run {
  onTerminal: boolean;
  environment?: Record<string, string>;
  wrapper?: string[];
  until: RegExp;
}

async function outputOf(
  words: string[],
  { onTerminal, environment = {}, wrapper = [], until }: Run,
): Promise<string> {
  const all = [...wrapper, process.execPath, program, ...words];
  const line = all.map((word) => `'${word}'`).join(' ');
  const [command, ...args]: [string, ...string[]] = onTerminal
    ? ['/usr/bin/script', '--quiet', '--return', '--command', line, '/dev/null']
    : [process.execPath, program, ...words];
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...environment },
  });
  cleanUp(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await expect.poll(() => output, { timeout: 30_000 }).toMatch(until);
  child.kill('SIGTERM');
  await ended;
  return output.replaceAll('\r', '');
}

/** Hides /usr/bin/bwrap. */
const withoutBubblewrap = [
  'bwrap',
  '--dev-bind',
  '/',
  '/',
  '--tmpfs',
  '/usr/bin',
  ...['git', 'sh', 'prlimit'].flatMap((name) => ['--ro-bind', `/usr/bin/${name}`, `/usr/bin/${name}`]),
];

const serve = (...more: string[]) => [
  'serve',
  '--port',
  '0',
  '--data',
  temporaryFolder('data'),
  '--no-sample',
  ...more,
];
const missing = /bubblewrap \(bwrap\) is not installed; install/;

test('serve reports a missing bubblewrap on a terminal in one line with install instructions', async () => {
  const output = await outputOf(serve('--log-level', 'warn'), {
    onTerminal: true,
    wrapper: withoutBubblewrap,
    until: missing,
  });
  expect(output).toMatch(
    /^\d\d:\d\d:\d\d warn {2}isolation: .*bubblewrap \(bwrap\) is not installed; install [^\n]*$/m,
  );
  expect(output).not.toContain('{"level"');
});

test('the log is JSON without a terminal, and on one with --log-format json', async () => {
  const until = /"msg":"isolation: /;
  for (const run of [
    { words: serve(), onTerminal: false },
    { words: serve('--log-format', 'json'), onTerminal: true },
  ]) {
    const output = await outputOf(run.words, { onTerminal: run.onTerminal, until });
    const lines = output.split('\n').filter((line) => line.startsWith('{'));
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('msg');
  }
});

test('site prints readable lines on a terminal', async () => {
  const words = ['site', '--port', '0', '--data', temporaryFolder('site'), '--log-level', 'debug'];
  const environment = { STATIC_EXPORT_BUNDLE_URL: join(temporaryFolder(), 'missing.tar.gz') };
  const output = await outputOf(words, { onTerminal: true, environment, until: /^\d\d:\d\d:\d\d \w+ /m });
  expect(output).not.toContain('{"level"');
});
