/**
 * The static export operations: HTTP on one side, `exports/` on the other.
 */
import { acceptedTypes } from '../accepted-types.ts';
import type { Context } from '../../context.ts';
import { createBundleLink } from '../../exports/bundle.ts';
import { cancelExport, deleteExport } from '../../exports/cancel.ts';
import * as read from '../../exports/read.ts';
import { removeFiles } from '../../exports/retention.ts';
import { prepareExport, prepareRetry, type PreparedExport } from '../../exports/start.ts';
import { viewExport } from '../../exports/view.ts';
import { isFinal } from '../../jobs/lifecycle.ts';
import type { Job } from '../../jobs/store.ts';
import { streamExportEvents } from '../events.ts';
import { ExportStarts } from '../export-starts.ts';
import type { Idempotency } from '../idempotency.ts';
import type { Handlers, Reply, Request } from '../request.ts';
import { reportTypes, type ExportJob } from '@docyard/api';

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
>;

export function exportHandlers(stopping: AbortSignal, starts: ExportStarts): ExportHandlers {
  const begin = (
    { web, actor, record, condition }: Request<'startExport'> | Request<'retryExport'>,
    prepared: PreparedExport,
  ) => starts.start(web, { prepared, actor, record }, condition);
  return {
    startExport: async (request) => {
      const { actor, caller, input } = request;
      const given = { request: input.body, actor, allowLocal: caller.localSources, find: starts.findProject };
      return begin(request, await prepareExport(request.context, given));
    },

    retryExport: async (request) => {
      const given = { jobId: request.input.params.jobId, actor: request.actor };
      return begin(request, await prepareRetry(request.context, given));
    },

    listExports: async ({ context, caller, input }) => ({
      body: await read.listExports(context, { ...input.query, reach: caller }),
    }),

    readExport: async (request) => {
      const read = async () => replyWith(await findJob(request));
      // A cached reply is not read in the transaction.
      return request.context.database.isTransaction
        ? read()
        : request.remember(request.input.params.jobId, read);
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
      // Asked before the transaction begins: the store may be far away.
      const body = await createBundleLink(context, { job, reach: caller, origin, ...input.body });
      return commit(async () => ({ body }));
    },

    openBundle: async (request) => goTo(request, await findJob(request), request.input.query.since),

    openLatestBundle: async (request) => {
      const { context, caller, input } = request;
      const where = { domain: input.query.domain, reach: caller };
      return goTo(request, await read.findLatestExport(context, where), input.query.since);
    },

    followExport: async (request) => {
      const job = await findJob(request);
      const lastEventId = request.web.req.header('last-event-id') ?? '';
      const afterSequence = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
      const cut = () => request.web.env.outgoing.destroy();
      return streamExportEvents(request.context, { job, afterSequence, stopping, cut });
    },

    readReport: async (request) => {
      const job = await findJob(request);
      const body = await read.readReport(request.context, job);
      const type = wantedType(request.web.req.header('accept') ?? '');
      const headers = { vary: 'accept', 'content-security-policy': "sandbox; frame-ancestors 'none'" };
      if (type === undefined) return { body, headers: { vary: 'accept' } };
      const content = await read.reportAs(type, body, job);
      return { body, headers, text: { type: `${type}; charset=utf-8`, content } };
    },

    readManifest: async (request) => ({
      body: await read.readManifest(request.context, await findJob(request)),
    }),

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

/** The first form that the caller names. Whoever takes anything gets JSON. */
function wantedType(accept: string): (typeof reportTypes)[number] | undefined {
  const first = acceptedTypes(accept).find((type) => type === 'application/json' || isReportType(type));
  return isReportType(first) ? first : undefined;
}

function isReportType(type: string | undefined): type is (typeof reportTypes)[number] {
  return reportTypes.some((known) => known === type);
}

async function goTo(
  { context, caller, origin, web }: Pick<Request<'openBundle'>, 'context' | 'caller' | 'origin' | 'web'>,
  job: Job,
  since: string | undefined,
): Promise<Reply<undefined>> {
  const method = web.req.method === 'HEAD' ? 'HEAD' : 'GET';
  const { bundleUrl } = await createBundleLink(context, { job, reach: caller, origin, method, since });
  return { body: undefined, headers: { location: bundleUrl } };
}
