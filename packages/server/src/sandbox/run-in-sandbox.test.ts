import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { findIsolation } from './isolation.ts';
import {
  runSandboxed,
  firstFileDescriptor,
  outputDescriptor,
  ProcessDiedError,
  type SandboxedRun,
} from './sandbox.ts';

const never = new AbortController().signal;

function program(text: string): string {
  const folder = temporaryFolder('process');
  writeFiles(folder, { 'child.mjs': text });
  return join(folder, 'child.mjs');
}

function talk(text: string, more: Partial<SandboxedRun<unknown>> = {}): Promise<unknown> {
  return runSandboxed<unknown>({
    program: program(text),
    order: { size: 300_000 },
    memoryMegabytes: 128,
    signal: never,
    onMessage: (raw) => ({ answer: raw }),
    ...more,
  });
}

test('a long answer arrives completely even when the process exits immediately', async () => {
  const answer = await talk(
    `process.once('message', ({ size }) => process.send('x'.repeat(size), () => process.exit()));`,
  );
  expect(String(answer).length).toBe(300_000);
});

/** Only processes of root run as another user. */
test.skipIf(process.getuid?.() !== 0)('a process that cannot read every file gets a copy', async () => {
  const folder = temporaryFolder('partly-private');
  writeFiles(folder, { 'open.md': 'open', 'inside/private.md': 'private' });
  for (const path of [folder, join(folder, 'inside')]) chmodSync(path, 0o755);
  chmodSync(join(folder, 'inside/private.md'), 0o600);
  const heard: unknown[] = [];
  const answer = await talk(
    `import { readFileSync } from 'node:fs';
process.once('message', ({ file }) => {
  try { process.send(readFileSync(file, 'utf8')); } catch (error) { process.send(error.code); }
});`,
    {
      order: { file: join(folder, 'inside/private.md') },
      readable: [folder],
      onMessage(raw) {
        heard.push(raw);
        return { answer: raw };
      },
    },
  );
  expect(answer).toBe('private');
  expect(heard).toEqual(['private']);
});

test('a run that is aborted before it starts does not start a process', async () => {
  const signal = AbortSignal.abort(new Error('called off'));
  const nothing = `process.once('message', () => process.send(1));`;
  await expect(talk(nothing, { signal })).rejects.toThrow('called off');
});

test('bytes arrive as bytes, both ways', async () => {
  const bytes = Buffer.from([0, 255, 10, 34]);
  const echo = `process.once('message', (message) => process.send(message));`;
  expect(await talk(echo, { order: { bytes, id: 1 } })).toEqual({ bytes, id: 1 });
});

test('the process does not inherit the environment', async () => {
  process.env['DOCYARD_CANARY'] = 'secret';
  const names = await talk(`process.once('message', () => process.send(Object.keys(process.env)));`);
  delete process.env['DOCYARD_CANARY'];
  expect(names).not.toContain('DOCYARD_CANARY');
  expect(names).not.toContain('HOME');
});

test('the process reads its mounts and writes its inherited files', async () => {
  const folder = temporaryFolder('given');
  writeFiles(folder, { 'docs/page.mdx': 'Hello.', 'docs/data/key': 'secret', out: '' });
  const work = `
    import { existsSync, readFileSync, writeSync } from 'node:fs';
    process.once('message', ({ docs }) => {
      writeSync(${firstFileDescriptor}, readFileSync(docs + '/page.mdx', 'utf8').toUpperCase());
      process.send(existsSync(docs + '/data/key'));
    });`;
  const docs = join(folder, 'docs');
  const seen = await talk(work, {
    order: { docs },
    readable: [docs],
    hidden: [join(docs, 'data')],
    files: [{ path: join(folder, 'out'), use: 'write' }],
  });
  expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('HELLO.');
  // Below level 2 nothing can be hidden.
  expect(seen).toBe((await findIsolation()).level < 2);
});

test('the process reads files of any mode, and their modes do not change', async () => {
  const read = `
    import { readFileSync } from 'node:fs';
    process.once('message', ({ file }) => process.send(readFileSync(file, 'utf8')));`;
  const folder = temporaryFolder('deep');
  writeFiles(folder, { 'docs.json': '{}', 'guides/deep/page.mdx': 'Hello.' });
  chmodSync(folder, 0o755);
  const file = join(folder, 'guides/deep/page.mdx');
  for (const mode of [0o644, 0o600]) {
    chmodSync(file, mode);
    expect(await talk(read, { order: { file }, readable: [folder] })).toBe('Hello.');
    expect(statSync(file).mode & 0o777).toBe(mode);
  }
});

