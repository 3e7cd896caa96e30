/** Many ask at once and the database is asked once; what has changed, failed or grown old is read again. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { InProcessChanges } from '../adapters/changes/in-process.ts';
import { ResponseCache } from './response-cache.ts';

/** A source whose answers are given by hand. */
function makeSource() {
  const changes = new InProcessChanges();
  const state = { isLive: true, loads: 0 };
  const watched = {
    get isLive() {
      return state.isLive;
    },
    listen: changes.listen.bind(changes),
  };
  const remembered = new ResponseCache<string | undefined>(watched);
  const read = (key = 'a', value: string | undefined = `answer ${state.loads + 1}`) =>
    remembered.read(key, 'job', async () => {
      state.loads += 1;
      return value;
    });
  return { changes, state, remembered, read };
}

/** Whatever is ready has been told to those who wait for it. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('those who ask at the same time share one answer', async () => {
  const { read, state } = makeSource();
  expect(await Promise.all([read(), read(), read()])).toEqual(['answer 1', 'answer 1', 'answer 1']);
  expect(state.loads).toBe(1);
});

test('an answer is remembered for less than a second', async () => {
  const { read, state } = makeSource();
  await read();
  vi.advanceTimersByTime(999);
  expect(await read()).toBe('answer 1');
  vi.advanceTimersByTime(1);
  expect(await read()).toBe('answer 2');
  expect(state.loads).toBe(2);
});

test('each key has its own answer', async () => {
  const { read } = makeSource();
  expect(await read('a', 'one')).toBe('one');
  expect(await read('b', 'other')).toBe('other');
  expect(await read('a', 'changed')).toBe('one');
});

describe('a change', () => {
  test('is seen by whoever asks after it was told', async () => {
    const { read, changes } = makeSource();
    await read();
    changes.notify('another job');
    expect(await read()).toBe('answer 1');
    changes.notify('job');
    expect(await read()).toBe('answer 2');
  });

  test('that is told while the answer is on its way makes the next one ask again', async () => {
    const { remembered, changes } = makeSource();
    const slow = Promise.withResolvers<string>();
    const early = remembered.read('a', 'job', () => slow.promise);
    changes.notify('job');
    const late = remembered.read('a', 'job', async () => 'new');
    slow.resolve('old');
    expect(await early).toBe('old');
    expect(await late).toBe('new');
    expect(await remembered.read('a', 'job', async () => 'newer')).toBe('new');
  });
});

describe('what is asked for often', () => {
  /** Asked for ten times, and old enough to be read again. */
  async function readOften(source: ReturnType<typeof makeSource>) {
    for (let time = 0; time <= 10; time += 1) await source.read();
    vi.advanceTimersByTime(500);
  }

  test('is read again before it is forgotten, and whoever asks meanwhile does not wait', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    const ask = () => source.remembered.read('a', 'job', () => slow.promise);
    expect(await ask()).toBe('answer 1');
    expect(await ask()).toBe('answer 1');
    slow.resolve('new');
    await settled();
    expect(await source.read()).toBe('new');
    vi.advanceTimersByTime(999);
    expect(await source.read()).toBe('new');
    expect(source.state.loads).toBe(1);
  });

  test('is waited for once the old answer is a second old', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    const ask = () => source.remembered.read('a', 'job', () => slow.promise);
    expect(await ask()).toBe('answer 1');
    vi.advanceTimersByTime(500);
    const waiting = [ask(), ask()];
    slow.resolve('new');
    expect(await Promise.all(waiting)).toEqual(['new', 'new']);
    expect(source.state.loads).toBe(1);
  });

  test('is not given any more, old or being read, after a change was told', async () => {
    const source = makeSource();
    await readOften(source);
    const slow = Promise.withResolvers<string>();
    await source.remembered.read('a', 'job', () => slow.promise);
    source.changes.notify('job');
    expect(await source.read('a', 'changed')).toBe('changed');
    slow.resolve('read before the change');
    await settled();
    expect(await source.read()).toBe('changed');
  });

  test('is asked for by whoever comes next when reading it again has failed', async () => {
    const source = makeSource();
    await readOften(source);
    const fail = () => source.remembered.read('a', 'job', () => Promise.reject(new Error('away')));
    expect(await fail()).toBe('answer 1');
    await settled();
    expect(await source.read()).toBe('answer 2');
  });

  test('leaves nothing behind', async () => {
    const source = makeSource();
    await readOften(source);
    await source.remembered.read('a', 'job', async () => 'new');
    await settled();
    expect(await source.read()).toBe('new');
    vi.advanceTimersByTime(1000);
    expect(source.remembered.size).toBe(0);
    expect(source.changes.listenedJobs).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('what is asked for now and then is read when it is needed', async () => {
  const { read, state } = makeSource();
  await read();
  vi.advanceTimersByTime(900);
  expect(await read()).toBe('answer 1');
  expect(state.loads).toBe(1);
});

test('nothing is remembered while changes cannot be heard', async () => {
  const { read, state } = makeSource();
  state.isLive = false;
  expect(await Promise.all([read(), read()])).toEqual(['answer 1', 'answer 1']);
  expect(await read()).toBe('answer 2');
});

test('what was remembered before the changes fell silent is not trusted', async () => {
  const { read, state } = makeSource();
  await read();
  state.isLive = false;
  expect(await read()).toBe('answer 2');
});

test('a failure and a nothing are told to those who wait, and not remembered', async () => {
  const { read, remembered, state } = makeSource();
  const fail = () => remembered.read('a', 'job', async () => Promise.reject(new Error('away')));
  const both = await Promise.allSettled([fail(), fail()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await remembered.read('a', 'job', async () => undefined)).toBeUndefined();
  expect(await read()).toBe('answer 1');
  expect(state.loads).toBe(1);
});

test('it holds a bounded number of answers, and lets go of all of them', async () => {
  const { read, remembered, changes } = makeSource();
  for (let index = 0; index < 10_050; index += 1) await read(String(index));
  expect(remembered.size).toBe(10_000);
  expect(changes.listenedJobs).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(remembered.size).toBe(0);
  expect(changes.listenedJobs).toBe(0);
});
