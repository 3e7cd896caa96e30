/**
 * The compressed forms of a release's files, made at installation and stored in one file, so that few files
 * need fsync. They are indexed by the hash of the plain file, so that the next release reuses unchanged ones.
 */
import { mkdir, open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { z } from 'zod';
import type { Manifest } from '@docyard/bundle';
import { isCompressible } from './content-types.ts';

/** Better ones first. */
export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

const Place = z.object({ offset: z.int().min(0), sizeBytes: z.int().positive() });
const Places = z.object({ br: Place.optional(), gzip: Place.optional() });

/** A form that saves nothing is omitted. */
export type Compressed = z.infer<typeof Places>;
/** By the hash of the plain file. */
export interface CompressedFiles {
  get(sha256: string): Compressed | undefined;
}

export interface Precompressed {
  files: number;
  bytes: number;
  /** Files whose forms come from the previous release. */
  reused: number;
}

/** Smaller files fit into one packet anyway. */
const minBytes = 1024;
/** Larger files are downloads and would be held in memory completely. */
const maxBytes = 32 * 1024 * 1024;
const minSaving = 0.05;
const maxConcurrent = Math.min(4, availableParallelism());
/** Higher qualities take much longer for little gain. Files that every page loads get the maximum. */
const defaultQuality = 6;
const sharedByAllPages = /^_docyard\/[^/]+\.(?:css|js)$/;
const gzipLevel = 6;

const indexName = 'index.json';
const packName = 'files.pack';

interface Release {
  siteFolder: string;
  compressedFolder: string;
  manifest: Pick<Manifest, 'files'>;
}

interface Files {
  files: Manifest['files'];
  fileOf(listed: Manifest['files'][number]): string;
  compressedFolder: string;
}

interface PrecompressOptions {
  /** The compressed folder of an earlier release. */
  reuseFrom?: string | undefined;
  signal?: AbortSignal | undefined;
}

export function precompress(
  { siteFolder, compressedFolder, manifest: { files } }: Release,
  options?: PrecompressOptions,
): Promise<Precompressed> {
  return precompressFiles({ files, fileOf: ({ path }) => join(siteFolder, path), compressedFolder }, options);
}

export async function precompressFiles(
  { files, fileOf, compressedFolder }: Files,
  { reuseFrom, signal }: PrecompressOptions = {},
): Promise<Precompressed> {
  await mkdir(compressedFolder, { recursive: true });
  const pack = await Pack.create(packOf(compressedFolder));
  const earlier = await EarlierPack.open(reuseFrom);
  const waiting = distinct(files);
  const found = new Map<string, Compressed>();
  const work = async (): Promise<void> => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      signal?.throwIfAborted();
      const { path, sha256 } = file;
      const forms = (await earlier.read(sha256)) ?? (await compress(fileOf(file), path));
      found.set(sha256, await pack.append(forms));
    }
  };
  const workers = Array.from({ length: maxConcurrent }, work);
  try {
    await Promise.all(workers);
    await pack.finish();
  } finally {
    // The other workers end before the file is closed.
    waiting.length = 0;
    await Promise.allSettled(workers);
    await Promise.all([pack.close(), earlier.close()]);
  }
  await writeIndex(compressedFolder, found);
  return { files: found.size, bytes: pack.sizeBytes, reused: earlier.used };
}

/**
 * Empty for an unfinished folder; then plain files are sent. Entries are validated on access, because
 * validating all of them at once would block the event loop.
 */
export async function readCompressed(folder: string): Promise<CompressedFiles> {
  const index = await readFile(join(folder, indexName), 'utf8')
    .then((text) => new Map(Object.entries(JSON.parse(text) as object)))
    .catch(() => new Map<string, unknown>());
  return { get: (sha256) => Places.safeParse(index.get(sha256)).data };
}

export function packOf(folder: string): string {
  return join(folder, packName);
}

/** Sorted so that the largest files are popped first, which balances the workers. */
function distinct(files: Manifest['files']): Manifest['files'] {
  const worth = files.filter(
    ({ path, sizeBytes }) => isCompressible(path) && sizeBytes >= minBytes && sizeBytes <= maxBytes,
  );
  return [...new Map(worth.map((file) => [file.sha256, file])).values()].toSorted(
    (a, b) => a.sizeBytes - b.sizeBytes,
  );
}

type Forms = Partial<Record<Encoding, Buffer>>;

class Pack {
  readonly #handle: FileHandle;
  sizeBytes = 0;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(file: string): Promise<Pack> {
    return new Pack(await open(file, 'w'));
  }

  async append(forms: Forms): Promise<Compressed> {
    const places: Compressed = {};
    for (const encoding of encodings) {
      const bytes = forms[encoding];
      if (bytes === undefined) continue;
      const offset = this.sizeBytes;
      this.sizeBytes += bytes.length;
      await writeAt(this.#handle, bytes, offset);
      places[encoding] = { offset, sizeBytes: bytes.length };
    }
    return places;
  }

  finish(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** On any error the forms are made again. */
class EarlierPack {
  readonly #files: CompressedFiles;
  readonly #handle: FileHandle | undefined;
  used = 0;

  private constructor(files: CompressedFiles, handle: FileHandle | undefined) {
    this.#files = files;
    this.#handle = handle;
  }

  static async open(folder: string | undefined): Promise<EarlierPack> {
    if (folder === undefined) return new EarlierPack(new Map(), undefined);
    const handle = await open(packOf(folder), 'r').catch(() => undefined);
    return new EarlierPack(await readCompressed(folder), handle);
  }

  async read(sha256: string): Promise<Forms | undefined> {
    const places = this.#files.get(sha256);
    if (places === undefined || this.#handle === undefined) return undefined;
    const forms: Forms = {};
    for (const encoding of encodings) {
      const place = places[encoding];
      if (place === undefined) continue;
      const bytes = Buffer.alloc(place.sizeBytes);
      const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, place.offset);
      if (bytesRead !== bytes.length) return undefined;
      forms[encoding] = bytes;
    }
    this.used += 1;
    return forms;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}

const brotli = promisify<Buffer, object, Buffer>(brotliCompress);
const gzipped = promisify<Buffer, object, Buffer>(gzip);

async function compress(file: string, path: string): Promise<Forms> {
  const bytes = await readFile(file);
  const quality = sharedByAllPages.test(path) ? constants.BROTLI_MAX_QUALITY : defaultQuality;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  const br = await brotli(bytes, { params });
  const gz = await gzipped(bytes, { level: gzipLevel });
  const isWorthIt = (form: Buffer): boolean => form.length <= bytes.length * (1 - minSaving);
  return { ...(isWorthIt(br) ? { br } : {}), ...(isWorthIt(gz) ? { gzip: gz } : {}) };
}

/** Written last and atomically, so that everything it names exists. */
async function writeIndex(folder: string, files: ReadonlyMap<string, Compressed>): Promise<void> {
  const draft = join(folder, `${indexName}.draft`);
  const handle = await open(draft, 'w');
  try {
    await handle.writeFile(JSON.stringify(Object.fromEntries(files)));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, indexName));
}

async function writeAt(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
