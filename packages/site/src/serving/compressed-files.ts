/**
 * The compressed forms of a release's files, made once when it is installed and kept one after the other in a single file:
 * a thousand pages would else be three thousand files to make durable. They are found by the hash of what they were made
 * from, so that the next release takes over those of files that have not changed.
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

/** Where in the file a form lies. */
const Place = z.object({ offset: z.int().min(0), sizeBytes: z.int().positive() });
const Places = z.object({ br: Place.optional(), gzip: Place.optional() });

/** A form that would save nothing is missing. */
export type Compressed = z.infer<typeof Places>;
/** By the hash of the plain file. */
export interface CompressedFiles {
  get(sha256: string): Compressed | undefined;
}

export interface Precompressed {
  files: number;
  bytes: number;
  /** Files whose forms came from the release before. */
  reused: number;
}

/** One packet carries a smaller file anyway. */
const minBytes = 1024;
/** What is larger is a download rather than a page, and would be held in memory as a whole. */
const maxBytes = 32 * 1024 * 1024;
const minSaving = 0.05;
const atOnce = Math.min(4, availableParallelism());
/**
 * A thousand pages (59 MB) took 2.8 s of processor time at quality 6 and came to 14.5 MB; at 8 they took 5.2 s for 2 %
 * less, at 9 13.5 s for 3 %. The few files that every page loads are worth the best there is.
 */
const defaultQuality = 6;
const sharedByAllPages = /^_docyard\/[^/]+\.(?:css|js)$/;
/** 9 took a third more time for 0.5 %. */
const gzipLevel = 6;

const indexName = 'index.json';
const packName = 'files.pack';

interface Release {
  siteFolder: string;
  compressedFolder: string;
  manifest: Pick<Manifest, 'files'>;
}

interface HowToPrecompress {
  /** The compressed folder of an earlier release. */
  reuseFrom?: string | undefined;
  signal?: AbortSignal | undefined;
}

export async function precompress(
  { siteFolder, compressedFolder, manifest }: Release,
  { reuseFrom, signal }: HowToPrecompress = {},
): Promise<Precompressed> {
  await mkdir(compressedFolder, { recursive: true });
  const pack = await Pack.create(packOf(compressedFolder));
  const earlier = await EarlierPack.open(reuseFrom);
  const waiting = distinct(manifest.files);
  const found = new Map<string, Compressed>();
  const work = async (): Promise<void> => {
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      signal?.throwIfAborted();
      const { path, sha256 } = file;
      const forms = (await earlier.read(sha256)) ?? (await compress(join(siteFolder, path), path));
      found.set(sha256, await pack.append(forms));
    }
  };
  const workers = Array.from({ length: atOnce }, work);
  try {
    await Promise.all(workers);
    await pack.finish();
  } finally {
    // When one has failed, the others end before the file is closed under them.
    waiting.length = 0;
    await Promise.allSettled(workers);
    await Promise.all([pack.close(), earlier.close()]);
  }
  await writeIndex(compressedFolder, found);
  return { files: found.size, bytes: pack.sizeBytes, reused: earlier.used };
}

/**
 * Knows nothing when the folder was never finished: then everything is sent as it is. An entry is checked when it is asked
 * for, since checking 2,500 of them at once holds up every reader for 50 ms.
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

/** The largest are taken first, from the end, so that none of them is left to run alone at last. */
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

/** Whatever is wrong with it, the forms are made anew. */
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

/** Last, and whole or not at all: once it is there, so is everything that it names. */
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
