/** Bundles and deltas written by the real writer. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { Archive } from '../../src/archive.ts';
import { makeDelta } from '../../src/make-delta.ts';
import { manifestName, signatureName } from '../../src/manifest.ts';
import { sign, type SigningKey } from '../../src/signature.ts';
import { inChunks, manifestOf, type Files } from './bundles.ts';

export async function packBundle(
  files: Files,
  { version = null, key }: { version?: string | null; key?: SigningKey } = {},
): Promise<Buffer> {
  const manifest = manifestOf(files, version);
  const signature = key === undefined ? {} : { [signatureName]: sign(key, manifest, 'test') };
  return packEntries({ [manifestName]: manifest, ...signature, ...files });
}

/** Packs arbitrary entries; `first` names those that precede the others. */
export async function packEntries(files: Files, first?: readonly string[]): Promise<Buffer> {
  const folder = temporaryFolder('packed');
  const archive = new Archive(join(folder, 'spool'), first === undefined ? {} : { first });
  for (const [path, content] of Object.entries(files)) archive.add(path, Buffer.from(content));
  const bytes = await packed(archive, join(folder, 'archive.tar.gz'));
  archive.close();
  return bytes;
}

export async function packed(archive: Archive, file: string): Promise<Buffer> {
  const output = openSync(file, 'w');
  await archive.pack(output);
  closeSync(output);
  return readFileSync(file);
}

export async function deltaOf(base: Uint8Array, target: Uint8Array): Promise<Buffer> {
  const folder = temporaryFolder('delta');
  const file = join(folder, 'delta.tar.gz');
  const output = openSync(file, 'w');
  const spool = join(folder, 'spool');
  await makeDelta({ base: inChunks(base), target: inChunks(target), spool, output });
  closeSync(output);
  return readFileSync(file);
}
