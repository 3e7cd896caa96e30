/**
 * Hostile bundles are refused with a code, leave nothing on disk, touch nothing outside the folder, and do
 * not grow memory.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { manifestName, signatureName } from './manifest.ts';
import { readEntries } from './reader.ts';
import type { Refusal } from './refusal.ts';
import { newSigningKey, publicKeyOf, sign } from './signature.ts';
import { endOfArchive, entryHeader } from './tar.ts';
import {
  archiveOf,
  bundleOf,
  entry,
  extended,
  gzip,
  gzipHeader,
  header,
  inChunks,
  manifestOf,
  opening,
  record,
  zerosAfter,
  type Files,
} from '../test/support/bundles.ts';
import { checkBundle, unpackBundle, type Expectations } from './unpack.ts';

const key = newSigningKey();
const otherKey = newSigningKey();
const files: Files = {
  'assets/logo.svg': '<svg/>',
  'guides/start.html': '<h1>Start</h1>',
  'index.html': '<h1>Hello</h1>',
};
const good = bundleOf(files, key);
const manifest = manifestOf(files);
const expected: Expectations = { version: '2.1', publicKeys: [publicKeyOf(key)] };

/** A valid opening, so that the following entries are read. */
const withEntries = (...entries: Uint8Array[]) => archiveOf(opening(manifest, key), ...entries);
const content = Object.entries(files).map(([path, text]) => entry(path, text));
/** A signed bundle with these file names. */
const named = (...paths: string[]) => bundleOf(Object.fromEntries(paths.map((path) => [path, 'x'])), key);
const json = (change: (value: Record<string, unknown>) => unknown) => {
  const value = change(JSON.parse(manifest.toString()) as Record<string, unknown>);
  return archiveOf(opening(Buffer.from(JSON.stringify(value)), key), ...content);
};
const raw = (text: string | Uint8Array) => archiveOf(opening(Buffer.from(text), key), ...content);
const cut = (bytes: Uint8Array, at: number) => bytes.subarray(0, at);

/** Removes the folder if it did not exist before. */
async function refusalOf(archive: AsyncIterable<Uint8Array>, expectations: Expectations): Promise<unknown> {
  const place = temporaryFolder('place');
  writeFileSync(join(place, 'canary'), 'alive');
  mkdirSync(join(place, 'inner'));
  const folder = join(place, 'inner', 'site');
  const refused = await unpackBundle(archive, folder, expectations).then(
    () => 'taken',
    (error: { refusal?: Refusal }) => error.refusal ?? error,
  );
  expect(readdirSync(place, { recursive: true }).toSorted()).toEqual(
    refused === 'taken' ? expect.arrayContaining(['inner/site']) : ['canary', 'inner'],
  );
  expect(readFileSync(join(place, 'canary'), 'utf8')).toBe('alive');
  return refused;
}

type Attack = [what: string, refusal: Refusal, bytes: Uint8Array, expectations?: Expectations];

