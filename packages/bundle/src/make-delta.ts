/**
 * Makes a delta from two bundles. Both are read once, in parallel, because their files have the same order;
 * memory holds two versions of one file. The same bundles yield the same delta.
 */
import { createHash, hash } from 'node:crypto';
import { Archive, type PackedArchive } from './archive.ts';
import { inByteOrder } from './archive-blocks.ts';
import {
  contentPrefix,
  deltaName,
  manifestPatchName,
  removedPaths,
  type DeltaDescription,
} from './delta-description.ts';
import { manifestName, signatureName, type Manifest } from './manifest.ts';
import { parseManifest } from './read-manifest.ts';
import { makePatch, patchableBytes } from './patch.ts';
import { nextEntry, readEntries, type Entry } from './reader.ts';
import { readOpening, readSmall } from './unpack.ts';

export interface DeltaFacts extends PackedArchive {
  sha256: string;
  changedFiles: number;
  removedFiles: number;
}

interface DeltaOrder {
  /** The bytes of the two archives. */
  base: AsyncIterable<Uint8Array>;
  target: AsyncIterable<Uint8Array>;
  /** The name of a file to create and remove, or an open empty file. */
  spool: string | number;
  /** An open file. */
  output: number;
}

export async function makeDelta({ base, target, spool, output }: DeltaOrder): Promise<DeltaFacts> {
  const archive = new Archive(spool, {
    first: [deltaName, manifestPatchName, manifestName, signatureName],
  });
  try {
    const description = await OpenBundle.while(base, (before) =>
      OpenBundle.while(target, (after) => collect(archive, before, after)),
    );
    const archiveHash = createHash('sha256');
    const packed = await archive.pack(output, { hash: archiveHash });
    return {
      ...packed,
      sha256: archiveHash.digest('hex'),
      changedFiles: description.files.length,
      removedFiles: description.removed.length,
    };
  } finally {
    archive.close();
  }
}

async function collect(archive: Archive, before: OpenBundle, after: OpenBundle): Promise<DeltaDescription> {
  const files = await addChanges(archive, before, after);
  const manifestPatch = makePatch(before.manifestBytes, after.manifestBytes);
  if (manifestPatch === undefined) archive.add(manifestName, after.manifestBytes);
  else archive.add(manifestPatchName, manifestPatch);
  if (after.signature !== null) archive.add(signatureName, after.signature);
  const description: DeltaDescription = {
    format: 1,
    base: before.facts(),
    target: { ...after.facts(), manifestBytes: after.manifestBytes.length },
    removed: removedPaths(before.manifest, after.manifest),
    files,
  };
  archive.add(deltaName, Buffer.from(`${JSON.stringify(description, null, 1)}\n`));
  return description;
}

/** Adds the files whose content the base lacks. */
async function addChanges(
  archive: Archive,
  before: OpenBundle,
  after: OpenBundle,
): Promise<DeltaDescription['files']> {
  const known = new Set(before.manifest.files.map((file) => file.sha256));
  const needed = new Set(
    after.manifest.files.filter((file) => !known.has(file.sha256)).map(({ path }) => path),
  );
  const files: DeltaDescription['files'] = [];
  for (let entry = after.current; entry !== undefined; entry = await after.advance()) {
    if (!needed.has(entry.path)) continue;
    files.push({ path: entry.path, how: await addChange(archive, before, entry) });
  }
  return inByteOrder(files);
}

async function addChange(archive: Archive, before: OpenBundle, entry: Entry): Promise<'whole' | 'patch'> {
  const name = contentPrefix + entry.path;
  const old = await before.find(entry.path);
  if (old === undefined || old.sizeBytes > patchableBytes || entry.sizeBytes > patchableBytes) {
    await archive.addStream(name, entry.content);
    return 'whole';
  }
  const content = await readSmall(entry, patchableBytes);
  const patch = makePatch(await readSmall(old, patchableBytes), content);
  archive.add(name, patch ?? content);
  return patch === undefined ? 'whole' : 'patch';
}

/** A bundle that is read sequentially. */
class OpenBundle {
  readonly manifestBytes: Buffer;
  readonly manifest: Manifest;
  readonly signature: Buffer | null;
  readonly #entries: AsyncGenerator<Entry>;
  #current: Entry | undefined;

  static async while<Result>(
    archive: AsyncIterable<Uint8Array>,
    work: (bundle: OpenBundle) => Promise<Result>,
  ): Promise<Result> {
    const entries = readEntries(archive);
    try {
      return await work(new OpenBundle(entries, await readOpening(entries)));
    } finally {
      await entries.return(undefined);
    }
  }

  private constructor(entries: AsyncGenerator<Entry>, opening: Awaited<ReturnType<typeof readOpening>>) {
    this.#entries = entries;
    this.manifestBytes = opening.manifest;
    this.manifest = parseManifest(opening.manifest);
    this.signature = opening.signature;
    this.#current = opening.next;
  }

  facts(): DeltaDescription['base'] {
    const { version, commit } = this.manifest;
    return { manifestSha256: hash('sha256', this.manifestBytes), version, commit };
  }

  get current(): Entry | undefined {
    return this.#current;
  }

  async advance(): Promise<Entry | undefined> {
    return (this.#current = await nextEntry(this.#entries));
  }

  /** Advances to this file. Paths must be requested in the order of the archive. */
  async find(path: string): Promise<Entry | undefined> {
    const wanted = Buffer.from(path);
    for (let entry = this.#current; entry !== undefined; entry = await this.advance()) {
      const order = Buffer.compare(Buffer.from(entry.path), wanted);
      if (order >= 0) return order === 0 ? entry : undefined;
    }
    return undefined;
  }
}
