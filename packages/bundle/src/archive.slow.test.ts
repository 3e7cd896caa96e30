import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../test/temporary-resources.ts';
import { Archive } from './archive.ts';

const mebibyte = 1024 * 1024;
type Files = [path: string, content: Uint8Array][];

async function pack(files: Files) {
  const folder = temporaryFolder('archive');
  const archive = new Archive(join(folder, 'spool'));
  for (const [path, content] of files) archive.add(path, content);
  const file = join(folder, 'bundle.tar.gz');
  const packed = await packTo(file, archive);
  const list = archive.list();
  archive.close();
  return { file, packed, list, bytes: readFileSync(file) };
}

async function packTo(file: string, archive: Archive, onProgress?: (share: number) => void) {
  const output = openSync(file, 'w');
  try {
    const sha256 = createHash('sha256');
    const packed = await archive.pack(output, { hash: sha256, ...(onProgress && { onProgress }) });
    return { ...packed, sha256: sha256.digest('hex') };
  } finally {
    closeSync(output);
  }
}

function extract(file: string): Record<string, string> {
  const folder = temporaryFolder('extracted');
  const ended = spawnSync('tar', ['xzf', file, '-C', folder], { encoding: 'utf8' });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path), hash(readFileSync(path))];
    }),
  );
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const hashes = (files: Files) => Object.fromEntries(files.map(([path, content]) => [path, hash(content)]));

describe('the same files', () => {
  /** Names of real sites: short, long, in any language. Each file has its own folder to avoid conflicts. */
  const part = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcXYZ019-_ .~'.split('')), minLength: 1, maxLength: 30 }),
    fc.string({ unit: fc.constantFrom('ü', 'é', '日', '本', 'ж', '😀'), minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('l', 'o'), minLength: 90, maxLength: 120 }),
  );
  const size = fc.oneof(
    fc.constantFrom(0, 1, 511, 512, 513, 1024, 10_240),
    fc.integer({ min: 0, max: 5000 }),
  );
  const files = fc
    .array(fc.tuple(fc.array(part, { minLength: 1, maxLength: 3 }), size), { maxLength: 12 })
    .map((entries): Files =>
      entries.map(([parts, bytes], index) => [
        [`f${index}`, ...parts.map((each) => `n${each}`)].join('/'),
        Buffer.alloc(bytes, `content ${index} `),
      ]),
    );
  const shuffled = files.chain((entries) =>
    fc.tuple(fc.constant(entries), fc.shuffledSubarray(entries, { minLength: entries.length })),
  );

  test('in any order yield the same bytes, and tar extracts them', async () => {
    await fc.assert(
      fc.asyncProperty(shuffled, async ([inOrder, inAnother]) => {
        const [one, other] = [await pack(inOrder), await pack(inAnother)];
        expect(one.bytes.equals(other.bytes)).toBe(true);
        expect(one.packed).toEqual({
          sizeBytes: one.bytes.length,
          sha256: hash(one.bytes),
          fileCount: inOrder.length,
        });
        expect(extract(one.file)).toEqual(hashes(inOrder));
      }),
      { numRuns: 40 },
    );
  });

  test('from memory and from disk yield the same bytes', async () => {
    const folder = temporaryFolder('files');
    const content = randomBytes(2.5 * mebibyte);
    writeFileSync(join(folder, 'image.png'), content);
    const archive = new Archive(join(folder, 'spool'));
    archive.addFile('image.png', join(folder, 'image.png'));
    await packTo(join(folder, 'bundle.tar.gz'), archive);
    archive.close();
    const { bytes } = await pack([['image.png', content]]);
    expect(readFileSync(join(folder, 'bundle.tar.gz')).equals(bytes)).toBe(true);
  });
});

