/**
 * Serves the pages of an unpacked export below a signed path. The pages are untrusted, so the CSP sandbox gives them
 * an opaque origin without cookies, storage or rights of the dashboard.
 */
import { join } from 'node:path';
import type { Context } from '../context.ts';
import {
  fileResponse,
  hasDotSegments,
  openSite,
  readRequestPath,
  type ServedSite,
  type StaticFile,
} from '@docyard/site/serving';
import type { OpenedRestricted } from '@docyard/site/restricted-files';
import { checkPreview, type PreviewLink } from '../exports/preview-links.ts';
import { openAudiences } from '../exports/preview-audiences.ts';
import { resultOf } from '../exports/record.ts';
import { forgetPreview, openPreview, type UnpackedSite } from '../exports/unpacked-sites.ts';
import { Problem } from '../problem.ts';
import { parsePreviewAddress, type PreviewPlace } from '../pull-requests/addresses.ts';
import { findShownExport } from '../pull-requests/shown.ts';
import { acceptsPage, noticePage } from './preview-notice.ts';
import { fileRequestOf, rawTarget, type Web } from './request.ts';

/**
 * Pages add their own policy. Popups may escape the sandbox only on a separate host; on the dashboard's host they
 * would get its origin.
 */
function policyOf({ publicUrl, previewUrl }: Context['config']): string {
  if (previewUrl === null || publicUrl === null) return "sandbox allow-scripts; frame-ancestors 'self'";
  const { origin } = new URL(publicUrl);
  return `sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; frame-ancestors ${origin}`;
}

const defaultHeaders = {
  // Fonts are requested from an opaque origin. The path already grants access to the files.
  'access-control-allow-origin': '*',
  'cache-control': 'private, max-age=0, must-revalidate',
  'x-robots-tag': 'noindex',
};

export async function servePreview(context: Context, web: Web): Promise<Response> {
  const response = await findPage(context, web).catch((error: unknown) => {
    const isNotice = error instanceof Problem && parsePreviewAddress(rawTarget(web)) !== null;
    if (!isNotice || !acceptsPage(web)) throw error;
    return noticePage(web, error);
  });
  response.headers.set('content-security-policy', policyOf(context.config));
  return response;
}

async function findPage(context: Context, web: Web): Promise<Response> {
  const target = rawTarget(web);
  const place = parsePreviewAddress(target);
  const { root, ...link } = place === null ? openLink(context, target) : await openPlace(context, place);
  const { projectId } = await requireExport(context, link);
  const requested = readRequestPath(target.slice(root.length) || '/');
  if (typeof requested === 'string' || hasDotSegments(requested.path)) throw notFound();
  // Relative links need the trailing slash.
  if (target.length === root.length || target[root.length] !== '/') return redirect(`${root}/`);
  const unpacked = await openPreview(context, link);
  const site =
    link.audience === undefined
      ? await siteOf(unpacked)
      : await audienceSiteOf(context, unpacked, { audience: link.audience, projectId });
  const found = site.find(requested.path);
  if (found !== undefined && 'redirect' in found) {
    const { to } = found.redirect;
    return redirect(to.startsWith('/') ? root + to : to);
  }
  const file = found?.file ?? site.notFound;
  if (file === undefined) throw notFound();
  return sendFile(web, file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    forgetPreview(unpacked);
    const message = 'The files of this preview were removed. Reload the page.';
    throw new Problem('storage_unavailable', message, { headers: { 'retry-after': '1' } });
  });
}

function openLink(context: Context, target: string): Omit<PreviewLink, 'expires'> & { root: string } {
  const nowSeconds = Math.floor(context.clock.now().getTime() / 1000);
  const link = checkPreview(context.secrets, { target, nowSeconds });
  if (link.verdict === 'malformed') throw notFound();
  if (link.verdict === 'invalid') {
    throw new Problem('link_invalid', 'This preview link was not created by this server or was modified.');
  }
  if (link.verdict === 'valid') return link;
  throw new Problem('link_expired', 'This preview has expired. Open it again from the export.');
}

/** The address of a pull request shows the pages of readers without a group. */
async function openPlace(
  context: Context,
  place: PreviewPlace | 'malformed',
): Promise<Omit<PreviewLink, 'expires'> & { root: string }> {
  const found = place === 'malformed' ? undefined : await findShownExport(context, place);
  if (place === 'malformed' || found === undefined) throw notFound();
  if ('missing' in found) throw found.missing;
  const generation = resultOf(found.job)?.attempt ?? 0;
  return { root: place.root, jobId: found.job.id, generation };
}

/** Cached files may outlive their job and must not be served after its deletion. */
async function requireExport(
  { database }: Context,
  { jobId, generation }: { jobId: string; generation: number },
): Promise<{ projectId: string }> {
  const job = await database
    .selectFrom('jobs')
    .select(['result', 'purged_at', 'project_id'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (job?.purged_at === null && resultOf(job)?.attempt === generation) return { projectId: job.project_id };
  throw new Problem('bundle_purged', 'The export of this preview was removed.');
}

const sites = new WeakMap<object, Promise<ServedSite>>();

function siteOf(unpacked: UnpackedSite, restricted?: OpenedRestricted): Promise<ServedSite> {
  const opened = restricted ?? unpacked;
  const known = sites.get(opened);
  if (known !== undefined) return known;
  const { folder, siteFolder, manifest } = unpacked;
  const compressedFolder = join(folder, '.none');
  const site = openSite({ id: folder, siteFolder, compressedFolder, manifest, restricted }).then((found) => {
    found.configure({ onlyHeaders: Object.entries(defaultHeaders).flat() });
    return found;
  });
  sites.set(opened, site);
  return site;
}

async function audienceSiteOf(
  context: Context,
  unpacked: UnpackedSite,
  { audience: place, projectId }: { audience: number; projectId: string },
): Promise<ServedSite> {
  const restricted = await openAudiences(context, unpacked, projectId);
  const audience = restricted?.audiences.audiences[place];
  if (audience === undefined) throw notFound();
  const site = await siteOf(unpacked, restricted);
  const ofAudience = await site.siteFor(audience.isSignedIn ? audience : undefined);
  if (ofAudience === undefined) throw notFound();
  return ofAudience;
}

async function sendFile(web: Web, file: StaticFile): Promise<Response> {
  const response = await fileResponse(file, fileRequestOf(web));
  if (response.status !== 416) return response;
  throw new Problem('range_not_satisfiable', `The file has ${file.plain.sizeBytes} bytes.`, {
    headers: { 'content-range': response.headers.get('content-range') ?? '' },
  });
}

function redirect(location: string): Response {
  return new Response(null, { status: 307, headers: { ...defaultHeaders, location } });
}

function notFound(): Problem {
  return new Problem('not_found', 'No such path.');
}
