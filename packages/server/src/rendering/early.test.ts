/** While the walls of a machine are still tried, a process may be started behind the likely ones; its order waits for the result. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing.ts';
import type { Confinement, Shelter } from './launch.ts';

const launched: Confinement[] = [];
const tried = { resolve: () => {} };
let holds: (confinement: Confinement) => boolean;

vi.mock(import('./launch.ts'), async (original) => {
  const real = await original();
  return {
    ...real,
    launch(shelter: Shelter, order) {
      launched.push(shelter.confinement);
      return real.launch(shelter, order);
    },
  };
});

vi.mock(import('./probe.ts'), async (original) => ({
  ...(await original()),
  async probe({ confinement }: Shelter) {
    await new Promise<void>((resolve) => (tried.resolve = resolve));
    return holds(confinement) ? { escapes: [] } : { failed: 'not here', complaint: '' };
  },
}));

beforeEach(() => {
  vi.resetModules();
  launched.length = 0;
});

/** A process that leaves a trace of each order it gets, in a file that it was handed. */
async function begin() {
  const { converse, firstFileDescriptor } = await import('./process.ts');
  const folder = temporaryFolder('early');
  const trace = join(folder, 'trace');
  writeFileSync(trace, '');
  const text = `import { fstatSync, writeSync } from 'node:fs';
process.once('message', ({ word }) => { writeSync(${firstFileDescriptor}, word, fstatSync(${firstFileDescriptor}).size); process.send(word); });`;
  writeFiles(folder, { 'child.mjs': text });
  const answer = converse<unknown>({
    program: join(folder, 'child.mjs'),
    order: Promise.resolve({ word: 'go' }),
    memoryMegabytes: 128,
    signal: new AbortController().signal,
    files: [{ path: trace, use: 'go on with' }],
    hear: (raw) => ({ answer: raw }),
  });
  await vi.waitUntil(() => launched.length === 1, { timeout: 20_000 });
  return { answer, orders: () => readFileSync(trace, 'utf8') };
}

async function tellUntil(ended: Promise<unknown>): Promise<unknown> {
  const timer = setInterval(() => tried.resolve(), 10);
  return ended.finally(() => clearInterval(timer));
}

test('it gets its order when they hold', async () => {
  holds = () => true;
  const { answer, orders } = await begin();
  expect(orders()).toBe('');
  expect(await tellUntil(answer)).toBe('go');
  expect(launched).toHaveLength(1);
});

test('it gets none when they do not: another one does, shut in by what was found', async () => {
  holds = ({ walls }) => !walls;
  const { answer, orders } = await begin();
  expect(await tellUntil(answer)).toBe('go');
  expect(orders()).toBe('go');
  expect(launched.map(({ walls }) => walls)).toEqual([true, false]);
});

test('an order that is worked out only when something is being prepared comes also where the folder is copied first', async () => {
  holds = () => true;
  const { converse } = await import('./process.ts');
  const folder = temporaryFolder('early-private');
  const [program, site] = [join(folder, 'child.mjs'), join(folder, 'site')];
  writeFiles(folder, { 'child.mjs': `process.once('message', ({ word }) => process.send(word));` });
  // Nobody else may read it.
  mkdirSync(site, { mode: 0o700 });
  const preparing = Promise.withResolvers<void>();
  const answer = converse<unknown>({
    program,
    order: preparing.promise.then(() => ({ word: 'go' })),
    onPreparing: preparing.resolve,
    memoryMegabytes: 128,
    signal: new AbortController().signal,
    readable: [site],
    hear: (raw) => ({ answer: raw }),
  });
  expect(await tellUntil(answer)).toBe('go');
});
