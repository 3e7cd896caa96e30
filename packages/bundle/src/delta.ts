/**
 * Applies deltas. A delta contains `delta.json`, a patch of the manifest, its signature, and new or changed
 * files or their patches. Nothing in it is trusted: the result is checked against the signed manifest like a
 * full bundle.
 */
import { constants, createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import type { Archive } from './archive.ts';
import { inByteOrder } from './archive-blocks.ts';
import {
  changesOf,
  contentPrefix,
  deltaName,
  manifestPatchName,
  parseDescription,
  type DeltaDescription,
} from './delta-description.ts';
import { manifestName, maxManifestBytes, signatureName, type Manifest } from './manifest.ts';
import { parseManifest } from './read-manifest.ts';
import { quoted } from './names.ts';
import { NewFolder } from './new-folder.ts';
import { applyPatch, patchableBytes } from './patch.ts';
import { nextEntry, readEntries, type Entry } from './reader.ts';
import { BundleRefusedError } from './refusal.ts';
import {
  checkManifest,
  contentBytesOf,
  ExpectedFiles,
  Measured,
  maxSignatureBytes,
  once,
  readSmall,
  type CheckedBundle,
  type Expectations,
  type TakeFile,
} from './unpack.ts';

/**
 * Creates the new site in `folder`, which must not exist, from the unpacked base. Unchanged files are copied
 * rather than linked, so that releases stay independent and every byte is hashed.
 */
export async function unpackDelta(
  archive: AsyncIterable<Uint8Array>,
  { baseFolder, folder }: { baseFolder: string; folder: string },
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return NewFolder.fill(folder, (files) =>
    readDelta(archive, baseFolder, expectations, (path, content, sizeBytes) =>
      files.write(path, content, sizeBytes),
    ),
  );
}

/** Writes the full bundle into an archive. */
export async function expandDelta(
  archive: AsyncIterable<Uint8Array>,
  { baseFolder, into }: { baseFolder: string; into: Archive },
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return readDelta(archive, baseFolder, expectations, (path, content) => into.addStream(path, content));
}

/** Checks the delta without writing. */
export async function checkDelta(
  archive: AsyncIterable<Uint8Array>,
  baseFolder: string,
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return readDelta(archive, baseFolder, expectations, async (_path, content) => {
    for await (const _ of content);
  });
}

/** The description of a delta without its base. Only the integrity of the file is proven. */
export async function describeDelta(
  archive: AsyncIterable<Uint8Array>,
  { sha256: expected }: Pick<Expectations, 'sha256'> = {},
): Promise<{ description: DeltaDescription } & ReturnType<Measured['result']>> {
  const measured = new Measured(archive);
  const entries = readEntries(measured.chunks());
  const { description } = await readOpening(entries);
  // Reads the rest to validate the archive.
  for await (const _ of entries);
  return { description, ...measured.result(expected) };
}

/** Decided by the first entry. */
export async function archiveKind(file: string): Promise<'bundle' | 'delta'> {
  const entries = readEntries(createReadStream(file));
  try {
    const first = await nextEntry(entries);
    if (first?.path === deltaName) return 'delta';
    if (first?.path === manifestName) return 'bundle';
    throw new BundleRefusedError('manifest_missing');
  } finally {
    await entries.return(undefined);
  }
}

async function readDelta(
  archive: AsyncIterable<Uint8Array>,
  baseFolder: string,
  expectations: Expectations,
  onFile: TakeFile,
): Promise<CheckedBundle> {
  const measured = new Measured(archive);
  const entries = readEntries(measured.chunks());
  try {
    const { description, manifestEntry, ...opening } = await readOpening(entries);
    const base = await openBase(baseFolder, description);
    const manifest = newManifest(description, manifestEntry, base);
    const checked = checkManifest(manifest, opening.signature, expectations);
    const changes = changesOf(description, base.manifest, checked.manifest);
    await onFile(manifestName, once(manifest), manifest.length);
    if (opening.signature !== null)
      await onFile(signatureName, once(opening.signature), opening.signature.length);
    const expected = new ExpectedFiles(checked.manifest);
    let next = requireListed(opening.next, changes);
    for (const file of inByteOrder(checked.manifest.files)) {
      const how = changes.get(file.path);
      const content = how === undefined ? base.open(file) : await contentIn(next, { file, how, base });
      await onFile(file.path, expected.verify({ ...file, content }), file.sizeBytes);
      if (how !== undefined) next = requireListed(await nextEntry(entries), changes);
    }
    if (next !== undefined) throw new BundleRefusedError('duplicate', quoted(next.path));
    const measures = measured.result(expectations.sha256);
    return { ...checked, contentBytes: contentBytesOf(checked.manifest), ...measures };
  } finally {
    await entries.return(undefined);
  }
}

async function readOpening(entries: AsyncGenerator<Entry>) {
  const first = await nextEntry(entries);
  if (first?.path !== deltaName)
    throw new BundleRefusedError('delta_invalid', `It does not begin with ${deltaName}.`);
  const description = parseDescription(await readSmall(first, maxManifestBytes));
  const second = await nextEntry(entries);
  if (second?.path !== manifestPatchName && second?.path !== manifestName)
    throw new BundleRefusedError('manifest_missing', 'It is not in the delta either.');
  const manifestEntry = { path: second.path, bytes: await readSmall(second, maxManifestBytes) };
  const third = await nextEntry(entries);
  if (third?.path !== signatureName) return { description, manifestEntry, signature: null, next: third };
  const signature = await readSmall(third, maxSignatureBytes);
  return { description, manifestEntry, signature, next: await nextEntry(entries) };
}

function newManifest(
  { target }: DeltaDescription,
  { path, bytes }: { path: string; bytes: Buffer },
  base: Base,
): Uint8Array {
  const manifest =
    path === manifestName ? bytes : applyPatch(base.manifestBytes, bytes, target.manifestBytes);
  if (hash('sha256', manifest) !== target.manifestSha256)
    throw new BundleRefusedError('delta_invalid', 'The patched manifest does not have the described hash.');
  return manifest;
}

type File = Manifest['files'][number];

function requireListed(entry: Entry | undefined, changes: Map<string, unknown>): Entry | undefined {
  if (entry === undefined) return undefined;
  const isListed =
    entry.path.startsWith(contentPrefix) && changes.has(entry.path.slice(contentPrefix.length));
  if (!isListed) throw new BundleRefusedError('file_unlisted', quoted(entry.path));
  return entry;
}

async function contentIn(
  entry: Entry | undefined,
  { file, how, base }: { file: File; how: 'whole' | 'patch'; base: Base },
): Promise<AsyncIterable<Uint8Array>> {
  if (entry?.path !== contentPrefix + file.path)
    throw new BundleRefusedError('file_missing', quoted(file.path));
  if (how === 'whole') {
    if (entry.sizeBytes !== file.sizeBytes)
      throw new BundleRefusedError('file_changed', `${quoted(file.path)} has ${entry.sizeBytes} bytes.`);
    return entry.content;
  }
  const patch = await readSmall(entry, patchableBytes);
  return once(applyPatch(await base.readWhole(file.path), patch, file.sizeBytes));
}

/** The unpacked bundle that the delta is based on. */
interface Base {
  manifestBytes: Buffer;
  manifest: Manifest;
  /** Opens a file with this content. */
  open(file: File): AsyncIterable<Uint8Array>;
  /** Reads a file that is to be patched. */
  readWhole(path: string): Promise<Buffer>;
}

async function openBase(folder: string, { base }: DeltaDescription): Promise<Base> {
  const manifestBytes = await readFile(join(folder, manifestName)).catch((error: unknown) => {
    throw absent(error, manifestName);
  });
  const found = hash('sha256', manifestBytes);
  if (found !== base.manifestSha256)
    throw new BundleRefusedError(
      'base_missing',
      `It is based on ${named(base)}, but ${found.slice(0, 12)} is installed.`,
    );
  const manifest = parseManifest(manifestBytes);
  const byHash = new Map(manifest.files.map((file) => [file.sha256, file.path]));
  const byPath = new Map(manifest.files.map((file) => [file.path, file]));
  return {
    manifestBytes,
    manifest,
    open(file) {
      const same = byPath.get(file.path)?.sha256 === file.sha256 ? file.path : byHash.get(file.sha256);
      if (same === undefined) throw new BundleRefusedError('file_missing', quoted(file.path));
      return chunksOf(folder, same);
    },
    async readWhole(path) {
      const listed = byPath.get(path);
      if (listed === undefined || listed.sizeBytes > patchableBytes)
        throw new BundleRefusedError('delta_invalid', `The base has no file to patch for ${quoted(path)}.`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of chunksOf(folder, path)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

/** O_NOFOLLOW: the folder may have been changed since it was installed. */
async function* chunksOf(folder: string, path: string): AsyncGenerator<Uint8Array> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const handle = await open(join(folder, path), flags).catch((error: unknown) => {
    throw absent(error, path);
  });
  try {
    yield* handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>;
  } finally {
    await handle.close();
  }
}

function absent(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'ENOTDIR') return error;
  return new BundleRefusedError('base_missing', `${quoted(path)} is missing from it.`);
}

function named({ version, manifestSha256 }: DeltaDescription['base']): string {
  const short = manifestSha256.slice(0, 12);
  return version === null ? `the manifest ${short}` : `version ${quoted(version)}, manifest ${short}`;
}
