/** `docyard serve` prints secrets on a terminal only. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { cleanUp, temporaryFolder } from '../../test/support/test-context.ts';

const program = fileURLToPath(new URL('../../bin/docyard.js', import.meta.url));
const keyPattern = /docyard_[0-9A-Za-z]{36}/;
const linkPattern = /http:\/\/localhost:\d+\/dashboard\/setup#[\w-]{43}/;

interface Started {
  output: string;
  origin: string;
  stop(): Promise<string>;
}

async function start(
  dataDir: string,
  given: { args?: string[]; onTerminal?: boolean } = {},
): Promise<Started> {
  const words = [program, 'serve', '--port', '0', '--data', dataDir, '--no-sample', ...(given.args ?? [])];
  const line = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  const [command, args]: [string, string[]] = given.onTerminal
    ? ['script', ['--quiet', '--return', '--command', line, '/dev/null']]
    : [process.execPath, words];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  cleanUp(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await expect.poll(() => output, { timeout: 30_000 }).toContain('Press Ctrl-C to stop.');
  return {
    output,
    origin: /running at (\S+)/.exec(output)?.[1]?.replace('localhost', '127.0.0.1') ?? '',
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return output;
    },
  };
}

async function statusWith(origin: string, key: string): Promise<number> {
  const { status } = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  return status;
}

const modeOf = (file: string) => statSync(file).mode & 0o777;

describe('without a terminal', () => {
  test('the first start writes the key and the setup link to files of the owner and prints neither', async () => {
    const dataDir = temporaryFolder('data');
    const first = await start(dataDir);
    const files = { key: join(dataDir, 'admin-key'), link: join(dataDir, 'setup-link') };
    expect([modeOf(files.key), modeOf(files.link)]).toEqual([0o600, 0o600]);
    const key = readFileSync(files.key, 'utf8').trim();
    const link = readFileSync(files.link, 'utf8').trim();
    expect(link).toMatch(linkPattern);
    expect(await statusWith(first.origin, key)).toBe(200);
    expect(first.output).toContain(`The admin key is in ${files.key}`);
    expect(first.output).toContain(`open the link in ${files.link}`);
    expect(first.output).toContain(`export DOCYARD_API_KEY=$(cat ${files.key})`);
    const printed = await first.stop();
    expect(printed).not.toMatch(keyPattern);
    expect(printed).not.toMatch(/setup#/);
  });

  test('a restart while there is no user prints no setup link, also with a key file', async () => {
    const dataDir = temporaryFolder('data');
    const keyFile = join(temporaryFolder(), 'admin-key');
    for (let run = 1; run <= 2; run += 1) {
      const printed = await (await start(dataDir, { args: ['--admin-key-file', keyFile] })).stop();
      expect(printed).not.toMatch(keyPattern);
      expect(printed).not.toMatch(/setup#/);
      expect(readFileSync(join(dataDir, 'setup-link'), 'utf8')).toMatch(linkPattern);
    }
    expect(existsSync(join(dataDir, 'admin-key'))).toBe(false);
  });
});

test('a terminal shows the setup link and the admin key, the key only once', async () => {
  const dataDir = temporaryFolder('data');
  const first = await start(dataDir, { onTerminal: true });
  const [key = ''] = keyPattern.exec(first.output) ?? [];
  expect(await statusWith(first.origin, key)).toBe(200);
  expect(first.output).toMatch(linkPattern);
  expect(existsSync(join(dataDir, 'admin-key'))).toBe(false);
  await first.stop();
  const second = await start(dataDir, { onTerminal: true });
  expect(second.output).not.toMatch(keyPattern);
  expect(second.output).toContain(
    `Lost the admin key? Create another: npx docyard keys create --name "My key" --data ${dataDir}`,
  );
  await second.stop();
});

test('a start on a port in use creates nothing, and the next one is still a first start', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  cleanUp(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const dataDir = join(temporaryFolder(), 'data');
  const { docyard } = await import('../../test/support/run-command.ts');
  const failed = await docyard('serve', '--port', String(port), '--data', dataDir);
  expect(failed).toEqual({
    status: 1,
    stdout: '',
    stderr: `docyard: Port ${port} is already in use. Stop the other process or pass --port.\n`,
  });
  expect(existsSync(dataDir)).toBe(false);
  const next = await start(dataDir);
  expect(next.output).toContain('The admin key is in');
  expect(next.output).not.toContain('Lost the admin key?');
  await next.stop();
});
