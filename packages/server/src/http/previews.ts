/**
 * Serves the pages of an unpacked export below a signed path. They are strangers' pages on our host: the browser is told to
 * treat them as an origin of their own, without cookies, storage or rights of the dashboard.
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
import { checkPreview, type PreviewLink } from '../exports/preview-links.ts';
import { forgetPreview, openPreview, type UnpackedSite } from '../exports/previews.ts';
import { resultOf } from '../exports/record.ts';
import { Problem } from '../problem.ts';
import { fileRequestOf, rawTarget, type Web } from './request.ts';

/**
 * The pages bring a policy of their own, which holds as well. On a host of their own they may open links as the real site does; on
 * that of the dashboard a window that leaves the sandbox would be one of its origin.
 */
function policyOf({ publicUrl, previewUrl }: Context['config']): string {
  if (previewUrl === null || publicUrl === null) return "sandbox allow-scripts; frame-ancestors 'self'";
  const { origin } = new URL(publicUrl);
  return `sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; frame-ancestors ${origin}`;
}

const usual = {
  // Fonts are fetched by an origin that has no name. Whoever can name the path may read the files anyway.
  'access-control-allow-origin': '*',
  'cache-control': 'private, max-age=0, must-revalidate',
  'x-robots-tag': 'noindex',
};

export async function servePreview(context: Context, web: Web): Promise<Response> {
  const response = await findPage(context, web);
  response.headers.set('content-security-policy', policyOf(context.config));
  return response;
}

async function findPage(context: Context, web: Web): Promise<Response> {
  const target = rawTarget(web);
  const { root, ...link } = openLink(context, target);
  await requireKept(context, link);
  const wanted = readRequestPath(target.slice(root.length) || '/');
  if (typeof wanted === 'string' || hasDotSegments(wanted.path)) throw nothingHere();
  // Without the slash relative links would lead one level up.
  if (target.length === root.length || target[root.length] !== '/') return redirect(`${root}/`);
  const unpacked = await openPreview(context, link);
  const site = await siteOf(unpacked);
  const found = site.find(wanted.path);
  if (found !== undefined && 'redirect' in found) {
    const { to } = found.redirect;
    return redirect(to.startsWith('/') ? root + to : to);
  }
  const file = found?.file ?? site.notFound;
  if (file === undefined) throw nothingHere();
  return sendFile(web, file).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    forgetPreview(unpacked);
    const message = 'The files of this preview were cleared away. Load the page again.';
    throw new Problem('storage_unavailable', message, { headers: { 'retry-after': '1' } });
  });
}

function openLink(context: Context, target: string): PreviewLink & { root: string } {
  const nowSeconds = Math.floor(context.clock.now().getTime() / 1000);
  const link = checkPreview(context.secrets, { target, nowSeconds });
  if (link.verdict === 'malformed') throw nothingHere();
  if (link.verdict === 'invalid') {
    throw new Problem(
      'link_invalid',
      'This preview was not opened by this server, or its address was changed.',
    );
  }
  if (link.verdict === 'valid') return link;
  throw new Problem('link_expired', 'This preview has expired. Open it again from the export.');
}

/** The files may outlive their job in the cache; what was deleted is not shown. */
async function requireKept(
  { database }: Context,
  { jobId, generation }: { jobId: string; generation: number },
): Promise<void> {
  const job = await database
    .selectFrom('jobs')
    .select(['result', 'purged_at'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  if (job?.purged_at === null && resultOf(job)?.attempt === generation) return;
  throw new Problem('bundle_purged', 'The export behind this preview was removed.');
}

const sites = new WeakMap<UnpackedSite, Promise<ServedSite>>();

function siteOf(unpacked: UnpackedSite): Promise<ServedSite> {
  const known = sites.get(unpacked);
  if (known !== undefined) return known;
  const { folder, manifest } = unpacked;
  const compressedFolder = join(folder, '.none');
  const site = openSite({ id: folder, siteFolder: folder, compressedFolder, manifest }).then((opened) => {
    opened.put({ onlyHeaders: Object.entries(usual).flat() });
    return opened;
  });
  sites.set(unpacked, site);
  return site;
}

async function sendFile(web: Web, file: StaticFile): Promise<Response> {
  const response = await fileResponse(file, fileRequestOf(web));
  if (response.status !== 416) return response;
  throw new Problem('range_not_satisfiable', `The file has ${file.plain.sizeBytes} bytes.`, {
    headers: { 'content-range': response.headers.get('content-range') ?? '' },
  });
}

function redirect(location: string): Response {
  return new Response(null, { status: 307, headers: { ...usual, location } });
}

function nothingHere(): Problem {
  return new Problem('not_found', 'There is nothing here.');
}
