/** What processes share that read strangers' files: compiled code, written by none of them, and the bytes they make. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { converseIn } from '../rendering/conversation.ts';
import { findIsolation, unconfined } from '../rendering/isolation.ts';
import { temporaryFolder, writeFiles } from '../testing.ts';
import { compiledCode } from '../rendering/own-files.ts';
import { exportOfSample, keepCompiledCode } from './compiled-code.ts';

const isolation = await findIsolation();
if (isolation.level < 2) console.log(`Behind walls nothing is tried here: ${isolation.statement}`);

test.skipIf(isolation.level < 2)(
  'compiled code is kept by an export of our own, read by the next processes, and never written by them',
  async () => {
    enableCompileCache(temporaryFolder('compiled'));
    const folder = getCompileCacheDir() ?? '';
    await keepCompiledCode();
    const kept = compiledCode(0).map(({ source }) => readdirSync(source).length);
    // Of the process that exports, and of the one that renders its pages and is ended as soon as they are there.
    expect(kept.filter((files) => files > 100).length).toBeGreaterThanOrEqual(2);
    const program = join(temporaryFolder('looking'), 'look.mjs');
    writeFiles(join(program, '..'), { 'look.mjs': look });
    const seen = await converseIn(isolation, {
      program,
      order: {},
      // As much as an export, since Node keeps what it compiled apart for each size of the heap.
      memoryMegabytes: 768,
      signal: AbortSignal.timeout(60_000),
      hear: (raw) => ({ answer: raw }),
    });
    // Other tests compile at the same time, and what they write is theirs until somebody opens it to all.
    expect(seen).toMatchObject({ writing: 'EROFS' });
    expect((seen as { readable: number }).readable).toBeGreaterThan(100);
    expect(readdirSync(folder)).not.toContain('poison');
  },
);

const look = `
import { accessSync, constants, readdirSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
process.once('message', () => {
  const folder = getCompileCacheDir();
  let writing = 'done';
  try { writeFileSync(folder + '/poison', ''); } catch (error) { writing = error.code; }
  const isReadable = (name) => {
    try { accessSync(folder + '/' + name, constants.R_OK); return true; } catch { return false; }
  };
  process.send({ readable: readdirSync(folder).filter(isReadable).length, writing });
});`;

test.skipIf(isolation.level < 2)('a site gives the same bytes behind walls and without them', async () => {
  const bundleIn = async (shelter: Parameters<typeof converseIn>[0]) => {
    const hash = createHash('sha256');
    const conversation = exportOfSample(temporaryFolder('bundle'), AbortSignal.timeout(120_000));
    await converseIn(shelter, {
      ...conversation,
      takeOutput: async (output) => {
        for await (const chunk of output as AsyncIterable<Buffer>) hash.update(chunk);
      },
    });
    return hash.digest('hex');
  };
  expect(await bundleIn(isolation)).toBe(await bundleIn({ confinement: unconfined, own: isolation.own }));
});
