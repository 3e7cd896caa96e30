import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { entryHeader } from '@docyard/bundle';
import { temporaryFolder, writeFiles } from '../../test/support/test-context.ts';
import { packArchive, verifyArchive } from './archive.ts';
import { restore } from './restore.ts';

const facts = {
  version: '0.1.0',
  createdAt: '2026-03-01T12:00:00.000Z',
  database: 'sqlite' as const,
  migrations: ['0001-initial'],
  secrets: 'included' as const,
  blobs: 'included' as const,
};
const files = {
  'docyard.db': 'rows '.repeat(40_000),
  'secrets.json': '{}',
  'blobs/se_1/1/report.json': '',
  [`blobs/${'a'.repeat(90)}/${'b'.repeat(90)}/${'c'.repeat(90)}`]: 'a long name',
};

async function packed(folder = temporaryFolder('archive')) {
  writeFiles(folder, files);
  const file = join(folder, 'backup.tar.gz');
  async function* handles() {
    for (const name of Object.keys(files)) yield { name, handle: await open(join(folder, name)) };
  }
  const bytes = await Readable.from(packArchive(handles(), facts)).toArray();
  writeFileSync(file, gzipSync(Buffer.concat(bytes as Uint8Array[])));
  return file;
}

/** Changes the uncompressed bytes of an archive. */
async function changed(change: (tar: Buffer) => Buffer): Promise<string> {
  const file = await packed();
  writeFileSync(file, gzipSync(change(gunzipSync(readFileSync(file)))));
  return file;
}

describe('an archive', () => {
  it('returns the written files', async () => {
    const { files: listed } = await verifyArchive(await packed());
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(files));
  });

  it('can be unpacked by any tar', async () => {
    const file = await packed();
    const folder = temporaryFolder('unpacked');
    const { spawnSync } = await import('node:child_process');
    expect(spawnSync('tar', ['-xzf', file, '-C', folder]).status).toBe(0);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
  });

  it.each([
    [
      'a changed byte',
      (tar: Buffer) => Buffer.from(tar.toString('latin1').replace('rows r', 'rowz r'), 'latin1'),
      /docyard\.db does not match its hash/,
    ],
    ['a missing end', (tar: Buffer) => tar.subarray(0, 150_000), /truncated/],
    [
      'an unsafe name',
      (tar: Buffer) => Buffer.concat([entryHeader('../../etc/passwd', 0), tar]),
      /unsafe file name/,
    ],
    [
      'a file that is not listed',
      (tar: Buffer) => Buffer.concat([entryHeader('blobs/x', 0), tar]),
      /blobs\/x does not match its hash/,
    ],
    ['something else', () => Buffer.from('not a tar '.repeat(100)), /damaged or not a backup/],
  ])('is refused for %s, and nothing is written', async (_what, change, reason) => {
    const file = await changed(change);
    const target = join(temporaryFolder('target'), 'data');
    await expect(restore(file, target, ['0001-initial'])).rejects.toThrow(reason);
    expect(() => statSync(target)).toThrow('ENOENT');
  });

  it('is refused when it is truncated', async () => {
    const file = await packed();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 200));
    await expect(verifyArchive(file)).rejects.toThrow(/damaged|truncated/);
  });
});

describe('a restore', () => {
  it('writes every file for the owner only', async () => {
    const target = join(temporaryFolder('target'), 'data');
    await restore(await packed(), target, ['0001-initial']);
    for (const [name, text] of Object.entries(files)) {
      expect(readFileSync(join(target, name), 'utf8')).toBe(text);
      expect(statSync(join(target, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('refuses a folder that is not empty and migrations of a newer version', async () => {
    const target = temporaryFolder('target');
    await expect(restore(await packed(), target, [])).rejects.toThrow(
      /unknown to this version \(0001-initial\)/,
    );
    mkdirSync(join(target, 'blobs'));
    await expect(restore(await packed(), target, ['0001-initial'])).rejects.toThrow(/is not empty/);
  });
});