const attacks: Attack[] = [
  // Changed after signing
  [
    'a file with other bytes',
    'file_changed',
    withEntries(...content.slice(0, 2), entry('index.html', '<h1>Hullo</h1>')),
  ],
  [
    'a file with more bytes',
    'file_changed',
    withEntries(...content.slice(0, 2), entry('index.html', '<h1>Hello</h1>!')),
  ],
  ['a file that is missing', 'file_missing', withEntries(...content.slice(1))],
  ['no file at all', 'file_missing', withEntries()],
  ['a file that is not listed', 'file_unlisted', withEntries(...content, entry('z.html'))],
  [
    'the signature after the files',
    'file_unlisted',
    archiveOf(entry(manifestName, manifest), ...content, entry(signatureName, 'x')),
    {},
  ],
  [
    'a manifest that was changed',
    'signature_invalid',
    archiveOf(
      entry(manifestName, manifest.toString().replace('2.1', '9.9')),
      entry(signatureName, sign(key, manifest, 'x')),
      ...content,
    ),
  ],
  [
    'the signature of another manifest',
    'signature_invalid',
    archiveOf(
      entry(manifestName, manifest),
      entry(signatureName, sign(key, manifestOf(files, '2.0'), 'x')),
      ...content,
    ),
  ],
  [
    'a signature with another comment',
    'signature_invalid',
    archiveOf(
      entry(manifestName, manifest),
      entry(signatureName, sign(key, manifest, 'x').replace('comment: x', 'comment: y')),
      ...content,
    ),
  ],
  [
    'a signature that is no signature',
    'signature_invalid',
    archiveOf(entry(manifestName, manifest), entry(signatureName, 'signed!'), ...content),
  ],
  [
    'the same without a required key',
    'signature_invalid',
    archiveOf(entry(manifestName, manifest), entry(signatureName, 'signed!'), ...content),
    {},
  ],
  ['another key', 'wrong_key', bundleOf(files, otherKey)],
  ['no signature', 'signature_missing', bundleOf(files)],
  ['another version', 'wrong_version', bundleOf(files, key, '2.0')],
  ['no version', 'wrong_version', bundleOf(files, key, null)],
  ['another hash of the file', 'wrong_hash', good, { sha256: '0'.repeat(64) }],

  // Not a bundle
  ['nothing', 'truncated', Buffer.alloc(0)],
  ['a text', 'not_a_bundle', Buffer.from('hi\n')],
  [
    'a tar that is not compressed',
    'not_a_bundle',
    Buffer.concat([opening(manifest, key), ...content, endOfArchive]),
  ],
  ['a zip', 'not_a_bundle', Buffer.from('504b0304140000000800', 'hex')],
  [
    'compressed data that is none',
    'not_a_bundle',
    Buffer.concat([gzipHeader, Buffer.from('not deflated at all')]),
  ],
  ['compressed text', 'truncated', gzip(Buffer.from('hello'))],
  [
    'a gzip header with a name',
    'not_a_bundle',
    Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.from('a\0'), good.subarray(10)]),
  ],
  ['a second gzip member', 'not_a_bundle', Buffer.concat([good, good])],
  ['zeros after the end', 'not_a_bundle', Buffer.concat([good, Buffer.alloc(512)])],
  ['one byte after the end', 'not_a_bundle', Buffer.concat([good, Buffer.from('x')])],
  [
    'entries after the end of the archive',
    'not_a_bundle',
    gzip(Buffer.concat([opening(manifest, key), ...content, endOfArchive, entry('z')])),
  ],
  [
    'zeros after the end of the archive',
    'not_a_bundle',
    gzip(Buffer.concat([opening(manifest, key), ...content, endOfArchive, endOfArchive])),
  ],
  ['an archive without its end', 'truncated', gzip(Buffer.concat([opening(manifest, key), ...content]))],
  [
    'an archive with half its end',
    'truncated',
    gzip(Buffer.concat([opening(manifest, key), ...content, endOfArchive.subarray(512)])),
  ],
  [
    'another checksum of the whole',
    'not_a_bundle',
    Buffer.concat([good.subarray(0, -8), Buffer.alloc(4), good.subarray(-4)]),
  ],
  [
    'another length of the whole',
    'not_a_bundle',
    Buffer.concat([good.subarray(0, -4), Buffer.from([1, 2, 3, 4])]),
  ],
  [
    'a header with a wrong checksum',
    'not_a_bundle',
    withEntries(Buffer.from(header({ name: 'a' }).fill('7', 148, 149))),
  ],
  [
    'something in the padding',
    'not_a_bundle',
    withEntries(Buffer.from(entry('assets/logo.svg', '<svg/>').fill('x', 700, 701))),
  ],
  ['another mode than ours', 'not_a_bundle', withEntries(header({ name: 'a', mode: '0004755' }))],
  [
    'a size in base 256',
    'not_a_bundle',
    withEntries(header({ name: 'a', size: '\x80\0\0\0\0\0\0\0\0\0\0\x01' })),
  ],
  ['a negative size', 'not_a_bundle', withEntries(header({ name: 'a', size: '-0000000001\0' }))],

  // Manifests
  [
    'a manifest that does not come first',
    'manifest_missing',
    archiveOf(entry('index.html'), entry(manifestName, manifest)),
  ],
  ['an empty archive', 'manifest_missing', archiveOf()],
  ['a manifest that is not JSON', 'manifest_invalid', raw('{ "format": 1, ')],
  ['a manifest that is not UTF-8', 'manifest_invalid', raw(Buffer.from([0x7b, 0xff, 0x7d]))],
  ['a manifest that is null', 'manifest_invalid', raw('null')],
  ['a manifest without files', 'manifest_invalid', json((value) => ({ ...value, files: undefined }))],
  [
    'a manifest with a negative size',
    'manifest_invalid',
    json((value) => ({ ...value, files: [{ path: 'a', sizeBytes: -1, sha256: 'a'.repeat(64) }] })),
  ],
  ['a manifest of a later format', 'format_unknown', json((value) => ({ ...value, format: 2 }))],
  ['a manifest that lists itself', 'duplicate', named(manifestName)],
  [
    'a manifest with a million files',
    'too_large',
    raw(`{"format":1,"files":[${'{},'.repeat(1_100_000)}{}]}`),
  ],
  [
    'a manifest with a file of a terabyte',
    'too_large',
    json((value) => ({ ...value, files: [{ path: 'a', sizeBytes: 2 ** 40, sha256: 'a'.repeat(64) }] })),
  ],
  ['a manifest that is nested deeply', 'manifest_invalid', raw('['.repeat(500_000))],

  // Names
  ...[
    '../x',
    'a/../../x',
    '/etc/passwd',
    '..',
    './x',
    'a//b',
    'a/',
    '..\\x',
    'C:x',
    'C:/x',
    '\\\\host\\x',
    'a\tb',
    'a\x7f',
    'nul',
    'a/CON.html',
    'lpt1.txt',
    'a.',
    'a /b',
    'a?b',
    'e\u0301.html',
    'x'.repeat(256),
    'ü'.repeat(128),
    `${'a/'.repeat(40)}a`,
  ].flatMap((name): Attack[] => {
    const shown = JSON.stringify(name).slice(0, 30);
    return [
      [`an entry called ${shown}`, 'unsafe_path', withEntries(entry(name))],
      [`a manifest with ${shown}`, 'unsafe_path', named(name)],
    ];
  }),
  ['an entry twice', 'duplicate', withEntries(...content, content[0] as Buffer)],
  ['the manifest twice', 'duplicate', withEntries(entry(manifestName, manifest))],
  [
    'a listed name twice',
    'duplicate',
    json((value) => ({
      ...value,
      files: [...(value['files'] as unknown[]), (value['files'] as unknown[])[0]],
    })),
  ],
  ['names that differ in case', 'duplicate', named('Index.html', 'index.html')],
  ['entries that differ in case', 'duplicate', withEntries(...content, entry('INDEX.html'))],
  ['a file that is also a folder', 'duplicate', named('a', 'a/b')],
  ['a folder that is also a file, in another case', 'duplicate', named('A/b', 'a')],

  // Not a regular file
  ['a symbolic link', 'link', withEntries(header({ name: 'index.html', type: '2', link: '/etc/passwd' }))],
  ['a hard link', 'link', withEntries(header({ name: 'index.html', type: '1', link: '../../canary' }))],
  ['a character device', 'special_file', withEntries(header({ name: 'index.html', type: '3' }))],
  ['a block device', 'special_file', withEntries(header({ name: 'index.html', type: '4' }))],
  ['a folder', 'special_file', withEntries(header({ name: 'guides/', type: '5' }))],
  ['a named pipe', 'special_file', withEntries(header({ name: 'index.html', type: '6' }))],
  ['a contiguous file', 'special_file', withEntries(header({ name: 'index.html', type: '7' }))],
  ['a file of old tars', 'not_a_bundle', withEntries(header({ name: 'index.html', type: '\0' }))],
  ['a long name of GNU', 'not_a_bundle', withEntries(extended('../../x\0', 'L'), header({ name: 'x' }))],
  ['a long link of GNU', 'not_a_bundle', withEntries(extended('/etc/passwd\0', 'K'), header({ name: 'x' }))],
  ['a sparse file of GNU', 'not_a_bundle', withEntries(header({ name: 'index.html', type: 'S' }))],

  // Extended headers
  ['a global header', 'not_a_bundle', withEntries(extended(record('path', 'x'), 'g'), header({ name: 'x' }))],
  [
    'a path twice',
    'not_a_bundle',
    withEntries(extended(record('path', 'ü') + record('path', '../x')), header({ name: 'x' })),
  ],
  [
    'a path that leads out',
    'unsafe_path',
    withEntries(extended(record('path', '../ü')), header({ name: 'x' })),
  ],
  [
    'a path that is not needed',
    'not_a_bundle',
    withEntries(extended(record('path', 'x')), header({ name: 'x' })),
  ],
  [
    'a path of another name than the header',
    'not_a_bundle',
    withEntries(extended(record('path', 'ü')), header({ name: '../../x' })),
  ],
  [
    'a size that is not needed',
    'not_a_bundle',
    withEntries(
      extended(record('path', 'ü') + record('size', '3')),
      header({ name: 'ü', size: '00000000001\0' }),
    ),
  ],
  [
    'a link in an extended header',
    'not_a_bundle',
    withEntries(extended(record('path', 'ü') + record('linkpath', '/etc')), header({ name: 'ü' })),
  ],
  [
    'a link behind an extended header',
    'link',
    withEntries(extended(record('path', 'ü')), header({ name: 'ü', type: '2', link: '/etc' })),
  ],
  [
    'two extended headers',
    'not_a_bundle',
    withEntries(extended(record('path', 'ü')), extended(record('path', 'ä')), header({ name: 'ä' })),
  ],
  ['a path with a line break', 'not_a_bundle', withEntries(entry('a\nb'))],
  [
    'a record with a wrong length',
    'not_a_bundle',
    withEntries(extended('99 path=ü\n'), header({ name: Buffer.from('ü').toString('latin1') })),
  ],
  [
    'an extended header that is too long',
    'not_a_bundle',
    withEntries(extended(record('path', 'ü'.repeat(20_000))), header({ name: 'x' })),
  ],
];

