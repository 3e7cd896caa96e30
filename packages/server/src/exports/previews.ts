/** Creates links to previews of exported sites. Callers check access to the job. */
import type { CreatePreview, Preview, PreviewAudience } from '@docyard/api';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import { listAudiences, openAudiences, placeOfAudience } from './preview-audiences.ts';
import { signPreview } from './preview-links.ts';
import { finishedResult } from './read.ts';
import {
  markUsed,
  openPreview,
  type PreviewContext,
  previewLinkSeconds,
  type UnpackedSite,
} from './unpacked-sites.ts';

type LinkContext = PreviewContext & Pick<Context, 'clock' | 'database' | 'secrets'>;

interface PreviewRequest {
  job: Job;
  wanted: CreatePreview;
  /** Servers of published sites have keys that read bundles, and must not read sealed files with them. */
  canOpenGroups: boolean;
}

export async function createPreview(
  context: LinkContext,
  { job, wanted, canOpenGroups }: PreviewRequest,
): Promise<Preview> {
  const { attempt: generation } = finishedResult(job);
  const isForAll = (wanted.audience ?? []).length === 0 && wanted.signedIn !== false;
  if (!isForAll && !canOpenGroups) throw scopeMissing();
  const site = await openPreview(context, { jobId: job.id, generation });
  await markUsed(site.folder).catch(() => {});
  const audiences = await audiencesFor(context, site, { job, isForAll, canOpenGroups });
  const audience = placeOfAudience(audiences, wanted);
  if (audience !== undefined) await openAudiences(context, site, job.project_id);
  const expires = Math.floor(context.clock.now().getTime() / 1000) + previewLinkSeconds;
  const path = signPreview(context.secrets, { jobId: job.id, generation, expires, audience });
  const previewUrl = `${context.config.previewUrl ?? ''}${path}`;
  return { jobId: job.id, previewUrl, expiresAt: new Date(expires * 1000).toISOString(), audiences };
}

/** Readers without a group can be shown although the sealed files cannot be opened. */
async function audiencesFor(
  context: LinkContext,
  site: UnpackedSite,
  { job, isForAll, canOpenGroups }: { job: Job; isForAll: boolean; canOpenGroups: boolean },
): Promise<PreviewAudience[]> {
  const forAll: PreviewAudience[] = [{ audience: [], signedIn: true }];
  if (!canOpenGroups) return forAll;
  return listAudiences(context, site, job.project_id).catch((error: unknown) => {
    if (!isForAll || !(error instanceof Problem)) throw error;
    context.log.warn({ jobId: job.id, reason: error.message }, 'a preview has no pages for groups');
    return forAll;
  });
}

function scopeMissing(): Problem {
  return new Problem(
    'scope_missing',
    'Previews for groups need the scope `exports:write`. Use a key that has it, or omit `audience` and `signedIn`.',
  );
}
