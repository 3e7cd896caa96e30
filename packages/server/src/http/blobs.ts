/** Serves bundles and deltas behind signed links, with range requests and the SHA-256 as strong ETag. */
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { readDeltaFacts } from '../exports/delta.ts';
import { bundleFileName, checkLink } from '../exports/links.ts';
import { blobName, resultOf } from '../exports/record.ts';
import { Problem } from '../problem.ts';
import { originOf, rawTarget, requestedRange, type Web } from './request.ts';

export async function serveBundle(context: Context, web: Web): Promise<Response> {
  const bundle = await openLink(context, web);
  const etag = `"sha256-${bundle.sha256}"`;
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    'content-disposition': `attachment; filename="${bundle.file}"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'content-type': 'application/gzip',
    etag,
    'repr-digest': `sha-256=:${Buffer.from(bundle.sha256, 'hex').toString('base64')}:`,
  };
  if (web.req.header('if-none-match')?.includes(etag)) return new Response(null, { status: 304, headers });
  const range = requestedRange(web, { etag, sizeBytes: bundle.sizeBytes });
  if (range === 'unsatisfiable') {
    throw new Problem('range_not_satisfiable', `The bundle has ${bundle.sizeBytes} bytes.`, {
      headers: { 'content-range': `bytes */${bundle.sizeBytes}` },
    });
  }
  const length = range === undefined ? bundle.sizeBytes : range.end - range.start + 1;
  headers['content-length'] = String(length);
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${bundle.sizeBytes}`;
  const status = range === undefined ? 200 : 206;
  if (web.req.method === 'HEAD') return new Response(null, { status, headers });
  const stream = Readable.toWeb(context.blobs.read(bundle.name, range)) as ReadableStream<Uint8Array>;
  return new Response(stream, { status, headers });
}

async function openLink(context: Context, web: Web) {
  const link = checkLink(context.secrets, {
    target: rawTarget(web),
    host: new URL(originOf(context, web)).host,
    nowSeconds: Math.floor(context.clock.now().getTime() / 1000),
  });
  if (link.verdict === 'malformed') throw new Problem('not_found', 'No such path.');
  if (link.verdict === 'invalid') {
    throw new Problem('link_invalid', 'This link was not created by this server or was modified.');
  }
  const { jobId, generation, file } = link;
  const again = `POST /v1/static-export/jobs/${jobId}/bundle`;
  if (link.verdict === 'expired') {
    throw new Problem('link_expired', `This link has expired. Create a new one with ${again}.`);
  }
  const job = await context.database
    .selectFrom('jobs')
    .select(['result', 'purged_at'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  const result = job === undefined ? null : resultOf(job);
  const isAvailable = job?.purged_at === null && result?.attempt === generation;
  const name = blobName(jobId, generation, file);
  const stored = isAvailable ? await context.blobs.stat(name) : undefined;
  const facts =
    stored === undefined || file === bundleFileName
      ? result?.bundle
      : await readDeltaFacts(context, { jobId, generation, file });
  if (facts === undefined || stored === undefined) {
    throw new Problem(
      'bundle_purged',
      'The bundle of this link was removed. Start a new export of the domain.',
    );
  }
  return { name, file, sizeBytes: stored.sizeBytes, sha256: facts.sha256 };
}
