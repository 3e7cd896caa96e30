/** The response cache merges concurrent loads and reloads changed, failed and expired entries. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InProcessChanges } from '../adapters/changes/in-process.ts';
import { ResponseCache } from './response-cache.ts';

/** A cache whose loads are counted and whose changes the test announces. */
function makeSource() {
  const changes = new InProcessChanges();
  const state = { isLive: true, loads: 0 };
  const watched = {
    get isLive() {
      return state.isLive;
    },
    listen: changes.listen.bind(changes),
  };
  const cache = new ResponseCache<string | undefined>(watched);
  const read = (key = 'a', value: string | undefined = `answer ${state.loads + 1}`) =>
    cache.read(key, 'job', async () => {
      state.loads += 1;
      return value;
    });
  return { changes, state, cache, read };
}

/** Resolves after all pending promise callbacks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('concurrent reads share one load', async () => {
  const { read, state } = makeSource();
  expect(await Promise.all([read(), read(), read()])).toEqual(['answer 1', 'answer 1', 'answer 1']);
  expect(state.loads).toBe(1);
});

test('an entry expires after one second', async () => {
  const { read, state } = makeSource();
  await read();
  vi.advanceTimersByTime(999);
  expect(await read()).toBe('answer 1');
  vi.advanceTimersByTime(1);
  expect(await read()).toBe('answer 2');
  expect(state.loads).toBe(2);
});

test('each key has its own entry', async () => {
  const { read } = makeSource();
  expect(await read('a', 'one')).toBe('one');
  expect(await read('b', 'other')).toBe('other');
  expect(await read('a', 'changed')).toBe('one');
});

describe('an announced change', () => {
  test('a read after an announced change loads the new value', async () => {
    const { read, changes } = makeSource();
    await read();
    changes.notify('another job');
    expect(await read()).toBe('answer 1');
    changes.notify('job');
    expect(await read()).toBe('answer 2');
  });

  test('a change that is announced during a load makes the next read load again', async () => {
    const { cache, changes } = makeSource();
    const slow = Promise.withResolvers<string>();
    const early = cache.read('a', 'job', () => slow.promise);
    changes.notify('job');
    const late = cache.read('a', 'job', async () => 'new');
    slow.resolve('old');
    expect(await early).toBe('old');
    expect(await late).toBe('new');
    expect(await cache.read('a', 'job', async () => 'newer')).toBe('new');
  });
});

describe('a frequently read entry', () => {
  /** Reads often enough, and waits long enough, for the next read to revalidate the entry. */
  async function readOften(source: ReturnType<typeof makeSource>) {
    for (let time = 0; time <= 10; time += 1) await source.read();
    vi.advanceTimersByTime(500);
  }

  test('a frequently read entry is reloaded before it expires, and reads get the old value meanwhile', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    const ask = () => source.cache.read('a', 'job', () => slow.promise);
    expect(await ask()).toBe('answer 1');
    expect(await ask()).toBe('answer 1');
    slow.resolve('new');
    await settled();
    expect(await source.read()).toBe('new');
    vi.advanceTimersByTime(999);
    expect(await source.read()).toBe('new');
    expect(source.state.loads).toBe(1);
  });

  test('a read waits for the reload once the old value has expired', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    const ask = () => source.cache.read('a', 'job', () => slow.promise);
    expect(await ask()).toBe('answer 1');
    vi.advanceTimersByTime(500);
    const waiting = [ask(), ask()];
    slow.resolve('new');
    expect(await Promise.all(waiting)).toEqual(['new', 'new']);
    expect(source.state.loads).toBe(1);
  });

  test('neither the old value nor the pending reload is served after a change', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    await source.cache.read('a', 'job', () => slow.promise);
    source.changes.notify('job');
    expect(await source.read('a', 'changed')).toBe('changed');
    slow.resolve('read before the change');
    await settled();
    expect(await source.read()).toBe('changed');
  });

  test('the next read loads again when the reload has failed', async () => {
    const source = makeSource();
    await readOften(source);
    const fail = () => source.cache.read('a', 'job', () => Promise.reject(new Error('away')));
    expect(await fail()).toBe('answer 1');
    await settled();
    expect(await source.read()).toBe('answer 2');
  });

  test('an expired entry leaves no listener and no timer', async () => {
    const source = makeSource();
    await readOften(source);
    await source.cache.read('a', 'job', async () => 'new');
    await settled();
    expect(await source.read()).toBe('new');
    vi.advanceTimersByTime(1000);
    expect(source.cache.size).toBe(0);
    expect(source.changes.listenedJobs).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a rarely read entry is not reloaded before it expires', async () => {
  const { read, state } = makeSource();
  await read();
  vi.advanceTimersByTime(900);
  expect(await read()).toBe('answer 1');
  expect(state.loads).toBe(1);
});

test('no entry is cached while changes are not received', async () => {
  const { read, state } = makeSource();
  state.isLive = false;
  expect(await Promise.all([read(), read()])).toEqual(['answer 1', 'answer 1']);
  expect(await read()).toBe('answer 2');
});

test('an entry is not served after the connection for changes is lost', async () => {
  const { read, state } = makeSource();
  await read();
  state.isLive = false;
  expect(await read()).toBe('answer 2');
});

test('failed and undefined results are returned to the waiting reads and not cached', async () => {
  const { read, cache, state } = makeSource();
  const fail = () => cache.read('a', 'job', async () => Promise.reject(new Error('away')));
  const both = await Promise.allSettled([fail(), fail()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await cache.read('a', 'job', async () => undefined)).toBeUndefined();
  expect(await read()).toBe('answer 1');
  expect(state.loads).toBe(1);
});

test('the cache holds a limited number of entries and removes all of them when they expire', async () => {
  const { read, cache, changes } = makeSource();
  for (let index = 0; index < 10_050; index += 1) await read(String(index));
  expect(cache.size).toBe(10_000);
  expect(changes.listenedJobs).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(cache.size).toBe(0);
  expect(changes.listenedJobs).toBe(0);
});