test('an exit without an answer is reported with its cause', async () => {
  await expect(talk(`process.once('message', () => process.exit(3));`)).rejects.toThrow(/ended early \(3\)/);
  const hungry = `process.once('message', () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); });`;
  const death = await talk(hungry).catch((error: unknown) => error);
  expect(death).toBeInstanceOf(ProcessDiedError);
  expect((death as ProcessDiedError).outOfMemory).toBe(true);
});

test('the abort signal kills the process and its children', async () => {
  const abort = new AbortController();
  const folder = temporaryFolder('heartbeat');
  const beats = join(folder, 'beats');
  const beat = `const { writeSync } = require('fs'); setInterval(() => writeSync(${firstFileDescriptor}, '.'), 5);`;
  const stdio = JSON.stringify(['ignore', 'ignore', 'ignore', 'ignore', 'ignore', firstFileDescriptor]);
  const ended = talk(
    `import { spawn } from 'node:child_process';
     process.once('message', () => {
       spawn(process.execPath, ['--eval', ${JSON.stringify(beat)}], { stdio: ${stdio} });
     });
     setInterval(() => undefined, 1000);`,
    {
      processes: 1,
      signal: abort.signal,
      files: [{ path: beats, use: 'write' }],
      onMessage: () => undefined,
    },
  ).catch((error: unknown) => error);
  const count = () => readFileSync(beats).length;
  await expect.poll(() => (existsSync(beats) ? count() : 0), { timeout: 30_000 }).toBeGreaterThan(3);
  abort.abort();
  expect(await ended).toBeInstanceOf(ProcessDiedError);
  let before = -1;
  await expect
    .poll(
      () => {
        const [last, now] = [before, count()];
        before = now;
        return now - last;
      },
      { interval: 100 },
    )
    .toBe(0);
});

describe('the output of a process', () => {
  const write = (text: string) =>
    `import { writeSync } from 'node:fs';
     process.once('message', () => { const part = Buffer.alloc(1_000_000); ${text} });`;
  const take = (text: string, takeOutput: NonNullable<SandboxedRun<unknown>['takeOutput']>) =>
    talk(write(text), {
      onMessage: (raw) => (typeof raw === 'number' ? void (reported = raw) : { answer: raw }),
      takeOutput,
    });
  let reported = 0;

  test('arrives completely and with backpressure', async () => {
    let took = 0;
    const work = `for (let n = 1; n <= 20; n += 1) { process.send(n); writeSync(${outputDescriptor}, part); } process.send('done');`;
    const answer = await take(work, async (output) => {
      await expect.poll(() => reported, { timeout: 30_000 }).toBe(1);
      for await (const chunk of output as AsyncIterable<Buffer>) {
        took += chunk.length;
        // One chunk is in flight and one announced; the pipe holds less than one.
        expect(reported * 1_000_000).toBeLessThan(took + 3_000_000);
      }
    });
    expect([answer, took]).toEqual(['done', 20_000_000]);
  });

  test('is incomplete when the process dies', async () => {
    let ended = false;
    const died = take(
      `writeSync(${outputDescriptor}, part); process.kill(process.pid, 'SIGKILL');`,
      async (output, answered) => {
        await buffer(output);
        ended = true;
        await answered;
      },
    );
    await expect(died).rejects.toThrow(/ended early \(SIGKILL\)/);
    expect(ended).toBe(true);
  });

  test('kills the process when its reader fails, with the error of the reader', async () => {
    const work = `for (let n = 1; ; n += 1) { process.send(n); writeSync(${outputDescriptor}, part); }`;
    let stream: Readable | undefined;
    const refused = take(work, async (output) => {
      stream = output;
      await expect.poll(() => reported, { timeout: 30_000 }).toBeGreaterThan(0);
      throw new Error('the store is full');
    });
    await expect(refused).rejects.toThrow('the store is full');
    // The pipe closes with the process.
    stream?.resume();
    await expect.poll(() => stream?.closed, { timeout: 30_000 }).toBe(true);
  });
});