describe('a hostile bundle is refused with a code and leaves nothing behind', () => {
  test.each(attacks)('%s: %s', async (_what, refusal, bytes, expectations = expected) => {
    expect(await refusalOf(inChunks(bytes), expectations)).toBe(refusal);
    await expect(checkBundle(inChunks(bytes), expectations)).rejects.toMatchObject({ refusal });
  });

  test('a truncated bundle is refused at any length', async () => {
    for (let at = 0; at < good.length; at += 7)
      await expect(checkBundle(inChunks(cut(good, at)), expected)).rejects.toMatchObject({
        refusal: 'truncated',
      });
    for (const at of [1, 11, 200, good.length - 9, good.length - 8, good.length - 1])
      expect(await refusalOf(inChunks(cut(good, at)), expected)).toBe('truncated');
  });

  test('a read error is passed through and leaves nothing behind', async () => {
    const broken = async function* () {
      yield cut(good, 500);
      throw new Error('the connection broke');
    };
    expect(await refusalOf(broken(), expected)).toMatchObject({ message: 'the connection broke' });
  });

  test('the valid bundle is accepted', async () => {
    const sha256 = createHash('sha256').update(good).digest('hex');
    expect(await refusalOf(inChunks(good), { ...expected, sha256 })).toBe('taken');
    expect(await refusalOf(inChunks(good, 1), { ...expected, sha256: sha256.toUpperCase() })).toBe('taken');
  });
});

