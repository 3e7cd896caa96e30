/** A few rounds with a fixed seed, and the lock of the data folder. `npm run torture` is the long version. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { program, startService } from '../service.ts';
import { torture } from './torture.ts';

test('six kills lose nothing', { timeout: 180_000 }, async () => {
  const figures = await torture({ rounds: 6, seed: 10 });
  expect(figures.problems).toEqual([]);
  expect(figures).toMatchObject({ lost: 0, stuck: 0, torn: 0, duplicated: 0, resurrected: 0, secondJobs: 0 });
  expect(figures).toMatchObject({ other: 0, leakedProcesses: 0, rounds: 6 });
  expect(figures.acknowledgedStarts).toBeGreaterThan(0);
  expect(figures.wholeArchives).toBeGreaterThan(0);
});

test('a data folder serves one process; after kill −9 the next one takes over', async () => {
  const first = await startService({ sample: false });
  try {
    const second = await serveUntilItEnds(first.dataDir);
    expect(second.status).toBe(1);
    expect(second.complaint).toBe(
      `docyard: Another docyard process (pid ${first.pid}) is using ${first.dataDir}. Stop it first, or choose another folder with --data.\n`,
    );
    expect((await first.request('/readyz')).status).toBe(200);
  } finally {
    await first.kill();
  }
  const next = await startService({ dataDir: first.dataDir, sample: false });
  expect((await next.request('/v1/me')).status).toBe(200);
  expect(await next.stop()).toBe(0);
});

async function serveUntilItEnds(dataDir: string): Promise<{ status: number | null; complaint: string }> {
  const args = [program, 'serve', '--port', '0', '--data', dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, complaint };
}
