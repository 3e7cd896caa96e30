/**
 * Exported sites unpacked for previews, in the cache of the data folder: verified and unpacked on the first
 * request, removed when unused. Callers check access.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import {
  BundleRefusedError,
  type Manifest,
  manifestName,
  parseManifest,
  unpackBundle,
} from '@docyard/bundle';
import type { Context } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import { Problem } from '../problem.ts';
import { blobName } from './record.ts';

export type PreviewContext = Pick<Context, 'blobs' | 'config' | 'log'>;

export interface UnpackedSite {
  /** Contains the site and the opened files of its audiences. */
  folder: string;
  siteFolder: string;
  manifest: Manifest;
}

export const previewLinkSeconds = 3600;
/** Longer than a link is valid. */
const retentionMs = 2 * previewLinkSeconds * 1000;
const maxUnpackedSites = 10;
const maxPending = 10;

/** By folder, the least recently used first. */
const opened = new Map<string, Promise<UnpackedSite>>();
let pending = 0;
let lastPending: Promise<unknown> = Promise.resolve();

/** Unpacks the site unless it exists; concurrent callers share the work. */
export function openPreview(
  context: PreviewContext,
  site: { jobId: string; generation: number },
): Promise<UnpackedSite> {
  const folder = join(previewsOf(context), `${site.jobId}-${site.generation}`);
  const known = opened.get(folder) ?? startUnpacking(context, { ...site, folder });
  opened.delete(folder);
  opened.set(folder, known);
  return known;
}

function startUnpacking(
  context: PreviewContext,
  site: { jobId: string; generation: number; folder: string },
): Promise<UnpackedSite> {
  const unpacked = inTurn(() => readUnpacked(site.folder).catch(() => unpack(context, site)));
  unpacked.catch(() => opened.delete(site.folder));
  return unpacked;
}

/** Work on the disk is done sequentially. */
export function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (pending >= maxPending) {
    throw new Problem('overloaded', 'Too many previews are being unpacked. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
  pending += 1;
  const done = lastPending.then(work).finally(() => (pending -= 1));
  lastPending = done.catch(() => {});
  return done;
}

async function readUnpacked(folder: string): Promise<UnpackedSite> {
  const siteFolder = siteFolderOf(folder);
  const manifest = parseManifest(await readFile(join(siteFolder, manifestName)));
  await markUsed(folder);
  return { folder, siteFolder, manifest };
}

/** The files of audiences are beside it. */
function siteFolderOf(folder: string): string {
  return join(folder, 'site');
}

export async function markUsed(folder: string): Promise<void> {
  await utimes(folder, new Date(), new Date());
}

/** Call it when files are missing; the next request unpacks them again. */
export function forgetPreview({ folder }: UnpackedSite): void {
  opened.delete(folder);
}

async function unpack(
  context: PreviewContext,
  { jobId, generation, folder }: { jobId: string; generation: number; folder: string },
): Promise<UnpackedSite> {
  const startedMs = performance.now();
  const name = blobName(jobId, generation, 'bundle.tar.gz');
  if ((await context.blobs.stat(name)) === undefined) {
    throw new Problem('bundle_purged', 'The bundle is no longer stored. Start a new export of the domain.');
  }
  await mkdir(previewsOf(context), { recursive: true, mode: 0o700 });
  await sweepPreviews(context, maxUnpackedSites - 1);
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  try {
    await mkdir(draft);
    const { manifest } = await unpackBundle(context.blobs.read(name), siteFolderOf(draft));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    const milliseconds = Math.round(performance.now() - startedMs);
    context.log.info({ jobId, files: manifest.files.length, milliseconds }, 'unpacked a preview');
    return { folder, siteFolder: siteFolderOf(folder), manifest };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Bundles of early versions have no manifest.
    if (error instanceof BundleRefusedError && error.refusal === 'manifest_missing') {
      const message =
        'The bundle was made by an early version and has no manifest. Start a new export of the domain.';
      throw new Problem('bundle_purged', message, { cause: error });
    }
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

/** Removes unused sites, and of the others all but the newest. */
export async function sweepPreviews(
  context: Pick<Context, 'config'>,
  maxSites: number = maxUnpackedSites,
): Promise<void> {
  const root = previewsOf(context);
  const names = await readdir(root).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const folder = join(root, name);
      const { mtimeMs } = await stat(folder).catch(() => ({ mtimeMs: 0 }));
      return { folder, mtimeMs, isDraft: name.endsWith('.draft') };
    }),
  );
  const newestFirst = found.filter(({ isDraft }) => !isDraft).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const oldest = Date.now() - retentionMs;
  for (const [place, { folder, mtimeMs }] of newestFirst.entries()) {
    if (place < maxSites && mtimeMs >= oldest) continue;
    opened.delete(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

function previewsOf({ config }: Pick<Context, 'config'>): string {
  return join(config.dataDir, 'cache', 'previews');
}

function diskFull(cause: unknown): Problem {
  return new Problem(
    'storage_unavailable',
    'The disk is too full to unpack a preview. Download the bundle instead.',
    {
      headers: { 'retry-after': '60' },
      cause,
    },
  );
}