describe('bombs', () => {
  const tenGigabytes = 10 * 1024;
  const zeros = (before: Uint8Array) => zerosAfter(before, tenGigabytes) as Iterable<Uint8Array>;
  const sized = (path: string, bytes: number) => entryHeader(path, bytes);

  test.each<[string, Refusal, Iterable<Uint8Array>]>([
    ['a manifest of ten gigabytes', 'too_large', zeros(sized(manifestName, 10 * 1024 ** 3))],
    [
      'a signature of ten gigabytes',
      'too_large',
      zeros(Buffer.concat([entry(manifestName, manifest), sized(signatureName, 10 * 1024 ** 3)])),
    ],
    [
      'a file of ten gigabytes',
      'too_large',
      zeros(Buffer.concat([opening(manifest, key), sized('index.html', 10 * 1024 ** 3)])),
    ],
    [
      'a file of half a gigabyte where fourteen bytes are listed',
      'file_changed',
      zeros(Buffer.concat([opening(manifest, key), sized('index.html', 512 * 1024 ** 2)])),
    ],
    [
      'ten gigabytes after the end',
      'not_a_bundle',
      zeros(Buffer.concat([opening(manifest, key), ...content, endOfArchive])),
    ],
    [
      'an extended header of a gigabyte',
      'not_a_bundle',
      zeros(Buffer.concat([opening(manifest, key), header({ name: 'x', type: 'x', size: '10000000000\0' })])),
    ],
  ])('%s is refused as %s after a short read', async (_what, refusal, chunks) => {
    let taken = 0;
    const counted = async function* () {
      for (const chunk of chunks) {
        taken += chunk.length;
        yield chunk;
      }
    };
    expect(await refusalOf(counted(), expected)).toBe(refusal);
    expect(taken).toBeLessThan(1_000_000);
  });

  test('too many entries are refused', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => entry(`page-${index}`));
    const read = async (entries: number) => {
      for await (const _ of readEntries(inChunks(archiveOf(...many)), {
        entries,
        entryBytes: 1,
        contentBytes: 1,
      }));
    };
    await expect(read(1000)).rejects.toMatchObject({ refusal: 'too_large' });
    await expect(read(1001)).resolves.toBeUndefined();
  });

  test('too many bytes in small files are refused', async () => {
    const bytes = archiveOf(entry('a', 'aaa'), entry('b', 'bbb'));
    const read = async (contentBytes: number) => {
      for await (const _ of readEntries(inChunks(bytes), { entries: 2, entryBytes: 3, contentBytes }));
    };
    await expect(read(5)).rejects.toMatchObject({ refusal: 'too_large' });
    await expect(read(6)).resolves.toBeUndefined();
  });

  test('memory does not grow while a bundle is read', async () => {
    const megabytes = 200;
    const size = megabytes * 1024 ** 2;
    const archive = zerosAfter(entryHeader('large', size), megabytes) as Iterable<Uint8Array>;
    const held = () => process.memoryUsage().arrayBuffers;
    const before = held();
    let most = 0;
    let readBytes = 0;
    const reading = async () => {
      for await (const { content: chunks } of readEntries(asynchronous(archive)))
        for await (const chunk of chunks) {
          readBytes += chunk.length;
          most = Math.max(most, held() - before);
        }
    };
    await expect(reading()).rejects.toMatchObject({ refusal: 'truncated' });
    expect(readBytes).toBe(size);
    expect(most).toBeLessThan(100 * 1024 ** 2);
  });
});