describe('common tools read the complete archive of', () => {
  // Header and end of archive take 1,536 bytes, so that the stream ends exactly at, before and after a block.
  const edge = (blocks: number, more: number): Files => [
    ['file', randomBytes(blocks * mebibyte - 1536 + more)],
  ];
  const repetitive = Buffer.alloc(3 * mebibyte + 7, 'the same words again and again ');
  const cases: [string, Files][] = [
    ['nothing', []],
    ['one empty file', [['empty', new Uint8Array()]]],
    ['exactly one block', edge(1, 0)],
    ['one record less than a block', edge(1, -512)],
    ['one record more than a block', edge(1, 512)],
    ['exactly four blocks', edge(4, 0)],
    ['ten blocks, more than are compressed at once', [['large', randomBytes(10 * mebibyte)]]],
    [
      'references across blocks',
      [
        ['a', repetitive],
        ['b', repetitive],
      ],
    ],
    [
      'many small files',
      Array.from({ length: 3000 }, (_, n): Files[number] => [`pages/${n}.html`, Buffer.from(`<p>${n}`)]),
    ],
  ];

  test.each(cases)('%s', async (_name, files) => {
    const { file, bytes, packed } = await pack(files);
    expect(packed.fileCount).toBe(files.length);
    expect(spawnSync('gzip', ['-t', file]).status).toBe(0);
    expect(extract(file)).toEqual(hashes(files));
    const browser = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const raw = Buffer.from(await new Response(browser).arrayBuffer());
    expect(raw.equals(gunzipSync(bytes))).toBe(true);
    expect(raw.length % 512).toBe(0);
    expect(raw.subarray(-1024).every((byte) => byte === 0)).toBe(true);
  });
});

test('entries are sorted by bytes and listed with size and hash', async () => {
  const names = ['b', 'a', 'B', 'ä', 'a/b', '\uffee', '😀'];
  const { list, bytes } = await pack(names.map((name): Files[number] => [name, Buffer.from(name)]));
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(list).toEqual(
    sorted.map((path) => ({ path, sizeBytes: Buffer.byteLength(path), sha256: hash(Buffer.from(path)) })),
  );
  const offsets = ['B', 'a', 'a/b', 'b'].map((name) => gunzipSync(bytes).indexOf(`${name}\0`));
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
});

test('the manifest and its signature are the first entries', async () => {
  const names = ['index.html', '_docyard/app.js', 'manifest.json.minisig', 'LICENSE', 'manifest.json'];
  const { list } = await pack(names.map((name): Files[number] => [name, Buffer.from(name)]));
  expect(list.map(({ path }) => path)).toEqual([
    'manifest.json',
    'manifest.json.minisig',
    'LICENSE',
    '_docyard/app.js',
    'index.html',
  ]);
});

test('a later file replaces one of the same path', async () => {
  const { file, packed } = await pack([
    ['index.html', Buffer.from('first, and longer')],
    ['other.html', Buffer.from('other')],
    ['index.html', Buffer.from('second')],
  ]);
  expect(packed.fileCount).toBe(2);
  expect(extract(file)).toEqual({
    'index.html': hash(Buffer.from('second')),
    'other.html': hash(Buffer.from('other')),
  });
});

test('content is spooled to disk, and the spool file is removed', async () => {
  const folder = temporaryFolder('archive');
  const spool = join(folder, 'spool');
  const archive = new Archive(spool);
  const content = Buffer.alloc(2 * mebibyte, 'x');
  const before = process.memoryUsage();
  for (let index = 0; index < 100; index += 1) archive.add(`file-${index}`, content);
  const used = process.memoryUsage();
  expect(statSync(spool).size).toBe(200 * mebibyte);
  const grown = used.arrayBuffers + used.heapUsed - before.arrayBuffers - before.heapUsed;
  expect(grown).toBeLessThan(50 * mebibyte);
  expect(statSync(spool).mode & 0o777).toBe(0o600);
  archive.close();
  expect(existsSync(spool)).toBe(false);
});

test('progress rises from 0 to 1', async () => {
  const folder = temporaryFolder('archive');
  const archive = new Archive(join(folder, 'spool'));
  archive.add('large', randomBytes(3 * mebibyte));
  const shares: number[] = [];
  await packTo(join(folder, 'bundle.tar.gz'), archive, (share) => shares.push(share));
  archive.close();
  expect(shares.length).toBeGreaterThanOrEqual(3);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
});

