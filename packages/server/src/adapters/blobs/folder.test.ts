import { createReadStream, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeBlobs } from '../../../test/support/blobs-suite.ts';
import { temporaryFolder } from '../../../test/support/test-context.ts';
import { FolderBlobs } from './folder.ts';

describeBlobs('a folder', () => new FolderBlobs(join(temporaryFolder('blobs'), 'not-made-yet')));

test('a put leaves exactly one file, and a failed put leaves none', async () => {
  const root = temporaryFolder('blobs');
  const blobs = new FolderBlobs(root);
  await blobs.putBytes('se_1/1/report.json', Buffer.from('{}'));
  expect(readdirSync(join(root, 'se_1/1'))).toEqual(['report.json']);
  await blobs.putStream('se_1/1/bundle.tar.gz', createReadStream(join(root, 'none'))).catch(() => {});
  expect(readdirSync(join(root, 'se_1/1'))).toEqual(['report.json']);
});

test('a file written by a callback becomes the object only when the callback succeeds', async () => {
  const root = temporaryFolder('blobs');
  const blobs = new FolderBlobs(root);
  const object = join(root, 'se_1/1/bundle.tar.gz');
  await blobs.putFile('se_1/1/bundle.tar.gz', async (path) => {
    writeFileSync(path, 'whole');
    expect(existsSync(object)).toBe(false);
  });
  expect(await blobs.stat('se_1/1/bundle.tar.gz')).toEqual({ sizeBytes: 5 });
  const half = blobs.putFile('se_1/1/report.json', async (path) => {
    writeFileSync(path, 'half');
    throw new Error('killed');
  });
  await expect(half).rejects.toThrow('killed');
  expect(readdirSync(join(root, 'se_1/1'))).toEqual(['bundle.tar.gz']);
});

test('an object that cannot be renamed leaves no temporary file', async () => {
  const root = temporaryFolder('blobs');
  const blobs = new FolderBlobs(root);
  await blobs.putBytes('se_1/1/report.json', Buffer.from('{}'));
  await expect(blobs.putBytes('se_1/1', Buffer.from('in the way'))).rejects.toThrow();
  expect(readdirSync(join(root, 'se_1'))).toEqual(['1']);
});

test('objects are readable only by the owner of the process', async () => {
  const root = temporaryFolder('blobs');
  await new FolderBlobs(root).putBytes('se_1/1/report.json', Buffer.from('{}'));
  expect(statSync(join(root, 'se_1/1/report.json')).mode & 0o777).toBe(0o600);
});

test('removing a link out of the folder keeps its target', async () => {
  const root = temporaryFolder('blobs');
  const outside = temporaryFolder('outside');
  const blobs = new FolderBlobs(root);
  await new FolderBlobs(outside).putBytes('precious/file', Buffer.from('kept'));
  symlinkSync(join(outside, 'precious'), join(root, 'se_1'));
  await blobs.removeAll('se_1');
  expect(readdirSync(root)).toEqual([]);
  expect(readdirSync(join(outside, 'precious'))).toEqual(['file']);
});
