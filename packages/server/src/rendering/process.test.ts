/** A process is heard to its last word, and gone afterwards. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing.ts';
import { converse, outputDescriptor, ProcessDied, type Conversation } from './process.ts';

const never = new AbortController().signal;

function program(text: string): string {
  const folder = temporaryFolder('process');
  writeFiles(folder, { 'child.mjs': text });
  return join(folder, 'child.mjs');
}

function talk(text: string, signal = never): Promise<unknown> {
  return converse<unknown>({
    program: program(text),
    order: { size: 300_000 },
    memoryMegabytes: 128,
    signal,
    hear: (raw) => ({ answer: raw }),
  });
}

test('a long answer arrives whole, also when the process leaves at once', async () => {
  const answer = await talk(
    `process.once('message', ({ size }) => process.send('x'.repeat(size), () => process.exit()));`,
  );
  expect(String(answer).length).toBe(300_000);
});

test('the process has nothing of our environment but the way to programs', async () => {
  process.env['DOCYARD_CANARY'] = 'secret';
  const names = await talk(`process.once('message', () => process.send(Object.keys(process.env)));`);
  delete process.env['DOCYARD_CANARY'];
  expect(names).toContain('PATH');
  expect(names).not.toContain('DOCYARD_CANARY');
});

test('an end without an answer tells why', async () => {
  await expect(talk(`process.once('message', () => process.exit(3));`)).rejects.toThrow(/ended early \(3\)/);
  const hungry = `process.once('message', () => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); });`;
  const death = await talk(hungry).catch((error: unknown) => error);
  expect(death).toBeInstanceOf(ProcessDied);
  expect((death as ProcessDied).outOfMemory).toBe(true);
});

test('when the signal says so, the process and what it started are gone', async () => {
  const abort = new AbortController();
  let started = 0;
  const ended = converse<never>({
    program: program(`
      import { spawn } from 'node:child_process';
      process.once('message', () => process.send(spawn('sleep', ['600']).pid));
    `),
    order: {},
    memoryMegabytes: 128,
    signal: abort.signal,
    hear(raw) {
      started = Number(raw);
      abort.abort();
      return undefined;
    },
  });
  await expect(ended).rejects.toThrow(ProcessDied);
  await expect.poll(() => isAlive(started)).toBe(false);
});

describe('what a process writes', () => {
  const write = (text: string) =>
    `import { writeSync } from 'node:fs';
     process.once('message', () => { const part = Buffer.alloc(1_000_000); ${text} });`;
  const take = (text: string, takeOutput: NonNullable<Conversation<unknown>['takeOutput']>) =>
    converse<unknown>({
      program: program(write(text)),
      order: {},
      memoryMegabytes: 128,
      signal: never,
      hear: (raw) => (typeof raw === 'number' ? void (told = raw) : { answer: raw }),
      takeOutput,
    });
  let told = 0;

  test('arrives whole, and no faster than it is taken', async () => {
    let took = 0;
    const work = `for (let n = 1; n <= 20; n += 1) { process.send(n); writeSync(${outputDescriptor}, part); } process.send('done');`;
    const answer = await take(work, async (output) => {
      await expect.poll(() => told).toBe(1);
      for await (const chunk of output as AsyncIterable<Buffer>) {
        took += chunk.length;
        // One part is under way and one has been announced; the pipe holds less than one.
        expect(told * 1_000_000).toBeLessThan(took + 3_000_000);
      }
    });
    expect([answer, took]).toEqual(['done', 20_000_000]);
  });

  test('is not taken for whole when the process dies half way', async () => {
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

  test('ends the process when nobody can take it, with the reason of who could not', async () => {
    const work = `process.send(process.pid); for (;;) writeSync(${outputDescriptor}, part);`;
    const refused = take(work, async () => {
      await expect.poll(() => told).toBeGreaterThan(20);
      throw new Error('the store is full');
    });
    await expect(refused).rejects.toThrow('the store is full');
    expect(isAlive(told)).toBe(false);
  });
});

/** A killed process may stay in the table for a while, until somebody asks how it ended. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
