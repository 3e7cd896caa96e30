import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findIsolation } from '../../sandbox/isolation.ts';
import { runProgram } from '../../sandbox/run-program.ts';
import { runSamples } from './run-samples.ts';
import { sampleNotes, type SampleResult } from './sample.ts';

const isolation = await findIsolation();
if (isolation.level < 3) console.log(`Samples cannot be run here: ${isolation.statement}`);

const dataDir = mkdtempSync(join(tmpdir(), 'docyard-samples-'));
writeFileSync(join(dataDir, 'secret'), 'the secret of the service');
let connections = 0;
const server = createServer((socket) => {
  connections += 1;
  socket.destroy();
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

const sampleRunners = { bash: ['/bin/bash', '-s'] };
const setup = { isolation, sampleRunners, dataDir, signal: new AbortController().signal };

function sampleOf(code: string, line = 3) {
  return { path: 'guides/start.mdx', line, language: 'bash', code };
}

async function run(code: string): Promise<SampleResult> {
  const { results } = await runSamples([sampleOf(code)], setup);
  const [result] = results;
  if (result === undefined) throw new Error('The sample was not run.');
  return result;
}

/** Its exit code shows whether the attempt worked. */
async function worked(attempt: string): Promise<boolean> {
  return (await run(attempt)).exitCode === 0;
}

describe.skipIf(isolation.level < 3)('a sample', () => {
  test('passes with exit code 0, and nothing of what it printed is kept', async () => {
    expect(await run('echo hello | tr a-z A-Z')).toEqual({
      path: 'guides/start.mdx',
      line: 3,
      language: 'bash',
      exitCode: 0,
      problem: '',
      output: '',
    });
  });

  test('fails with its exit code and the start of its errors as plain text', async () => {
    const code = `echo progress; printf '\\033[31mno such\\0 flag\\033[0m\\nline two\\n' >&2; exit 3`;
    const result = await run(code);
    expect(result).toMatchObject({ exitCode: 3, problem: 'exit code 3', output: 'no such flag\nline two' });
    expect(sampleNotes({ results: [result] })).toEqual([
      {
        rule: 'sample',
        path: 'guides/start.mdx',
        message: 'The bash sample in line 3 failed: exit code 3.',
        outcome: 'draft',
      },
    ]);
  });

  test('keeps at most 4 KB of errors, and is not stopped for printing more', async () => {
    const { exitCode, output } = await run('for i in {1..20000}; do echo "error $i"; done >&2; exit 4');
    expect(exitCode).toBe(4);
    expect(output).toMatch(/^error 1\n/);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(4096);
  });

  test('starts in an empty folder, which the next sample does not see', async () => {
    const code = '[ -z "$(ls -A)" ] && echo text > file && [ "$(cat file)" = text ] && mktemp';
    expect(await worked(code)).toBe(true);
    expect(await worked(code)).toBe(true);
  });

  test('has no environment', async () => {
    const { output } = await run('env | cut -d= -f1 | sort; exit 1');
    expect(output.split('\n').filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  });

  test('reads no file outside the folders of the system', async () => {
    expect(await worked('head -1 /usr/bin/env > /dev/null')).toBe(true);
    const foreign = [
      '/etc/shadow',
      '/etc/passwd',
      join(dataDir, 'secret'),
      import.meta.filename,
      '/proc/1/environ',
    ];
    for (const path of foreign) expect(await worked(`cat ${path}`), path).toBe(false);
    const { output } = await run('ls -A /; exit 1');
    expect(output.split('\n')).not.toContain('root');
  });

  test('cannot write outside its folder', async () => {
    for (const path of ['/usr/bin/made', '/made', '/etc/made', '/dev/made', join(dataDir, 'made')])
      expect(await worked(`echo text > ${path}`), path).toBe(false);
    expect(readdirSync(dataDir)).toEqual(['secret']);
  });

  test('opens no connection', async () => {
    const { port } = server.address() as AddressInfo;
    expect(await worked(`exec 5<>/dev/tcp/127.0.0.1/${port}`)).toBe(false);
    expect(connections).toBe(0);
  });

  test('that forks endlessly is stopped', async () => {
    const { problem, output } = await run('bomb() { bomb | bomb & }; bomb; while :; do :; done');
    expect(problem).not.toBe('');
    expect(output).toContain('fork: ');
    expect(await worked('true')).toBe(true);
  }, 30_000);

  test('cannot write gigabytes', async () => {
    expect(await worked('for i in {1..40}; do head -c 50000000 /dev/urandom > file$i || exit 1; done')).toBe(
      false,
    );
  }, 30_000);

  test('cannot allocate gigabytes, alone or with its processes', async () => {
    expect(await worked(`a=x; while :; do a="$a$a"; done`)).toBe(false);
    const grow = `printf -v a '%*s' 100000000 ''; sleep 1000`;
    const { stopped } = await runProgram(isolation, {
      command: sampleRunners.bash,
      input: `for i in {1..12}; do { ${grow}; } & done; wait\n`,
      // A busy machine needs longer than a sample may take.
      maxSeconds: 60,
      memoryMegabytes: 512,
      hidden: [dataDir],
      signal: setup.signal,
    });
    expect(stopped).toBe('memory');
  }, 120_000);

  test('that prints without end is stopped', async () => {
    const { exitCode, problem } = await run('while :; do echo y; done');
    expect({ exitCode, problem }).toEqual({ exitCode: null, problem: 'stopped because it printed too much' });
  });

  test('that never ends is stopped after 10 seconds with everything that it started', async () => {
    const { exitCode, problem } = await run('(while :; do sleep 1; done) & trap "" TERM; sleep 1000');
    expect({ exitCode, problem }).toEqual({ exitCode: null, problem: 'stopped after 10 seconds' });
  }, 30_000);

  test('ends with its first process', async () => {
    const started = performance.now();
    expect(await worked('sleep 1000 & true')).toBe(true);
    expect(performance.now() - started).toBeLessThan(9000);
  });

  test('is stopped with the job', async () => {
    const stopping = AbortSignal.timeout(300);
    const result = runSamples([sampleOf('sleep 1000')], { ...setup, signal: stopping });
    await expect(result).rejects.toThrow('aborted due to timeout');
  });

  test('does not see a data folder inside a folder of the system', async () => {
    const inside = { ...setup, dataDir: '/usr/share' };
    const { results } = await runSamples([sampleOf('[ -z "$(ls -A /usr/share)" ]')], inside);
    expect(results).toMatchObject([{ exitCode: 0 }]);
  });

  test('is one of at most twenty, and a note names the others', async () => {
    const samples = Array.from({ length: 22 }, (_, index) => sampleOf('true', index));
    const { results, notRun } = await runSamples(samples, setup);
    expect(results).toHaveLength(20);
    expect(notRun).toEqual({ count: 2, reason: 'At most 20 samples are run.' });
  }, 30_000);
});

test.each([0, 1, 2] as const)(
  'at isolation level %i no sample is run, and a note says why',
  async (level) => {
    const marker = join(dataDir, 'ran');
    const weak = { ...setup, isolation: { ...isolation, level } };
    const runs = await runSamples([sampleOf(`echo > ${marker}`)], weak);
    expect(runs.results).toEqual([]);
    expect(sampleNotes(runs)).toEqual([
      {
        rule: 'sample',
        path: null,
        message: `Changed code samples that were not run: 1. Samples run only at isolation level 3, and this machine is at level ${level}.`,
        outcome: 'draft',
      },
    ]);
    expect(readdirSync(dataDir)).toEqual(['secret']);
  },
);
