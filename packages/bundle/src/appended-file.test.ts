/** A file that grows by many parts: it holds all of them in their order, whatever their sizes and whenever it is read. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/leftovers.ts';
import { AppendedFile } from './appended-file.ts';

function opened(begin = '') {
  const path = join(temporaryFolder('appended'), 'file');
  const handle = openSync(path, 'w+');
  const file = new AppendedFile(handle, 0);
  if (begin !== '') file.append(Buffer.from(begin));
  return { path, handle, file };
}

test('small and large parts stand one after the other', () => {
  const { path, handle, file } = opened();
  const parts = [10, 200_000, 0, 100_000, 120_000, 3_000_000, 1, 262_144, 131_072, 131_073, 7].map(
    (size, index) => Buffer.alloc(size, String.fromCharCode(97 + index)),
  );
  for (const part of parts) file.append(part);
  expect(file.sizeBytes).toBe(parts.reduce((sum, { length }) => sum + length, 0));
  file.flush();
  closeSync(handle);
  expect(readFileSync(path).equals(Buffer.concat(parts))).toBe(true);
});

test('a part is there as soon as it was appended, also when it was given away since', () => {
  const { handle, file } = opened('before ');
  const part = Buffer.from('a part');
  file.append(part);
  part.fill('x');
  const found = Buffer.alloc(6);
  expect(file.read(found, 7)).toBe(true);
  expect(String(found)).toBe('a part');
  file.append(Buffer.from(' and more'));
  const more = Buffer.alloc(4);
  expect(file.read(more, 18)).toBe(true);
  expect(String(more)).toBe('more');
  expect(file.read(Buffer.alloc(1), 22)).toBe(false);
  closeSync(handle);
});

test('what was cut off is gone, and what comes next takes its place', () => {
  const { path, handle, file } = opened('kept, ');
  file.flush();
  file.append(Buffer.from('cut off'));
  file.cut(6);
  file.append(Buffer.from('new'));
  file.flush();
  closeSync(handle);
  expect(readFileSync(path, 'utf8')).toBe('kept, new');
});

test('what could not be written goes on waiting', () => {
  const full = openSync('/dev/full', 'r+');
  const file = new AppendedFile(full, 0);
  file.append(Buffer.from('something'));
  expect(() => file.flush()).toThrow('ENOSPC');
  expect(() => file.flush()).toThrow('ENOSPC');
  expect(file.sizeBytes).toBe(9);
  closeSync(full);
});
