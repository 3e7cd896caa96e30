import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { AppendedFile } from './appended-file.ts';

function opened(begin = '') {
  const path = join(temporaryFolder('appended'), 'file');
  const handle = openSync(path, 'w+');
  const file = new AppendedFile(handle, 0);
  if (begin !== '') file.append(Buffer.from(begin));
  return { path, handle, file };
}

test('small and large appends are stored in order', () => {
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

test('an append can be read immediately, even if its buffer is reused', () => {
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

test('a truncated part is gone, and the next append replaces it', () => {
  const { path, handle, file } = opened('kept, ');
  file.flush();
  file.append(Buffer.from('cut off'));
  file.cut(6);
  file.append(Buffer.from('new'));
  file.flush();
  closeSync(handle);
  expect(readFileSync(path, 'utf8')).toBe('kept, new');
});

test('a failed write keeps the buffer', () => {
  const full = openSync('/dev/full', 'r+');
  const file = new AppendedFile(full, 0);
  file.append(Buffer.from('something'));
  expect(() => file.flush()).toThrow('ENOSPC');
  expect(() => file.flush()).toThrow('ENOSPC');
  expect(file.sizeBytes).toBe(9);
  closeSync(full);
});
