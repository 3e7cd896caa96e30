import { acceptedTypes } from '../accepted-types.ts';
import type { Context } from '../../context.ts';
import { createBundleLink } from '../../exports/bundle.ts';
import { cancelExport, deleteExport } from '../../exports/cancel.ts';
import { checkSource } from '../../exports/check-source.ts';
import { compareFindings } from '../../exports/compare-findings.ts';
import { compareExports } from '../../exports/compare.ts';
import { readInsights } from '../../exports/insights.ts';
import { readPageChange } from '../../exports/page-change.ts';
import { createPreview } from '../../exports/previews.ts';
import * as read from '../../exports/read.ts';
import { removeFiles } from '../../exports/retention.ts';
import { prepareExport, prepareRetry, type PreparedExport } from '../../exports/start.ts';
import { viewExport } from '../../exports/view.ts';
import { isFinal } from '../../jobs/lifecycle.ts';
import type { Job } from '../../jobs/store.ts';
import { readFailingWebhooks } from '../../webhooks/failing-webhooks.ts';
import { lastSequence, streamAllExports, streamExportEvents } from '../events.ts';
import { ExportStarts } from '../export-starts.ts';
import type { Idempotency } from '../idempotency.ts';
import type { Handlers, Reply, Request } from '../request.ts';
import { reportTypes, scopesGrant, type ExportJob } from '@docyard/api';

const pollSeconds = 2;

type ExportHandlers = Pick<
  Handlers,
  | 'startExport'
  | 'listExports'
  | 'readExport'
  | 'deleteExport'
  | 'createBundle'
  | 'openBundle'
  | 'openLatestBundle'
  | 'followExport'
  | 'readReport'
  | 'readManifest'
  | 'readSigningKey'
  | 'cancelExport'
  | 'retryExport'
  | 'checkSource'
  | 'followExports'
  | 'createPreview'
  | 'compareExports'
  | 'readPageChange'
  | 'compareFindings'
  | 'readInsights'
>;

