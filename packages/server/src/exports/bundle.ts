/** Creates download links for the bundle of a completed export, or for its delta from another export. */
import type { Bundle } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import type { BlobLink } from '../ports/blobs.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import { deltaSince } from './delta.ts';
import { bundleFileName, signLink, type LinkedFile } from './links.ts';
import { finishedResult } from './read.ts';
import { blobName } from './record.ts';

interface BundleRequest {
  job: Job;
  /** The access scope of the caller. It must include the job and the one it is compared with. */
  reach: AccessScope;
  origin: string;
  ttlSeconds?: number | undefined;
  /** The job whose bundle the caller has. The link then leads to the delta from that bundle. */
  since?: string | undefined;
  /** S3 signs a link for one method only. */
  method?: 'GET' | 'HEAD';
}

export async function createBundleLink(
  context: Pick<Context, 'blobs' | 'clock' | 'config' | 'database' | 'log' | 'secrets'>,
  request: BundleRequest,
): Promise<Bundle> {
  const { job, reach, method = 'GET', since } = request;
  const { bundle, attempt } = finishedResult(job);
  // Reports an unavailable store now instead of returning a broken link.
  if ((await context.blobs.stat(blobName(job.id, attempt, bundleFileName))) === undefined) {
    throw new Problem('bundle_purged', 'The bundle is no longer stored. Start a new export of the domain.');
  }
  const { file, sizeBytes, sha256 } =
    since === undefined
      ? { ...bundle, file: bundleFileName as LinkedFile }
      : await deltaSince(context, { job, since, reach });
  const seconds = request.ttlSeconds ?? context.config.linkSeconds;
  const link =
    (await context.blobs.link(blobName(job.id, attempt, file), { seconds, fileName: file, method })) ??
    linkToThisServer(context, request, { file, generation: attempt, seconds });
  return {
    jobId: job.id,
    bundleUrl: link.url,
    sizeBytes,
    expiresAt: link.expiresAt.toISOString(),
    sha256,
  };
}

function linkToThisServer(
  { clock, secrets }: Pick<Context, 'clock' | 'secrets'>,
  { job, origin }: BundleRequest,
  { file, generation, seconds }: { file: LinkedFile; generation: number; seconds: number },
): BlobLink {
  const notBefore = Math.floor(clock.now().getTime() / 1000);
  const expires = notBefore + seconds;
  const host = new URL(origin).host;
  const path = signLink(secrets, { jobId: job.id, file, generation, host, notBefore, expires });
  return { url: origin + path, expiresAt: new Date(expires * 1000) };
}
