/**
 * Unpacks or checks a bundle. Signature and version are verified before any content is written, every file is
 * checked against the manifest while it streams, and a refused bundle leaves nothing behind.
 */
import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, opendir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { manifestName, maxManifestBytes, signatureName, type Manifest } from './manifest.ts';
import { parseManifest } from './read-manifest.ts';
import { NewFolder } from './new-folder.ts';
import { quoted } from './names.ts';
import { nextEntry, readEntries, type Entry } from './reader.ts';
import { BundleRefusedError } from './refusal.ts';
import { parseSignature, verifySignature, type PublicKey } from './signature.ts';

export interface Expectations {
  version?: string;
  /**
   * One of them must have signed, so an empty list refuses everything. Without a list the signature is not
   * verified.
   */
  publicKeys?: readonly PublicKey[];
  /** Of the archive file. */
  sha256?: string;
}

export interface CheckedManifest {
  manifest: Manifest;
  manifestSha256: string;
  /** The verified key; null without `publicKeys`. */
  signedBy: string | null;
  /** The key that the signature names, verified or not; null without a signature. */
  claimedKey: string | null;
}

export interface CheckedFolder extends CheckedManifest {
  /** Total size of the files in the manifest. */
  contentBytes: number;
}

export interface CheckedBundle extends CheckedFolder {
  archiveSha256: string;
  archiveBytes: number;
}

/** The folder must not exist. It is created durably, or not at all. */
export async function unpackBundle(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return NewFolder.fill(folder, (files) =>
    readBundle(archive, expectations, (path, content, sizeBytes) => files.write(path, content, sizeBytes)),
  );
}

/** Checks without writing. */
export async function checkBundle(
  archive: AsyncIterable<Uint8Array>,
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return readBundle(archive, expectations, async (_path, content) => {
    for await (const _ of content);
  });
}

/** Receives every file, manifest and signature first, and must read its content completely. */
export type TakeFile = (path: string, content: AsyncIterable<Uint8Array>, sizeBytes: number) => Promise<void>;

async function readBundle(
  archive: AsyncIterable<Uint8Array>,
  expectations: Expectations,
  onFile: TakeFile,
): Promise<CheckedBundle> {
  const measured = new Measured(archive);
  const entries = readEntries(measured.chunks());
  try {
    const opening = await readOpening(entries);
    const checked = checkManifest(opening.manifest, opening.signature, expectations);
    await onFile(manifestName, once(opening.manifest), opening.manifest.length);
    if (opening.signature !== null)
      await onFile(signatureName, once(opening.signature), opening.signature.length);
    const expected = new ExpectedFiles(checked.manifest);
    let entry = opening.next;
    while (entry !== undefined) {
      const content = expected.verify(entry);
      await onFile(entry.path, content, entry.sizeBytes);
      entry = await nextEntry(entries);
    }
    expected.requireAll();
    const measures = measured.result(expectations.sha256);
    return { ...checked, contentBytes: contentBytesOf(checked.manifest), ...measures };
  } finally {
    await entries.return(undefined);
  }
}

/** `next` is the first content entry. */
export async function readOpening(
  entries: AsyncGenerator<Entry>,
): Promise<{ manifest: Buffer; signature: Buffer | null; next: Entry | undefined }> {
  const first = await nextEntry(entries);
  if (first?.path !== manifestName) throw new BundleRefusedError('manifest_missing');
  const manifest = await readSmall(first, maxManifestBytes);
  const second = await nextEntry(entries);
  if (second?.path !== signatureName) return { manifest, signature: null, next: second };
  const signature = await readSmall(second, maxSignatureBytes);
  const next = await nextEntry(entries);
  return { manifest, signature, next };
}

export const maxSignatureBytes = 16 * 1024;

