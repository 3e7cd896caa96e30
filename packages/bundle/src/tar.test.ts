/** Headers are read by a real tar. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { endOfArchive, entryHeader, entryPadding } from './tar.ts';

function listed(path: string, content: string): string {
  const bytes = Buffer.from(content);
  const archive = Buffer.concat([
    entryHeader(path, bytes.length),
    bytes,
    entryPadding(bytes.length),
    endOfArchive,
  ]);
  const args = ['--list', '--verbose', '--numeric-owner', '--quoting-style=literal', '--utc', '--file=-'];
  const ended = spawnSync('tar', args, {
    input: archive,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  expect(ended.stderr).toBe('');
  return ended.stdout.trimEnd();
}

test.each([
  ['a short name', 'index.html', 512],
  ['100 characters', `${'a'.repeat(95)}.html`, 512],
  ['101 characters with a slash to cut at', `folder/${'a'.repeat(94)}`, 512],
  ['255 characters in folders', `${'a'.repeat(155)}/${'b'.repeat(99)}`, 512],
  ['101 characters without a slash', 'a'.repeat(101), 1536],
  ['a last part over 100 characters', `folder/${'a'.repeat(101)}`, 1536],
  ['folders over 155 characters', `${'a'.repeat(156)}/${'b'.repeat(99)}`, 1536],
  ['letters beyond ASCII', 'übersicht/日本語.html', 1536],
  ['a name of 2,000 characters', `${'long/'.repeat(399)}file`, 3072],
])('%s', (_what, path, headerBytes) => {
  expect(entryHeader(path, 3)).toHaveLength(headerBytes);
  expect(listed(path, 'abc')).toBe(`-rw-r--r-- 0/0               3 1980-01-01 00:00 ${path}`);
});

test('the length of an extended header includes itself', () => {
  for (let length = 80; length <= 130; length += 1) {
    const path = 'ü' + 'x'.repeat(length);
    expect(listed(path, '').endsWith(` ${path}`)).toBe(true);
  }
});

test('a file beyond 8 GiB has its size in the extended header', () => {
  const header = Buffer.from(entryHeader('huge.bin', 9_000_000_000)).toString('latin1');
  expect(header).toContain(' size=9000000000\n');
  expect(header).toContain(' path=huge.bin\n');
});

test('content is padded to the next record', () => {
  const lengths = [0, 1, 511, 512, 513, 1024].map((size) => entryPadding(size).length);
  expect(lengths).toEqual([0, 511, 1, 0, 511, 0]);
});