test('an unreadable file or an unwritable output is an error', async () => {
  const folder = temporaryFolder('archive');
  const archive = new Archive(join(folder, 'spool'));
  expect(() => archive.addFile('a', join(folder, 'missing'))).toThrow('ENOENT');
  const full = openSync('/dev/full', 'w');
  await expect(archive.pack(full)).rejects.toThrow('ENOSPC');
  closeSync(full);
  archive.close();
});

test('pieces may share a buffer and yield the same file', async () => {
  const folder = temporaryFolder('archive');
  const whole = Buffer.concat(Array.from({ length: 30 }, () => randomBytes(100_000)));
  const pieces = function* (): Generator<Uint8Array> {
    const memory = Buffer.alloc(100_000);
    for (let at = 0; at < whole.length; at += memory.length) {
      whole.copy(memory, 0, at);
      yield memory;
    }
  };
  const archive = new Archive(join(folder, 'spool'));
  archive.addPieces('large.txt', pieces());
  const file = join(folder, 'bundle.tar.gz');
  await packTo(file, archive);
  archive.close();
  expect(readFileSync(file).equals((await pack([['large.txt', whole]])).bytes)).toBe(true);
});

test('pages are listed with their titles, also when added in pieces', async () => {
  const archive = new Archive(join(temporaryFolder('archive'), 'spool'));
  archive.add('a.md', Buffer.from('# Start\n'));
  archive.add('a.html', Buffer.from('# Start\n'));
  await archive.addStream(
    'b.md',
    Readable.from(['> Note.\n', '\n# Har', 'bour\n'].map((piece) => Buffer.from(piece))),
  );
  expect(archive.list().map(({ path, title }) => [path, title])).toEqual([
    ['a.html', undefined],
    ['a.md', 'Start'],
    ['b.md', 'Harbour'],
  ]);
  archive.close();
});

class Blocks {
  readonly kept = new Map<string, Uint8Array>();
  puts: string[] = [];
  keep(key: string): number | undefined {
    return this.kept.get(key)?.length;
  }
  get(key: string): Uint8Array | undefined {
    return this.kept.get(key);
  }
  put(key: string, ...parts: readonly Uint8Array[]): void {
    this.puts.push(key);
    this.kept.set(key, new Uint8Array(Buffer.concat(parts)));
  }
}

/** Large enough for many blocks, with one file larger than a block. */
const site: Files = [
  ...Array.from({ length: 200 }, (_, index): [string, Uint8Array] => [
    `pages/${index}.html`,
    Buffer.from(`page ${index} `.repeat(2000)),
  ]),
  ['large.txt', Buffer.concat([randomBytes(mebibyte), randomBytes(mebibyte), randomBytes(9)])],
  ['ä.md', Buffer.from('# Über\n')],
];

test('bytes set aside can be read and are not part of the archive', async () => {
  const archive = new Archive(join(temporaryFolder('archive'), 'spool'));
  const [first, second] = [Buffer.from('first'), randomBytes(3 * mebibyte)];
  const getFirst = archive.setAside(first);
  archive.add('a.txt', Buffer.from('a'));
  const getSecond = archive.setAside(second);
  archive.add('b.txt', Buffer.from('b'));
  expect([first.equals(getFirst()), second.equals(getSecond())]).toEqual([true, true]);
  const file = join(temporaryFolder('archive'), 'bundle.tar.gz');
  await packTo(file, archive);
  archive.close();
  expect(extract(file)).toEqual(
    hashes([
      ['a.txt', Buffer.from('a')],
      ['b.txt', Buffer.from('b')],
    ]),
  );
});

