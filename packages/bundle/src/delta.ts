/**
 * A delta: what changed from one bundle to another, as an archive of its own. It holds `delta.json`, the manifest of the new
 * bundle as a patch, its signature, and of each file that is new or changed the whole or a patch. Nothing in it is believed:
 * what comes out is held to the new manifest, file by file and whole, exactly as if the full bundle had been unpacked.
 */
import { constants, createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import type { Archive } from './archive.ts';
import {
  changesOf,
  contentPrefix,
  deltaName,
  inByteOrder,
  manifestPatchName,
  parseDescription,
  type DeltaDescription,
} from './delta-description.ts';
import { manifestName, mostManifestBytes, signatureName, type Manifest } from './manifest.ts';
import { parseManifest } from './read-manifest.ts';
import { quoted } from './names.ts';
import { NewFolder } from './new-folder.ts';
import { applyPatch, patchableBytes } from './patch.ts';
import { readEntries, type Entry } from './reader.ts';
import { BundleRefused } from './refusal.ts';
import {
  checkManifest,
  contentBytesOf,
  ExpectedFiles,
  Measured,
  mostSignatureBytes,
  readSmall,
  type CheckedBundle,
  type Expectations,
  type TakeFile,
} from './unpack.ts';

/**
 * Makes the new site beside the one it was made from. `baseFolder` holds that one, unpacked; `folder` must not exist.
 * Unchanged files are copied, not linked: then nothing that happens to one release can reach another, and every byte is
 * hashed on its way, also of a base that has rotted since it was installed.
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

/** The same into an archive, which then has the bytes of the full bundle. */
export async function expandDelta(
  archive: AsyncIterable<Uint8Array>,
  { baseFolder, into }: { baseFolder: string; into: Archive },
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return readDelta(archive, baseFolder, expectations, (path, content) => into.addStream(path, content));
}

/** The same without writing. */
export async function checkDelta(
  archive: AsyncIterable<Uint8Array>,
  baseFolder: string,
  expectations: Expectations = {},
): Promise<CheckedBundle> {
  return readDelta(archive, baseFolder, expectations, async (_path, content) => {
    for await (const _ of content);
  });
}

/** What a delta says of itself, without its base. That the file is whole is all that is proven. */
export async function describeDelta(
  archive: AsyncIterable<Uint8Array>,
  { sha256: expected }: Pick<Expectations, 'sha256'> = {},
): Promise<{ description: DeltaDescription } & ReturnType<Measured['result']>> {
  const measured = new Measured(archive);
  const entries = readEntries(measured.chunks());
  const { description } = await readOpening(entries);
  // Whatever follows is read, and refused when it has not the form of an archive.
  for await (const _ of entries);
  return { description, ...measured.result(expected) };
}

/** By the first entry. Nothing else of the file is looked at. */
export async function archiveKind(file: string): Promise<'bundle' | 'delta'> {
  const entries = readEntries(createReadStream(file));
  try {
    const { value: first } = (await entries.next()) as { value: Entry | undefined };
    if (first?.path === deltaName) return 'delta';
    if (first?.path === manifestName) return 'bundle';
    throw new BundleRefused('manifest_missing');
  } finally {
    await entries.return(undefined);
  }
}

async function readDelta(
  archive: AsyncIterable<Uint8Array>,
  baseFolder: string,
  expectations: Expectations,
  take: TakeFile,
): Promise<CheckedBundle> {
  const measured = new Measured(archive);
  const entries = readEntries(measured.chunks());
  try {
    const { description, manifestEntry, ...opening } = await readOpening(entries);
    const base = await openBase(baseFolder, description);
    const manifest = newManifest(description, manifestEntry, base);
    const checked = checkManifest(manifest, opening.signature, expectations);
    const changes = changesOf(description, base.manifest, checked.manifest);
    await take(manifestName, once(manifest), manifest.length);
    if (opening.signature !== null)
      await take(signatureName, once(opening.signature), opening.signature.length);
    const expected = new ExpectedFiles(checked.manifest);
    let next = insistOnListed(opening.next, changes);
    for (const file of inByteOrder(checked.manifest.files)) {
      const how = changes.get(file.path);
      const content = how === undefined ? base.open(file) : await contentIn(next, { file, how, base });
      await take(file.path, expected.hold({ ...file, content }), file.sizeBytes);
      if (how !== undefined) next = insistOnListed(await nextOf(entries), changes);
    }
    if (next !== undefined) throw new BundleRefused('duplicate', quoted(next.path));
    const measures = measured.result(expectations.sha256);
    return { ...checked, contentBytes: contentBytesOf(checked.manifest), ...measures };
  } finally {
    await entries.return(undefined);
  }
}

/* What stands before the content */

async function readOpening(entries: AsyncGenerator<Entry>) {
  const first = await nextOf(entries);
  if (first?.path !== deltaName)
    throw new BundleRefused('delta_invalid', `It does not begin with ${deltaName}.`);
  const description = parseDescription(await readSmall(first, mostManifestBytes));
  const second = await nextOf(entries);
  if (second?.path !== manifestPatchName && second?.path !== manifestName)
    throw new BundleRefused('manifest_missing', 'It is not in the delta either.');
  const manifestEntry = { path: second.path, bytes: await readSmall(second, mostManifestBytes) };
  const third = await nextOf(entries);
  if (third?.path !== signatureName) return { description, manifestEntry, signature: null, next: third };
  const signature = await readSmall(third, mostSignatureBytes);
  return { description, manifestEntry, signature, next: await nextOf(entries) };
}

function newManifest(
  { target }: DeltaDescription,
  { path, bytes }: { path: string; bytes: Buffer },
  base: Base,
): Uint8Array {
  const manifest =
    path === manifestName ? bytes : applyPatch(base.manifestBytes, bytes, target.manifestBytes);
  if (hash('sha256', manifest) !== target.manifestSha256)
    throw new BundleRefused('delta_invalid', 'It does not lead to the manifest that it names.');
  return manifest;
}

/* The content */

type File = Manifest['files'][number];

function insistOnListed(entry: Entry | undefined, changes: Map<string, unknown>): Entry | undefined {
  if (entry === undefined) return undefined;
  const isListed =
    entry.path.startsWith(contentPrefix) && changes.has(entry.path.slice(contentPrefix.length));
  if (!isListed) throw new BundleRefused('file_unlisted', quoted(entry.path));
  return entry;
}

async function contentIn(
  entry: Entry | undefined,
  { file, how, base }: { file: File; how: 'whole' | 'patch'; base: Base },
): Promise<AsyncIterable<Uint8Array>> {
  if (entry?.path !== contentPrefix + file.path) throw new BundleRefused('file_missing', quoted(file.path));
  if (how === 'whole') {
    if (entry.sizeBytes !== file.sizeBytes)
      throw new BundleRefused('file_changed', `${quoted(file.path)} has ${entry.sizeBytes} bytes.`);
    return entry.content;
  }
  const patch = await readSmall(entry, patchableBytes);
  return once(applyPatch(await base.readWhole(file.path), patch, file.sizeBytes));
}

/** The unpacked bundle that the delta was made from. */
interface Base {
  manifestBytes: Buffer;
  manifest: Manifest;
  /** Some file with this content, or a refusal. */
  open(file: File): AsyncIterable<Uint8Array>;
  /** A file that is to be patched. */
  readWhole(path: string): Promise<Buffer>;
}

async function openBase(folder: string, { base }: DeltaDescription): Promise<Base> {
  const manifestBytes = await readFile(join(folder, manifestName)).catch((error: unknown) => {
    throw absent(error, manifestName);
  });
  const found = hash('sha256', manifestBytes);
  if (found !== base.manifestSha256)
    throw new BundleRefused(
      'base_missing',
      `It was made from ${named(base)}. Here is ${found.slice(0, 12)}.`,
    );
  const manifest = parseManifest(manifestBytes);
  const byHash = new Map(manifest.files.map((file) => [file.sha256, file.path]));
  const byPath = new Map(manifest.files.map((file) => [file.path, file]));
  return {
    manifestBytes,
    manifest,
    open(file) {
      const same = byPath.get(file.path)?.sha256 === file.sha256 ? file.path : byHash.get(file.sha256);
      if (same === undefined) throw new BundleRefused('file_missing', quoted(file.path));
      return chunksOf(folder, same);
    },
    async readWhole(path) {
      const listed = byPath.get(path);
      if (listed === undefined || listed.sizeBytes > patchableBytes)
        throw new BundleRefused('delta_invalid', `There is nothing to patch for ${quoted(path)}.`);
      const chunks: Uint8Array[] = [];
      for await (const chunk of chunksOf(folder, path)) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
  };
}

/** Never through a link: the folder is ours, but it has been lying there since. */
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
  return new BundleRefused('base_missing', `${quoted(path)} is gone from it.`);
}

function named({ version, manifestSha256 }: DeltaDescription['base']): string {
  const short = manifestSha256.slice(0, 12);
  return version === null ? `the manifest ${short}` : `version ${quoted(version)}, manifest ${short}`;
}

async function nextOf(entries: AsyncGenerator<Entry>): Promise<Entry | undefined> {
  const { value } = (await entries.next()) as { value: Entry | undefined };
  return value;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