async function* asynchronous(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe('a bundle that was changed at random', () => {
  const tar = Buffer.concat([opening(manifest, key), ...content, endOfArchive]);
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('flip', 'set', 'insert', 'remove', 'copy'),
    value: fc.integer({ min: 1, max: 255 }),
    length: fc.integer({ min: 1, max: 700 }),
  });
  type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

  function changed(bytes: Buffer, { at: anywhere, how, value, length }: Change): Buffer {
    const at = anywhere % bytes.length;
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const first = (bytes[at] ?? 0) ^ (how === 'flip' ? 1 << (value % 8) : value);
    switch (how) {
      case 'insert':
        return Buffer.concat([before, Buffer.alloc(length, value), after]);
      case 'remove':
        return Buffer.concat([before, after.subarray(length)]);
      case 'copy':
        return Buffer.concat([before, after.subarray(0, length), after]);
      default:
        return Buffer.concat([before, Buffer.from([first]), after.subarray(1)]);
    }
  }

  /** Changes of unused bits do not matter. */
  async function isRefusedOrTheSame(bytes: Buffer): Promise<void> {
    const folder = join(temporaryFolder('changed'), 'site');
    const outcome = await unpackBundle(inChunks(bytes), folder, expected).then(
      () => undefined,
      (error: { refusal?: Refusal }) => error,
    );
    if (outcome !== undefined) {
      expect(outcome).toMatchObject({ name: 'BundleRefusedError' });
      return;
    }
    for (const [path, text] of Object.entries(files))
      expect(readFileSync(join(folder, path), 'utf8')).toBe(text);
    expect(readdirSync(folder, { recursive: true })).toHaveLength(Object.keys(files).length + 4);
  }

  test('in its tar unpacks to the original or not at all', async () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    const property = fc.asyncProperty(changes, (list) => isRefusedOrTheSame(gzip(list.reduce(changed, tar))));
    await fc.assert(property, { numRuns: 300 });
  });

  test('in its file unpacks to the original or not at all', async () => {
    const changes = fc.array(change, { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(changes, (list) => isRefusedOrTheSame(list.reduce(changed, good)));
    await fc.assert(property, { numRuns: 300 });
  });
});