describe('compression ahead', () => {
  const late: Files = [
    ['manifest.json', Buffer.from('{}')],
    ['pages/100-and-a-half.html', Buffer.from('came late')],
    ['zuletzt.txt', Buffer.from('last')],
  ];

  async function packAhead(cache?: Blocks) {
    const folder = temporaryFolder('archive');
    const spool = join(folder, 'spool');
    const archive = new Archive(spool, { cache });
    for (const [path, content] of site) archive.add(path, content);
    archive.compressAhead();
    const contentBytes = site.reduce((sum, [, content]) => sum + content.length, 0);
    await vi.waitFor(() => {
      if (cache) expect(cache.puts.length).toBeGreaterThan(5);
      else expect(statSync(spool).size).toBeGreaterThan(contentBytes);
    }, 10_000);
    const puts = cache?.puts.length ?? 0;
    for (const [path, content] of late) archive.add(path, content);
    const file = join(folder, 'bundle.tar.gz');
    await packTo(file, archive);
    archive.close();
    return { bytes: readFileSync(file), puts };
  }

  test('yields the same bytes regardless of later files', async () => {
    const { bytes } = await packAhead();
    expect(bytes.equals((await pack([...site, ...late])).bytes)).toBe(true);
  });

  test('fills the cache, and its blocks are not compressed again', async () => {
    const cache = new Blocks();
    const { bytes, puts } = await packAhead(cache);
    expect(bytes.equals((await pack([...site, ...late])).bytes)).toBe(true);
    const ahead = cache.puts.slice(0, puts);
    expect(cache.puts.slice(puts).filter((key) => ahead.includes(key))).toEqual([]);
  });
});

describe('with a cache of blocks', () => {
  async function packWith(cache: Blocks, files: Files): Promise<Buffer> {
    const folder = temporaryFolder('archive');
    const archive = new Archive(join(folder, 'spool'), { cache });
    for (const [path, content] of files) archive.add(path, content);
    const file = join(folder, 'bundle.tar.gz');
    await packTo(file, archive);
    archive.close();
    return readFileSync(file);
  }

  test('the bytes do not change, and only blocks around a change are compressed again', async () => {
    const cache = new Blocks();
    const cold = await packWith(cache, site);
    expect(cold.equals((await pack(site)).bytes)).toBe(true);
    const blocks = cache.puts.length;
    expect(blocks).toBeGreaterThan(10);
    cache.puts = [];
    const edited = site.map(([path, content]): Files[number] =>
      path === 'pages/100.html' ? [path, Buffer.from('another text')] : [path, content],
    );
    const warm = await packWith(cache, edited);
    expect(warm.equals((await pack(edited)).bytes)).toBe(true);
    expect(cache.puts.length).toBeLessThan(blocks / 2);
  });

  test('only the pieces of a large text around a change are compressed again', async () => {
    const lines = Array.from({ length: 200_000 }, (_, line) => `${line} is the number of this line.\n`);
    const text = (more: string): Files => [
      ['large.txt', Buffer.from(lines.with(100_000, `${lines[100_000]}${more}`).join(''))],
    ];
    const cache = new Blocks();
    await packWith(cache, text(''));
    expect(cache.puts.length).toBeGreaterThan(7);
    cache.puts = [];
    const warm = await packWith(cache, text('A sentence that was not there.\n'));
    expect(warm.equals((await pack(text('A sentence that was not there.\n'))).bytes)).toBe(true);
    // The changed piece, the first one with the file size, and the last one with the padding.
    expect(cache.puts).toHaveLength(3);
  });

  test('a missing block or piece is compressed again', async () => {
    const cache = new Blocks();
    const cold = await packWith(cache, site);
    for (const kind of ['block:', 'piece:']) {
      const lost = cache.puts.find((key) => key.startsWith(kind)) ?? '';
      cache.kept.delete(lost);
      expect((await packWith(cache, site)).equals(cold), kind).toBe(true);
      expect(cache.kept.has(lost)).toBe(true);
    }
  });

  test('a file with only newlines, or without any, is split deterministically', async () => {
    for (const character of ['\n', 'x']) {
      const files: Files = [['large.txt', Buffer.alloc(3 * mebibyte + 5, character)]];
      const cache = new Blocks();
      const cold = await packWith(cache, files);
      expect(cold.equals(await packWith(cache, files))).toBe(true);
    }
  });
});
