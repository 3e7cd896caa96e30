/**
 * Opens the sealed files of a release, which only some readers may see. They are written beside the site, once, so that they
 * are served like other files. Without a verified signature they stay sealed.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Audiences,
  BundleRefusedError,
  checkManifest,
  type ContentKey,
  type Manifest,
  manifestName,
  NewFolder,
  openAudiences,
  type PublicKey,
  sealedIndexPath,
  sealedPathOf,
  signatureName,
  unsealFile,
} from '@docyard/bundle';
import { syncFolder } from '../disk/durable-file.ts';
import { precompressFiles } from '../serving/compressed-files.ts';
import type { ListedFile, RestrictedFolders } from '../serving/release-content.ts';
import { foldersOf } from './release.ts';

export interface AccessKeys {
  publicKeys: readonly PublicKey[];
  contentKey: ContentKey | null;
}

export interface OpenedRestricted extends RestrictedFolders {
  audiences: Audiences;
}

/** Why the sealed files of a release stay sealed although nothing is wrong with them. */
export class RestrictedNotOpenedError extends Error {
  override name = 'RestrictedNotOpenedError';
}

interface Options {
  /** A name for unfinished work. */
  draftFolder: string;
  /** The folder of an earlier release, whose compressed files are reused. */
  reuseFrom?: string | undefined;
  signal?: AbortSignal | undefined;
  /** False for sites with few readers. Default: true. */
  isPrecompressed?: boolean;
}

/**
 * Undefined for a release without sealed files. Throws RestrictedNotOpenedError when a setting is missing, and
 * BundleRefusedError when the files cannot be opened.
 */
export async function openRestricted(
  folder: string,
  manifest: Manifest,
  keys: AccessKeys,
  options: Options,
): Promise<OpenedRestricted | undefined> {
  const index = await openIndex(folder, manifest, keys);
  if (index === undefined) return undefined;
  const { siteFolder } = foldersOf(folder);
  const { contentKey, audiences } = index;
  const restricted = restrictedFoldersOf(folder);
  if (!existsSync(restricted.folder))
    await writeFiles(
      siteFolder,
      { contentKey, files: restrictedFiles(manifest, audiences) },
      restricted,
      options,
    );
  return { ...restricted, audiences };
}

/** As `openRestricted`, but the sealed files stay sealed. */
export async function readAudiences(
  folder: string,
  manifest: Manifest,
  keys: AccessKeys,
): Promise<Audiences | undefined> {
  return (await openIndex(folder, manifest, keys))?.audiences;
}

async function openIndex(
  folder: string,
  manifest: Manifest,
  keys: AccessKeys,
): Promise<{ contentKey: ContentKey; audiences: Audiences } | undefined> {
  if (manifest.access === undefined) return undefined;
  const { siteFolder } = foldersOf(folder);
  const contentKey = await requireKeys(siteFolder, manifest.access, keys);
  const index = await readSealed(siteFolder, sealedIndexPath);
  return { contentKey, audiences: openAudiences(contentKey, index, manifest) };
}

async function requireKeys(
  siteFolder: string,
  access: NonNullable<Manifest['access']>,
  { publicKeys, contentKey }: AccessKeys,
): Promise<ContentKey> {
  if (contentKey === null)
    throw new RestrictedNotOpenedError(
      'The content key is missing. Set access.contentKeyFile to the file with the content key.',
    );
  if (publicKeys.length === 0)
    throw new RestrictedNotOpenedError(
      'The signature of the bundle is not verified. Set staticExport.publicKey to the key that signs it.',
    );
  const signature = await readFile(join(siteFolder, signatureName)).catch(() => null);
  checkManifest(await readFile(join(siteFolder, manifestName)), signature, { publicKeys });
  if (access.keyId !== contentKey.keyId)
    throw new BundleRefusedError(
      'sealed_unreadable',
      `The bundle needs the content key ${access.keyId}, but access.contentKeyFile has ${contentKey.keyId}.`,
    );
  return contentKey;
}

/** Each content once. A file that the manifest lists is public. */
function restrictedFiles({ files }: Manifest, { audiences }: Audiences): ListedFile[] {
  const publicHashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const bySha256 = new Map<string, ListedFile>();
  for (const audience of audiences)
    for (const file of audience.files)
      if (publicHashes.get(file.path) !== file.sha256) bySha256.set(file.sha256, file);
  return [...bySha256.values()];
}

/** Renamed into place when all files are complete. */
async function writeFiles(
  siteFolder: string,
  { contentKey, files }: { contentKey: ContentKey; files: readonly ListedFile[] },
  { folder }: { folder: string },
  { draftFolder, reuseFrom, signal, isPrecompressed = true }: Options,
): Promise<void> {
  const draft = foldersIn(draftFolder);
  // The files are no longer encrypted.
  await mkdir(draftFolder, { mode: 0o700 });
  try {
    await NewFolder.fill(draft.filesFolder, async (written) => {
      for (const file of files) {
        signal?.throwIfAborted();
        const sealed = await readSealed(siteFolder, sealedPathOf(contentKey, file.sha256));
        const content = unsealFile(contentKey, file, sealed);
        await written.write(file.sha256, oneChunk(content), content.length);
      }
    });
    const { filesFolder, compressedFolder } = draft;
    const fileOf = ({ sha256 }: ListedFile) => join(filesFolder, sha256);
    if (isPrecompressed)
      await precompressFiles(
        { files: [...files], fileOf, compressedFolder },
        { reuseFrom: reuseFrom && restrictedFoldersOf(reuseFrom).compressedFolder, signal },
      );
    await syncFolder(draftFolder);
    await rename(draftFolder, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error;
    });
    await syncFolder(join(folder, '..'));
  } finally {
    await rm(draftFolder, { recursive: true, force: true });
  }
}

async function readSealed(siteFolder: string, path: string): Promise<Buffer> {
  return readFile(join(siteFolder, path)).catch((error: unknown) => {
    throw new BundleRefusedError('sealed_unreadable', `${path} is missing.`, { cause: error });
  });
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function restrictedFoldersOf(releaseFolder: string): RestrictedFolders & { folder: string } {
  const folder = join(releaseFolder, 'restricted');
  return { folder, ...foldersIn(folder) };
}

function foldersIn(folder: string): RestrictedFolders {
  return { filesFolder: join(folder, 'files'), compressedFolder: join(folder, 'compressed') };
}
