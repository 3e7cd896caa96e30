/**
 * The backup file: a gzipped tar whose last entry lists every other entry with its hash. Reading is strict: a
 * difference from the list or an unsafe name is an error before any file is used.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import {
  BundleRefusedError,
  endOfArchive,
  type Entry,
  entryHeader,
  entryPadding,
  readEntries as readTar,
  type Refusal,
} from '@docyard/bundle';

const ArchivedFile = z.object({ name: z.string(), sizeBytes: z.int().min(0), sha256: z.string().length(64) });

const Manifest = z.object({
  format: z.literal(1),
  /** Version of the program that wrote the backup. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** Where the database is: in the archive, or in PostgreSQL with its own backups. */
  database: z.enum(['sqlite', 'postgres']),
  /** The applied migrations. */
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
const maxManifestBytes = 500_000_000;
const namePattern = /^(?!.*(?:^|\/)\.\.?(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/;

/** Opens each file only when it is written. */
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
      if (leftBytes > 0) throw new ArchiveError(`${name} was truncated while it was read.`);
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

/** Verifies every byte against the list and returns the list. */
export async function verifyArchive(file: string): Promise<Manifest> {
  const found: Manifest['files'] = [];
  for await (const { path: name, sizeBytes, content } of readEntries(file)) {
    if (name === manifestName) return compare(found, await readManifest(content, sizeBytes));
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk);
    found.push({ name, sizeBytes, sha256: hash.digest('hex') });
  }
  throw new ArchiveError('The file list is missing: the file is truncated or not a backup.');
}

/** Every file except the list. */
export async function* readFiles(
  file: string,
): AsyncGenerator<{ name: string; content: AsyncIterable<Uint8Array> }> {
  for await (const { path: name, content } of readEntries(file)) {
    if (name === manifestName) return;
    yield { name, content };
  }
}

async function readManifest(content: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Manifest> {
  if (sizeBytes > maxManifestBytes) throw new ArchiveError('The file list is too long.');
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  try {
    return Manifest.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
  } catch {
    throw new ArchiveError('The file list is invalid. A newer version may have written the backup.');
  }
}

function compare(found: Manifest['files'], manifest: Manifest): Manifest {
  const listed = new Map(manifest.files.map((each) => [each.name, each]));
  const wrong = found.find(({ name, sizeBytes, sha256 }) => {
    const expected = listed.get(name);
    return expected?.sizeBytes !== sizeBytes || expected.sha256 !== sha256;
  });
  if (wrong !== undefined) throw new ArchiveError(`${wrong.name} does not match its hash.`);
  if (listed.size !== found.length || manifest.files.length !== found.length)
    throw new ArchiveError('Files of the list are missing or duplicated.');
  return manifest;
}

/** Backups may contain databases of any size. */
const unlimited = { entries: Infinity, entryBytes: Infinity, contentBytes: Infinity };

async function* readEntries(file: string): AsyncGenerator<Entry> {
  for await (const entry of explained(readTar(createReadStream(file), unlimited))) {
    checkName(entry.path);
    yield { ...entry, content: explained(entry.content) };
  }
}

/** Translates the errors of the archive reader. */
async function* explained<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* source;
  } catch (error) {
    throw error instanceof BundleRefusedError ? new ArchiveError(explain(error.refusal)) : error;
  }
}

function explain(refusal: Refusal): string {
  if (refusal === 'truncated') return 'The file is truncated.';
  if (refusal === 'unsafe_path') return 'It contains an unsafe file name.';
  return 'The file is damaged or not a backup.';
}

function checkName(name: string): string {
  if (!namePattern.test(name)) throw new ArchiveError(`It contains an unsafe file name: ${name}`);
  return name;
}
