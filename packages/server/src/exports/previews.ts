/**
 * Exported sites unpacked for looking at, in the cache of the data folder: each when it is first asked for, checked like any
 * other bundle, and removed when nobody has looked at it for a while. Who may look is decided elsewhere.
 */
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Preview } from '@docyard/api';
import { type Manifest, manifestName, parseManifest, unpackBundle } from '@docyard/bundle';
import type { Context } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import type { Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import { signPreview } from './preview-links.ts';
import { finishedResult } from './read.ts';
import { blobName } from './record.ts';

type PreviewContext = Pick<Context, 'blobs' | 'config' | 'log'>;

export interface UnpackedSite {
  folder: string;
  manifest: Manifest;
}

const lifetimeSeconds = 3600;
/** Longer than a link lives: whoever has one finds the files. */
const keptMs = 2 * lifetimeSeconds * 1000;
const mostKept = 10;
const mostWaiting = 10;

export async function createPreview(
  context: PreviewContext & Pick<Context, 'clock' | 'secrets'>,
  job: Job,
): Promise<Preview> {
  const { attempt: generation } = finishedResult(job);
  const { folder } = await openPreview(context, { jobId: job.id, generation });
  await markUsed(folder).catch(() => {});
  const expires = Math.floor(context.clock.now().getTime() / 1000) + lifetimeSeconds;
  const path = signPreview(context.secrets, { jobId: job.id, generation, expires });
  const previewUrl = `${context.config.previewUrl ?? ''}${path}`;
  return { jobId: job.id, previewUrl, expiresAt: new Date(expires * 1000).toISOString() };
}

/** By folder, the one that was used longest ago first. */
const opened = new Map<string, Promise<UnpackedSite>>();
let waiting = 0;
let lastInLine: Promise<unknown> = Promise.resolve();

/** Unpacks it unless it is there; callers who ask at once share the work. */
export function openPreview(
  context: PreviewContext,
  site: { jobId: string; generation: number },
): Promise<UnpackedSite> {
  const folder = join(previewsOf(context), `${site.jobId}-${site.generation}`);
  const known = opened.get(folder) ?? begin(context, { ...site, folder });
  opened.delete(folder);
  opened.set(folder, known);
  return known;
}

/** One after another: unpacking takes a core and the disk. */
function begin(
  context: PreviewContext,
  site: { jobId: string; generation: number; folder: string },
): Promise<UnpackedSite> {
  if (waiting >= mostWaiting) {
    throw new Problem('overloaded', 'Too many previews are being unpacked. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
  waiting += 1;
  const made = lastInLine
    .then(() => readUnpacked(site.folder).catch(() => unpack(context, site)))
    .finally(() => (waiting -= 1));
  lastInLine = made.catch(() => {});
  made.catch(() => opened.delete(site.folder));
  return made;
}

async function readUnpacked(folder: string): Promise<UnpackedSite> {
  const manifest = parseManifest(await readFile(join(folder, manifestName)));
  await markUsed(folder);
  return { folder, manifest };
}

async function markUsed(folder: string): Promise<void> {
  await utimes(folder, new Date(), new Date());
}

/** For whoever finds that its files are gone: they are unpacked again with the next request. */
export function forgetPreview({ folder }: UnpackedSite): void {
  opened.delete(folder);
}

async function unpack(
  context: PreviewContext,
  { jobId, generation, folder }: { jobId: string; generation: number; folder: string },
): Promise<UnpackedSite> {
  const began = performance.now();
  const name = blobName(jobId, generation, 'bundle.tar.gz');
  if ((await context.blobs.stat(name)) === undefined) {
    throw new Problem('bundle_purged', 'The bundle is no longer stored. Start a new export of the domain.');
  }
  await mkdir(previewsOf(context), { recursive: true, mode: 0o700 });
  await sweepPreviews(context, mostKept - 1);
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  try {
    const { manifest } = await unpackBundle(context.blobs.read(name), draft);
    await rename(draft, folder);
    const milliseconds = Math.round(performance.now() - began);
    context.log.info({ jobId, files: manifest.files.length, milliseconds }, 'unpacked a preview');
    return { folder, manifest };
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

/** Removes what has not been used for long, and of the rest all but the newest. */
export async function sweepPreviews(
  context: Pick<Context, 'config'>,
  most: number = mostKept,
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
  const oldest = Date.now() - keptMs;
  for (const [place, { folder, mtimeMs }] of newestFirst.entries()) {
    if (place < most && mtimeMs >= oldest) continue;
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
    'The disk is full, and a preview needs room. Download the bundle.',
    {
      headers: { 'retry-after': '60' },
      cause,
    },
  );
}