export function exportHandlers(
  context: Context,
  stopping: AbortSignal,
  starts: ExportStarts,
): ExportHandlers {
  const findExport = read.batchedFindExport(context);
  const start = (
    { web, actor, record, condition }: Request<'startExport'> | Request<'retryExport'>,
    prepared: PreparedExport,
  ) => starts.start(web, { prepared, actor, record }, condition);
  return {
    startExport: async (request) => {
      const { actor, caller, input } = request;
      const given = { request: input.body, actor, allowLocal: caller.localSources, find: starts.findProject };
      return start(request, await prepareExport(request.context, given));
    },

    retryExport: async (request) => {
      const given = { jobId: request.input.params.jobId, actor: request.actor };
      return start(request, await prepareRetry(request.context, given));
    },

    listExports: async ({ context, caller, input }) => ({
      body: await read.listExports(context, { ...input.query, reach: caller }),
    }),

    readExport: async (request) => {
      const { jobId } = request.input.params;
      // Only the transaction itself sees its writes; the cache and other connections do not.
      if (request.context.database.isTransaction) return replyWith(await findJob(request));
      return request.cached(jobId, async () =>
        replyWith(await findExport({ id: jobId, reach: request.caller })),
      );
    },

    deleteExport: async ({ context, actor, input, commit }) =>
      commit(async (inside) => {
        const { jobId } = input.params;
        await deleteExport(inside, { jobId, actor });
        return { body: undefined, after: () => removeFiles(context, [jobId]) };
      }),

    cancelExport: async ({ actor, input, commit, context }) =>
      commit(async (inside) => {
        const job = await cancelExport(inside, { jobId: input.params.jobId, actor });
        const reply = replyWith(job);
        return {
          ...reply,
          headers: { ...reply.headers, location: locationOf(job) },
          after: () => context.changes.notify(job.id),
        };
      }),

    createBundle: async (request) => {
      const { context, caller, origin, input, commit } = request;
      const job = await findJob(request);
      // Before the transaction, because the store may respond slowly.
      const body = await createBundleLink(context, { job, reach: caller, origin, ...input.body });
      return commit(async () => ({ body }));
    },

    openBundle: async (request) =>
      redirectToBundle(request, await findJob(request), request.input.query.since),

    openLatestBundle: async (request) => {
      const { context, caller, input } = request;
      const where = { domain: input.query.domain, reach: caller };
      return redirectToBundle(request, await read.findLatestExport(context, where), input.query.since);
    },

    followExport: async (request) => {
      const job = await findJob(request);
      const afterSequence = lastSequence(request.web);
      const disconnect = () => request.web.env.outgoing.destroy();
      return streamExportEvents(request.context, { job, afterSequence, stopping, disconnect });
    },

    readReport: async (request) => {
      const job = await findJob(request);
      const body = await read.readReport(request.context, job);
      const type = preferredType(request.web.req.header('accept') ?? '');
      const headers = { vary: 'accept', 'content-security-policy': "sandbox; frame-ancestors 'none'" };
      if (type === undefined) return { body, headers: { vary: 'accept' } };
      const content = await read.reportAs(type, body, job);
      return { body, headers, text: { type: `${type}; charset=utf-8`, content } };
    },

    readManifest: async (request) => ({
      body: await read.readManifest(request.context, await findJob(request)),
    }),

    checkSource: async ({ context, caller, input, commit, web }) => {
      const signal = AbortSignal.any([stopping, web.req.raw.signal]);
      const given = { ...input.body, reach: caller, allowLocal: caller.localSources, signal };
      const body = await checkSource(context, given);
      return commit(async () => ({ body }));
    },

    followExports: async ({ context, caller, web }) => {
      const disconnect = () => web.env.outgoing.destroy();
      return streamAllExports(context, { reach: caller, after: lastSequence(web), stopping, disconnect });
    },

    createPreview: async ({ context, caller, input, commit }) => {
      const job = await read.findExport(context, { id: input.params.jobId, reach: caller });
      const canOpenGroups = scopesGrant(caller.scopes, 'exports:write');
      const body = await createPreview(context, { job, wanted: input.body ?? {}, canOpenGroups });
      return commit(async () => ({ body }));
    },

    compareExports: async ({ context, caller, input }) => {
      const where = { id: input.params.jobId, reach: caller };
      const job = await read.findExport(context, where);
      return { body: await compareExports(context, { job, older: input.query.with, reach: caller }) };
    },

    readPageChange: async ({ context, caller, input: { params, query } }) => {
      const job = await read.findExport(context, { id: params.jobId, reach: caller });
      const given = { job, older: query.with, path: query.path, reach: caller };
      return { body: await readPageChange(context, given) };
    },

    compareFindings: async ({ context, caller, input: { params, query } }) => {
      const job = await read.findExport(context, { id: params.jobId, reach: caller });
      return { body: await compareFindings(context, { job, older: query.with, reach: caller }) };
    },

    readInsights: async ({ context, caller, input: { query } }) => {
      const { days, projectId } = query;
      const seesWebhooks = caller.projectId === null && scopesGrant(caller.scopes, 'webhooks:read');
      const [numbers, webhooks] = await Promise.all([
        readInsights(context, { days, projectId, reach: caller }),
        seesWebhooks ? readFailingWebhooks(context, caller.organizationId) : null,
      ]);
      return { body: { ...numbers, webhooks } };
    },

    readSigningKey: ({ context: { secrets } }) => {
      const { keyId, publicKey } = secrets.signer;
      return Promise.resolve({ body: { keyId, publicKey } });
    },
  };
}

export function exportStarts(context: Context, idempotency: Idempotency): ExportStarts {
  return new ExportStarts(context, idempotency, (job) => {
    const reply = replyWith(job);
    return { ...reply, headers: { ...reply.headers, location: locationOf(job) } };
  });
}

function findJob({
  context,
  caller,
  input,
}: {
  context: Request<'readExport'>['context'];
  caller: Request<'readExport'>['caller'];
  input: { params: { jobId: string } };
}): Promise<Job> {
  return read.findExport(context, { id: input.params.jobId, reach: caller });
}

function locationOf(job: Job): string {
  return `/v1/static-export/jobs/${job.id}`;
}

function replyWith(job: Job): Reply<ExportJob> {
  return {
    body: viewExport(job),
    ...(isFinal(job.status)
      ? {}
      : { headers: { 'retry-after': String(pollSeconds) }, retryAfterSeconds: pollSeconds }),
  };
}

/** The first listed format; JSON for any other type. */
function preferredType(accept: string): (typeof reportTypes)[number] | undefined {
  const first = acceptedTypes(accept).find((type) => type === 'application/json' || isReportType(type));
  return isReportType(first) ? first : undefined;
}

function isReportType(type: string | undefined): type is (typeof reportTypes)[number] {
  return reportTypes.some((known) => known === type);
}

async function redirectToBundle(
  { context, caller, origin, web }: Pick<Request<'openBundle'>, 'context' | 'caller' | 'origin' | 'web'>,
  job: Job,
  since: string | undefined,
): Promise<Reply<undefined>> {
  const method = web.req.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bundleUrl } = await createBundleLink(context, { job, reach: caller, origin, method, since });
  return { body: undefined, headers: { location: bundleUrl } };
}