/** Reads an entry into memory. */
export async function readSmall({ path, sizeBytes, content }: Entry, maxBytes: number): Promise<Buffer> {
  if (sizeBytes > maxBytes)
    throw new BundleRefusedError('too_large', `${quoted(path)} has ${sizeBytes} bytes.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Verifies signature and version. */
export function checkManifest(
  bytes: Uint8Array,
  signature: Uint8Array | null,
  { version, publicKeys }: Expectations,
): CheckedManifest {
  const text = signature === null ? null : Buffer.from(signature).toString('utf8');
  const claimedKey = text === null ? null : parseSignature(text).keyId;
  let signedBy: string | null = null;
  if (publicKeys !== undefined) {
    if (text === null) throw new BundleRefusedError('signature_missing');
    signedBy = verifySignature(publicKeys, bytes, text).keyId;
  }
  const manifest = parseManifest(bytes);
  if (version !== undefined && manifest.version !== version) {
    const found = manifest.version === null ? 'The bundle has none' : `It is ${quoted(manifest.version)}`;
    throw new BundleRefusedError('wrong_version', `${found}, not ${quoted(version)}.`);
  }
  return { manifest, manifestSha256: hash('sha256', bytes), signedBy, claimedKey };
}

/** Requires every file of a manifest exactly once and unchanged. */
export class ExpectedFiles {
  readonly #left: Map<string, Manifest['files'][number]>;

  constructor({ files }: Manifest) {
    this.#left = new Map(files.map((file) => [file.path, file]));
  }

  /** Yields the content and throws at its end when the hash differs. */
  verify({ path, sizeBytes, content }: Entry): AsyncIterable<Uint8Array> {
    const listed = this.#left.get(path);
    if (listed === undefined) throw new BundleRefusedError('file_unlisted', quoted(path));
    this.#left.delete(path);
    if (listed.sizeBytes !== sizeBytes)
      throw new BundleRefusedError(
        'file_changed',
        `${quoted(path)} has ${sizeBytes} bytes, not ${listed.sizeBytes}.`,
      );
    return hashed(content, path, listed.sha256);
  }

  requireAll(): void {
    const [path] = this.#left.keys();
    if (path === undefined) return;
    const others = this.#left.size - 1;
    throw new BundleRefusedError(
      'file_missing',
      others === 0 ? quoted(path) : `${quoted(path)} and ${others} more.`,
    );
  }
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  path: string,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const found = createHash('sha256');
  for await (const chunk of content) {
    found.update(chunk);
    yield chunk;
  }
  if (found.digest('hex') !== sha256) throw new BundleRefusedError('file_changed', quoted(path));
}

export function contentBytesOf({ files }: Manifest): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** Counts and hashes an archive while it is read. */
export class Measured {
  readonly #archive: AsyncIterable<Uint8Array>;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.#archive = archive;
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.#archive) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      yield chunk;
    }
  }

  /** Call it once, after the last chunk. */
  result(expectedSha256?: string): { archiveSha256: string; archiveBytes: number } {
    const archiveSha256 = this.#hash.digest('hex');
    if (expectedSha256 !== undefined && expectedSha256.toLowerCase() !== archiveSha256)
      throw new BundleRefusedError('wrong_hash', `It is ${archiveSha256}.`);
    return { archiveSha256, archiveBytes: this.#bytes };
  }
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const filesPerBatch = 16;
const smallBytes = 256 * 1024;
/** Left by `docyard build`, which writes the manifest first. */
const buildMarker = '.docyard-build';

/** Checks an unpacked site: no file may be added, missing or changed. */
export async function checkFolder(folder: string, expectations: Expectations = {}): Promise<CheckedFolder> {
  const manifestFile = await readRegularFile(join(folder, manifestName), maxManifestBytes);
  if (manifestFile === null) throw new BundleRefusedError('manifest_missing');
  const signature = await readRegularFile(join(folder, signatureName), maxSignatureBytes);
  const checked = checkManifest(manifestFile, signature, expectations);
  const expected = new ExpectedFiles(checked.manifest);
  const folders = foldersOf(checked.manifest);
  let batch: string[] = [];
  const checkBatch = () => Promise.all(batch.map((path) => checkFile(join(folder, path), path, expected)));
  for await (const { path, isFolder } of walk(folder)) {
    if ([manifestName, signatureName, buildMarker].includes(path)) continue;
    if (isFolder && !folders.has(path)) throw new BundleRefusedError('file_unlisted', quoted(path));
    if (!isFolder) batch.push(path);
    if (batch.length < filesPerBatch) continue;
    await checkBatch();
    batch = [];
  }
  await checkBatch();
  expected.requireAll();
  return { ...checked, contentBytes: contentBytesOf(checked.manifest) };
}

async function checkFile(file: string, path: string, expected: ExpectedFiles): Promise<void> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { size: sizeBytes } = await handle.stat();
    // Streams are slow for small files.
    const content =
      sizeBytes > smallBytes
        ? (handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>)
        : once(await handle.readFile());
    for await (const _ of expected.verify({ path, sizeBytes, content }));
  } finally {
    await handle.close();
  }
}

async function* walk(folder: string, below = ''): AsyncGenerator<{ path: string; isFolder: boolean }> {
  for await (const entry of await opendir(join(folder, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isSymbolicLink()) throw new BundleRefusedError('link', quoted(path));
    if (!entry.isFile() && !entry.isDirectory()) throw new BundleRefusedError('special_file', quoted(path));
    yield { path, isFolder: entry.isDirectory() };
    if (entry.isDirectory()) yield* walk(folder, path);
  }
}

async function readRegularFile(file: string, maxBytes: number): Promise<Buffer | null> {
  const found = await lstat(file).catch(() => null);
  if (found === null) return null;
  if (!found.isFile()) throw new BundleRefusedError('link', quoted(file));
  if (found.size > maxBytes) throw new BundleRefusedError('too_large', quoted(file));
  return readFile(file);
}

function foldersOf({ files }: Manifest): Set<string> {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
