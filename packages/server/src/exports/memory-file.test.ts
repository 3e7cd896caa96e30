/** The memory of exports: what was put is there, also after a kill; what was damaged is not; what nobody asks for goes. */
import { closeSync, openSync, statSync, truncateSync, writeFileSync, readFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing.ts';
import { MemoryFile } from './memory-file.ts';

function openMemory(folder: string, hasOld = false) {
  const young = openSync(join(folder, 'young'), 'a+');
  closeSync(young);
  const handles = [
    openSync(join(folder, 'young'), 'r+'),
    ...(hasOld ? [openSync(join(folder, 'old'), 'r')] : []),
  ];
  return { memory: new MemoryFile(handles[0] ?? -1, handles[1]), close: () => handles.forEach(closeSync) };
}

test('what was put is there the next time, the latest of each key', () => {
  const folder = temporaryFolder('memory');
  const values = Array.from(
    { length: 300 },
    (_, index) => [`key ${index}`, randomBytes(index * 10)] as const,
  );
  const first = openMemory(folder);
  for (const [key, value] of values) first.memory.put(key, value);
  first.memory.put('key 7', Buffer.from('seven'));
  expect(Buffer.from(first.memory.get('key 7') ?? []).toString()).toBe('seven');
  first.close();
  const second = openMemory(folder);
  for (const [key, value] of values.slice(8))
    expect(Buffer.from(second.memory.get(key) ?? []).equals(value), key).toBe(true);
  expect(Buffer.from(second.memory.get('key 7') ?? []).toString()).toBe('seven');
  expect(second.memory.get('nothing')).toBeUndefined();
  second.close();
});

test('a value that was cut off in the middle never was, and the next one takes its place', () => {
  const folder = temporaryFolder('memory');
  const first = openMemory(folder);
  first.memory.put('whole', Buffer.from('whole value'));
  const whole = statSync(join(folder, 'young')).size;
  first.memory.put('torn', randomBytes(1000));
  first.close();
  for (const size of [whole + 1, whole + 12, whole + 20, whole + 900]) {
    truncateSync(join(folder, 'young'), size);
    const torn = openMemory(folder);
    expect(torn.memory.get('torn')).toBeUndefined();
    torn.memory.put('torn', randomBytes(1000));
    torn.close();
  }
  const last = openMemory(folder);
  expect(Buffer.from(last.memory.get('whole') ?? []).toString()).toBe('whole value');
  expect(last.memory.get('torn')).toHaveLength(1000);
  last.close();
});

test('what is not as it was written is not given out', () => {
  const folder = temporaryFolder('memory');
  const first = openMemory(folder);
  first.memory.put('a', Buffer.from('aaaa'));
  first.memory.put('b', Buffer.from('bbbb'));
  first.close();
  const bytes = readFileSync(join(folder, 'young'));
  bytes.write('x', bytes.indexOf('aaaa'));
  writeFileSync(join(folder, 'young'), bytes);
  const second = openMemory(folder);
  expect(second.memory.get('a')).toBeUndefined();
  expect(Buffer.from(second.memory.get('b') ?? []).toString()).toBe('bbbb');
  second.close();
});

test('what is asked for moves from the old file to the young one, and the rest goes with it', () => {
  const folder = temporaryFolder('memory');
  const first = openMemory(folder);
  for (const key of ['a', 'b', 'c']) first.memory.put(key, Buffer.from(key.repeat(10)));
  first.close();
  writeFileSync(join(folder, 'old'), readFileSync(join(folder, 'young')));
  writeFileSync(join(folder, 'young'), '');
  const second = openMemory(folder, true);
  expect(Buffer.from(second.memory.get('a') ?? []).toString()).toBe('aaaaaaaaaa');
  second.memory.touch('b');
  expect(second.memory.usedBytes).toBe(20);
  second.close();
  const third = openMemory(folder);
  expect(['a', 'b', 'c'].map((key) => third.memory.has(key))).toEqual([true, true, false]);
  third.close();
});
