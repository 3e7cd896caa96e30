/**
 * The file that a backup is: a gzipped tar whose last entry lists every other one with its hash. Reading is strict: what
 * is not as listed, not listed, or named in a way that leads elsewhere is an error before anything is used.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { endOfArchive, entryHeader, entryPadding } from '../bundles/tar.ts';

const ArchivedFile = z.object({ name: z.string(), sizeBytes: z.int().min(0), sha256: z.string().length(64) });

const Manifest = z.object({
  format: z.literal(1),
  /** Of the program that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** Where the database is: in the archive, or backed up by tools of its own. */
  database: z.enum(['sqlite', 'postgres']),
  /** The steps that its tables have been through. */
  migrations: z.array(z.string()),
  secrets: z.enum(['included', 'SECRET_KEY']),
  blobs: z.enum(['included', 'left out', 'elsewhere']),
  files: z.array(ArchivedFile),
});
export type Manifest = z.infer<typeof Manifest>;

export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

const manifestName = 'manifest.json';
const mostManifestBytes = 500_000_000;
const recordBytes = 512;
const namePattern = /^(?!.*(?:^|\/)\.\.?(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;

/** Takes each file when its turn comes, and closes it. */
export async function* packArchive(
  files: AsyncIterable<{ name: string; handle: FileHandle }>,
  facts: Omit<Manifest, 'format' | 'files'>,
): AsyncGenerator<Uint8Array> {
  const packed: Manifest['files'] = [];
  for await (const { name, handle } of files) {
    try {
      const { size: sizeBytes } = await handle.stat();
      yield entryHeader(checkName(name), sizeBytes);
      const hash = createHash('sha256');
      let leftBytes = sizeBytes;
      for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
        const part = chunk.subarray(0, leftBytes);
        leftBytes -= part.length;
        hash.update(part);
        yield part;
        if (leftBytes === 0) break;
      }
      if (leftBytes > 0) throw new ArchiveError(`${name} became shorter while it was read.`);
      yield entryPadding(sizeBytes);
      packed.push({ name, sizeBytes, sha256: hash.digest('hex') });
    } finally {
      await handle.close();
    }
  }
  const manifest: Manifest = { format: 1, ...facts, files: packed };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield entryHeader(manifestName, bytes.length);
  yield bytes;
  yield entryPadding(bytes.length);
  yield endOfArchive;
}

/** Reads all of it and holds every byte to the list; resolves with the list. */
export async function verifyArchive(file: string): Promise<Manifest> {
  const found: Manifest['files'] = [];
  for await (const { name, sizeBytes, content } of readEntries(file)) {
    if (name === manifestName) return compare(found, await readManifest(content, sizeBytes));
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk);
    found.push({ name, sizeBytes, sha256: hash.digest('hex') });
  }
  throw new ArchiveError('It ends before its list of files: it was cut off, or is no backup.');
}

/** Every file but the list itself. */
export async function* readFiles(
  file: string,
): AsyncGenerator<{ name: string; content: AsyncIterable<Buffer> }> {
  for await (const { name, content } of readEntries(file)) {
    if (name === manifestName) return;
    yield { name, content };
  }
}

async function readManifest(content: AsyncIterable<Buffer>, sizeBytes: number): Promise<Manifest> {
  if (sizeBytes > mostManifestBytes) throw new ArchiveError('Its list of files is too long.');
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(chunk);
  try {
    return Manifest.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    throw new ArchiveError('Its list of files cannot be read; perhaps a newer version made it.');
  }
}

function compare(found: Manifest['files'], manifest: Manifest): Manifest {
  const listed = new Map(manifest.files.map((each) => [each.name, each]));
  const wrong = found.find(({ name, sizeBytes, sha256 }) => {
    const expected = listed.get(name);
    return expected?.sizeBytes !== sizeBytes || expected.sha256 !== sha256;
  });
  if (wrong !== undefined) throw new ArchiveError(`${wrong.name} is not as it was when the backup was made.`);
  if (listed.size !== found.length || manifest.files.length !== found.length)
    throw new ArchiveError('Files of its list are missing, or are there twice.');
  return manifest;
}

interface Entry {
  name: string;
  sizeBytes: number;
  content: AsyncIterable<Buffer>;
}

async function* readEntries(file: string): AsyncGenerator<Entry> {
  const unzipped = createGunzip();
  // Errors of both arrive at whoever reads the second.
  pipeline(createReadStream(file), unzipped, () => {});
  const bytes = new Bytes(unzipped);
  try {
    for (;;) {
      const entry = await readHeader(bytes);
      if (entry === undefined) return;
      let isRead = false;
      const content = async function* () {
        isRead = true;
        yield* bytes.next(entry.sizeBytes);
      };
      yield { ...entry, content: content() };
      if (!isRead) throw new Error('Every entry must be read.');
      await bytes.take(entryPadding(entry.sizeBytes).length);
    }
  } finally {
    unzipped.destroy();
  }
}

/** Undefined at the end of the archive. */
async function readHeader(bytes: Bytes): Promise<{ name: string; sizeBytes: number } | undefined> {
  const header = await bytes.take(recordBytes);
  if (header.every((byte) => byte === 0)) return undefined;
  const text = (start: number, length: number) =>
    header
      .subarray(start, start + length)
      .toString('latin1')
      .replace(/\0.*$/s, '');
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (Number.parseInt(text(148, 8), 8) !== sum) throw new ArchiveError('It is damaged, or no backup.');
  const sizeBytes = Number.parseInt(text(124, 12), 8);
  const type = text(156, 1);
  if (type === 'x') return readExtended(bytes, sizeBytes);
  if (type !== '0') throw new ArchiveError('It holds something that is no file.');
  const prefix = text(345, 155);
  const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
  return { name: checkName(name), sizeBytes };
}

/** What does not fit the plain header, such as the size of a very large database, comes in one before it. */
async function readExtended(bytes: Bytes, sizeBytes: number): Promise<{ name: string; sizeBytes: number }> {
  if (sizeBytes > 10_000) throw new ArchiveError('It holds a header that is too long.');
  const records = (await bytes.take(sizeBytes)).toString('utf8');
  await bytes.take(entryPadding(sizeBytes).length);
  const [, path] = /^\d+ path=(.*)$/m.exec(records) ?? [];
  const [, size] = /^\d+ size=(\d+)$/m.exec(records) ?? [];
  const plain = await bytes.take(recordBytes);
  const plainBytes = Number.parseInt(plain.subarray(124, 136).toString('latin1'), 8);
  if (path === undefined) throw new ArchiveError('It holds a header that is not known.');
  return { name: checkName(path), sizeBytes: size === undefined ? plainBytes : Number(size) };
}

function checkName(name: string): string {
  if (!namePattern.test(name)) throw new ArchiveError(`It holds a name that leads elsewhere: ${name}`);
  return name;
}

function explainStream(error: NodeJS.ErrnoException): never {
  const isOfGzip = error.code?.startsWith('Z_') || error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  throw isOfGzip ? new ArchiveError(`It is damaged, cut off, or no backup (${error.code}).`) : error;
}

/** A stream as something to take pieces of a known length from. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#source = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.next(count)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async *next(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next().catch(explainStream);
        if (done === true) throw new ArchiveError('It is cut off.');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
}
