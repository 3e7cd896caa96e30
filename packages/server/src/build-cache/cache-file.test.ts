import fs, {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { CacheFile } from './cache-file.ts';

function openCache(folder: string, hasOld = false) {
  const young = openSync(join(folder, 'young'), 'a+');
  closeSync(young);
  const handles = [
    openSync(join(folder, 'young'), 'r+'),
    ...(hasOld ? [openSync(join(folder, 'old'), 'r')] : []),
  ];
  const cache = new CacheFile(handles[0] ?? -1, handles[1]);
  const kill = (): void => handles.forEach(closeSync);
  const close = (): void => {
    cache.flush();
    kill();
  };
  return { cache, close, kill };
}

test('the latest value of each key can be read after reopening', () => {
  const folder = temporaryFolder('cache');
  const values = Array.from(
    { length: 300 },
    (_, index) => [`key ${index}`, randomBytes(index * 10)] as const,
  );
  const first = openCache(folder);
  for (const [key, value] of values) first.cache.put(key, value);
  first.cache.put('key 7', Buffer.from('seven'));
  expect(Buffer.from(first.cache.get('key 7') ?? []).toString()).toBe('seven');
  first.close();
  const second = openCache(folder);
  for (const [key, value] of values.slice(8))
    expect(Buffer.from(second.cache.get(key) ?? []).equals(value), key).toBe(true);
  expect(Buffer.from(second.cache.get('key 7') ?? []).toString()).toBe('seven');
  expect(second.cache.get('nothing')).toBeUndefined();
  second.close();
});

test('a truncated value is ignored and overwritten by the next one', () => {
  const folder = temporaryFolder('cache');
  const first = openCache(folder);
  first.cache.put('whole', Buffer.from('whole value'));
  first.cache.flush();
  const whole = statSync(join(folder, 'young')).size;
  first.cache.put('torn', randomBytes(1000));
  first.close();
  for (const size of [whole + 1, whole + 12, whole + 20, whole + 900]) {
    truncateSync(join(folder, 'young'), size);
    const torn = openCache(folder);
    expect(torn.cache.get('torn')).toBeUndefined();
    torn.cache.put('torn', randomBytes(1000));
    torn.close();
  }
  const last = openCache(folder);
  expect(Buffer.from(last.cache.get('whole') ?? []).toString()).toBe('whole value');
  expect(last.cache.get('torn')).toHaveLength(1000);
  last.close();
});

test('a killed process loses only its last values', () => {
  const folder = temporaryFolder('cache');
  const first = openCache(folder);
  const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
  for (const key of keys) first.cache.put(key, Buffer.alloc(20_000, key));
  first.kill();
  const second = openCache(folder);
  const found = keys.filter((key) => second.cache.get(key)?.length === 20_000);
  expect(found).toEqual(keys.slice(0, found.length));
  expect(found.length).toBeGreaterThan(80);
  second.close();
});

test('a damaged value is not returned', () => {
  const folder = temporaryFolder('cache');
  const first = openCache(folder);
  first.cache.put('a', Buffer.from('aaaa'));
  first.cache.put('b', Buffer.from('bbbb'));
  first.close();
  const bytes = readFileSync(join(folder, 'young'));
  bytes.write('x', bytes.indexOf('aaaa'));
  writeFileSync(join(folder, 'young'), bytes);
  const second = openCache(folder);
  expect(second.cache.get('a')).toBeUndefined();
  expect(Buffer.from(second.cache.get('b') ?? []).toString()).toBe('bbbb');
  second.close();
});

test('values that are read move from the old file to the young one, and the others disappear', () => {
  const folder = temporaryFolder('cache');
  const first = openCache(folder);
  for (const key of ['a', 'b', 'c']) first.cache.put(key, Buffer.from(key.repeat(10)));
  first.close();
  writeFileSync(join(folder, 'old'), readFileSync(join(folder, 'young')));
  writeFileSync(join(folder, 'young'), '');
  const second = openCache(folder, true);
  expect(Buffer.from(second.cache.get('a') ?? []).toString()).toBe('aaaaaaaaaa');
  second.cache.get('b');
  expect(second.cache.usedBytes).toBe(20);
  second.close();
  const third = openCache(folder);
  expect(['a', 'b', 'c'].map((key) => third.cache.keep(key))).toEqual([10, 10, undefined]);
  third.close();
});

describe('an index at the end', () => {
  const keys = Array.from({ length: 200 }, (_, index) => `key ${index}`);
  const valueOf = (key: string) => Buffer.alloc(20_000, key);
  const valuesIn = (cache: CacheFile) =>
    keys.filter((key) => Buffer.from(cache.get(key) ?? []).equals(valueOf(key)));

  function leaveCache(): string {
    const folder = temporaryFolder('cache');
    const { cache, close } = openCache(folder);
    for (const key of keys) cache.put(key, valueOf(key));
    cache.writeIndex();
    close();
    return join(folder, 'young');
  }

  test('locates all values without a scan', () => {
    const young = leaveCache();
    const readSync = vi.spyOn(fs, 'readSync');
    syncBuiltinESMExports();
    const { cache, close } = openCache(dirname(young));
    expect(readSync.mock.calls.length).toBeLessThan(5);
    readSync.mockRestore();
    syncBuiltinESMExports();
    expect(valuesIn(cache)).toEqual(keys);
    close();
  });

  test('is overwritten by new values; without a new index the file is scanned', () => {
    const young = leaveCache();
    const second = openCache(dirname(young));
    second.cache.put('later', Buffer.from('later'));
    second.close();
    const third = openCache(dirname(young));
    expect(third.cache.get('later')).toHaveLength(5);
    expect(valuesIn(third.cache)).toEqual(keys);
    third.close();
  });

  test.each(['cut off', 'damaged', 'of places that are not there'])('that is %s is ignored', (how) => {
    const young = leaveCache();
    const { size } = statSync(young);
    const bytes = readFileSync(young);
    if (how === 'cut off') truncateSync(young, size - 1);
    else if (how === 'damaged') writeFileSync(young, bytes.fill(0, size - 200, size - 100));
    else writeFileSync(young, Buffer.concat([bytes.subarray(0, 1_000_000), bytes.subarray(-1000)]));
    const { cache, close } = openCache(dirname(young));
    const found = valuesIn(cache);
    expect(found).toEqual(keys.slice(0, found.length));
    expect(found.length).toBeGreaterThan(40);
    cache.put('later', Buffer.from('later'));
    expect(cache.get('later')).toHaveLength(5);
    close();
  });

  test('of the old file is read', () => {
    const young = leaveCache();
    renameSync(young, join(dirname(young), 'old'));
    const { cache, close } = openCache(dirname(young), true);
    expect(valuesIn(cache)).toEqual(keys);
    close();
  });

  test('that does not fit on a full disk leaves the values intact', () => {
    const young = leaveCache();
    const second = openCache(dirname(young));
    second.cache.put('later', Buffer.from('later'));
    second.cache.flush();
    withFullDisk(() => second.cache.writeIndex());
    second.close();
    const third = openCache(dirname(young));
    expect(third.cache.get('later')).toHaveLength(5);
    third.close();
  });
});

describe('on a disk that is full', () => {
  const small = Buffer.from('small');
  const large = Buffer.alloc(1024 * 1024, 'x');

  test('values on the disk stay, later ones are not stored, and nothing fails', () => {
    const folder = temporaryFolder('cache');
    const first = openCache(folder);
    first.cache.put('kept', small);
    first.close();
    const { size } = statSync(join(folder, 'young'));
    const second = openCache(folder);
    second.cache.put('early', small);
    second.cache.flush();
    const { size: full } = statSync(join(folder, 'young'));
    second.cache.put('new', small);
    withFullDisk(() => second.cache.put('large', large));
    expect(statSync(join(folder, 'young')).size).toBe(full);
    expect(full).toBeGreaterThan(size);
    // Nothing is added to the file even if space becomes available.
    second.cache.put('later', small);
    expect(['new', 'large', 'later'].map((key) => second.cache.get(key))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(String(Buffer.from(second.cache.get('early') ?? []))).toBe('small');
    expect(second.cache.usedBytes).toBe(small.length);
    second.close();
    const third = openCache(folder);
    for (const key of ['kept', 'early'])
      expect(String(Buffer.from(third.cache.get(key) ?? []))).toBe('small');
    third.cache.put('later', small);
    expect(third.cache.keep('later')).toBe(small.length);
    third.close();
  });

  test('a value in the write buffer is lost when a read flushes it', () => {
    const { cache, close } = openCache(temporaryFolder('cache'));
    cache.put('new', small);
    withFullDisk(() => expect(cache.get('new')).toBeUndefined());
    expect(cache.keep('new')).toBeUndefined();
    close();
  });

  test('values that moved from the old file are found there again', () => {
    const folder = temporaryFolder('cache');
    const first = openCache(folder);
    first.cache.put('moved', small);
    first.close();
    renameSync(join(folder, 'young'), join(folder, 'old'));
    const second = openCache(folder, true);
    second.cache.get('moved');
    withFullDisk(() => second.cache.put('large', large));
    expect(String(Buffer.from(second.cache.get('moved') ?? []))).toBe('small');
    second.close();
  });
});

/** Half of the write still fits. */
function withFullDisk(work: () => void): void {
  const { writeSync } = fs;
  let writes = 0;
  const spy = vi.spyOn(fs, 'writeSync').mockImplementation(((
    handle: number,
    bytes: Buffer,
    ...rest: number[]
  ) => {
    const [offset = 0, length = 0, position = 0] = rest;
    if ((writes += 1) === 1) return writeSync(handle, bytes, offset, Math.floor(length / 2), position);
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  }) as typeof writeSync);
  syncBuiltinESMExports();
  try {
    work();
    expect(writes).toBe(2);
  } finally {
    spy.mockRestore();
    syncBuiltinESMExports();
  }
}
