/**
 * Gives out links to the bundle of a completed export. The archive was made by the job: this only signs.
 */
import type { Bundle } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { signLink } from './links.ts';
import { finishedResult } from './read.ts';

export function createBundleLink(
  context: Pick<Context, 'clock' | 'config' | 'secrets'>,
  input: { job: Job; origin: string; ttlSeconds?: number | undefined },
): Bundle {
  const { bundle, attempt } = finishedResult(input.job);
  const nowSeconds = Math.floor(context.clock.now().getTime() / 1000);
  const expires = nowSeconds + (input.ttlSeconds ?? context.config.linkSeconds);
  const path = signLink(context.secrets, {
    jobId: input.job.id,
    generation: attempt,
    host: new URL(input.origin).host,
    notBefore: nowSeconds,
    expires,
  });
  return {
    jobId: input.job.id,
    bundleUrl: input.origin + path,
    sizeBytes: bundle.sizeBytes,
    expiresAt: new Date(expires * 1000).toISOString(),
    sha256: bundle.sha256,
  };
}
