/** A release is an installed bundle in a folder that never changes afterwards. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Manifest, manifestName, parseManifest } from '@docyard/bundle';

export const recordName = 'release.json';

/** `release.json`: facts that are available without opening the manifest. */
const ReleaseRecord = z.object({
  format: z.literal(1),
  id: z.string(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  committedAt: z.string().nullable(),
  pages: z.int().min(0),
  files: z.int().min(0),
  contentBytes: z.int().min(0),
  manifestSha256: z.string(),
  /** Of the archive or the delta. */
  archiveSha256: z.string(),
  /** The verified key; null when no key was required. */
  signedBy: z.string().nullable(),
  installedAt: z.iso.datetime(),
  /** Without secrets. */
  origin: z.string(),
  /** The identifier of this content at the origin; null if it has none. */
  fingerprint: z.string().nullable(),
  /** The export on a Docyard server, against which a delta can be requested. */
  jobId: z.string().nullable(),
});
export type ReleaseRecord = z.infer<typeof ReleaseRecord>;

export interface Release extends ReleaseRecord {
  folder: string;
  siteFolder: string;
  compressedFolder: string;
  manifest: Manifest;
}

export function foldersOf(folder: string): Pick<Release, 'folder' | 'siteFolder' | 'compressedFolder'> {
  return { folder, siteFolder: join(folder, 'site'), compressedFolder: join(folder, 'compressed') };
}

/** Throws when the folder contains no release. */
export async function readRecord(folder: string): Promise<ReleaseRecord> {
  return ReleaseRecord.parse(JSON.parse(await readFile(join(folder, recordName), 'utf8')));
}

/** Throws when the manifest has changed since the installation. */
export async function openRelease(folder: string): Promise<Release> {
  const record = await readRecord(folder);
  const folders = foldersOf(folder);
  const bytes = await readFile(join(folders.siteFolder, manifestName));
  if (createHash('sha256').update(bytes).digest('hex') !== record.manifestSha256)
    throw new Error(`The manifest of release ${record.id} is not the one that was installed.`);
  return { ...record, ...folders, manifest: parseManifest(bytes) };
}
