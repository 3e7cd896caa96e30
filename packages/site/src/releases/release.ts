/**
 * A release: one bundle as it was installed, in a folder that is never written to again. Its record tells where it came
 * from; what it holds is told by the manifest inside.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Manifest, manifestName, parseManifest } from '@docyard/bundle';

export const recordName = 'release.json';

/** `release.json`: what is told of a release without opening its manifest, which may have megabytes. */
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
  /** Of the archive, or of the delta that made it. */
  archiveSha256: z.string(),
  /** The key whose signature was checked; null when none was asked for. */
  signedBy: z.string().nullable(),
  installedAt: z.iso.datetime(),
  /** Where it came from, without anything secret. */
  origin: z.string(),
  /** What the origin called exactly this content; null when it calls it nothing. */
  fingerprint: z.string().nullable(),
  /** The export that made it, when the origin is a Docyard server: what a delta can be asked for against. */
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

/** Throws when the folder holds no release. */
export async function readRecord(folder: string): Promise<ReleaseRecord> {
  return ReleaseRecord.parse(JSON.parse(await readFile(join(folder, recordName), 'utf8')));
}

/** With its manifest, which must still be the one that was installed. */
export async function openRelease(folder: string): Promise<Release> {
  const record = await readRecord(folder);
  const folders = foldersOf(folder);
  const bytes = await readFile(join(folders.siteFolder, manifestName));
  if (createHash('sha256').update(bytes).digest('hex') !== record.manifestSha256)
    throw new Error(`The manifest of release ${record.id} is not the one that was installed.`);
  return { ...record, ...folders, manifest: parseManifest(bytes) };
}
