import { patchType, type AgentJob } from '@docyard/api';
import { acceptedTypes } from '../accepted-types.ts';
import { archiveAgentJob, cancelAgentJob, unarchiveAgentJob } from '../../agent/cancel.ts';
import {
  readAgentDiff,
  describeAgentJob,
  findAgentJob,
  findAgentWork,
  listAgentJobs,
  listAllAgentJobs,
} from '../../agent/read.ts';
import { firstEventId, readAgentEvents } from '../../agent/events.ts';
import { messageAgentJob } from '../../agent/message.ts';
import { retryAgentJob } from '../../agent/retry.ts';
import { requireEngine } from '../../agent/settings.ts';
import { startAgentJob } from '../../agent/start.ts';
import { readTranscript } from '../../agent/transcript.ts';
import type { Context } from '../../context.ts';
import { isFinal } from '../../jobs/lifecycle.ts';
import { refuseFullQueue } from '../../jobs/queue-counts.ts';
import type { Job } from '../../jobs/store.ts';
import { findProject } from '../../projects/find-project.ts';
import { lastSequence, streamAgentEvents, streamAllAgentJobs } from '../events.ts';
import { countAgentInstruction } from '../limits.ts';
import type { Handlers, Reply, Request } from '../request.ts';

const pollSeconds = 5;
const defaultEventLimit = 100;

type JobRequest = Omit<Request<'readAgentJob'>, 'input'> & {
  input: { params: { projectId: string; id: string } };
};

type AgentHandlers = Pick<
  Handlers,
  | 'createAgentJob'
  | 'listAllAgentJobs'
  | 'followAgentJobs'
  | 'listAgentJobs'
  | 'readAgentJob'
  | 'messageAgentJob'
  | 'followAgentJob'
  | 'readAgentDiff'
  | 'readAgentTranscript'
  | 'cancelAgentJob'
  | 'retryAgentJob'
  | 'archiveAgentJob'
  | 'unarchiveAgentJob'
>;

export function agentHandlers(stopping: AbortSignal): AgentHandlers {
  return {
    createAgentJob: async ({ actor, caller, input, commit, web }) =>
      commit(async (inside) => {
        // First, because the rate limit of a project must not be visible to other callers.
        const project = await findProject(inside, {
          id: input.params.projectId,
          reach: caller,
        });
        await countAgentInstruction(inside, web, project.id);
        const given = { project, request: input.body, actor, allowLocal: caller.localSources };
        const job = await startAgentJob(inside, given);
        const reply = await replyWith(inside, job);
        return {
          ...reply,
          headers: { ...reply.headers, location: `/v2/agent/${project.id}/job/${job.id}` },
        };
      }),

    listAllAgentJobs: async ({ context, caller, input }) => ({
      body: await listAllAgentJobs(context, { ...filtersOf(input.query), reach: caller }),
    }),

    followAgentJobs: async ({ context, caller, web }) => {
      const disconnect = () => web.env.outgoing.destroy();
      return streamAllAgentJobs(context, { reach: caller, after: lastSequence(web), stopping, disconnect });
    },

    listAgentJobs: async ({ context, caller, input }) => ({
      body: await listAgentJobs(context, { ...filtersOf(input.query), ...input.params, reach: caller }),
    }),

    readAgentJob: (request) =>
      request.cached(request.input.params.id, async () => replyWith(request.context, await find(request))),

    messageAgentJob: (request) =>
      resume(request, async (inside, before) => {
        const { prompt } = request.input.body;
        return (await messageAgentJob(inside, { job: before, prompt, actor: request.actor })).job;
      }),

    retryAgentJob: (request) =>
      resume(request, (inside, job) => retryAgentJob(inside, { job, actor: request.actor })),

    cancelAgentJob: (request) => change(request, cancelAgentJob),
    archiveAgentJob: (request) => change(request, archiveAgentJob),
    unarchiveAgentJob: (request) => change(request, unarchiveAgentJob),

    followAgentJob: async (request) => {
      const { context, input, web } = request;
      const job = await find(request);
      const headers = { vary: 'accept' };
      const lastEventId = web.req.header('last-event-id') ?? '';
      const after = input.query.after ?? (lastEventId || firstEventId);
      if (prefersType(web.req.header('accept'), 'text/event-stream') && web.req.method === 'GET') {
        const place = { ...input.params, reach: request.caller };
        return streamAgentEvents(context, {
          place,
          after,
          stopping,
          disconnect: () => web.env.outgoing.destroy(),
        });
      }
      const limit = input.query.limit ?? defaultEventLimit;
      const of = { jobId: job.id, projectId: job.project_id };
      return { body: await readAgentEvents(context, { ...of, after, limit }), headers };
    },

    readAgentDiff: async (request) => {
      const { id: jobId, project_id: projectId } = await findWork(request);
      const body = await readAgentDiff(request.context, { jobId, projectId, ...request.input.query });
      const headers = { vary: 'accept' };
      if (!prefersType(request.web.req.header('accept'), patchType)) return { body, headers };
      return { body, headers, text: { type: `${patchType}; charset=utf-8`, content: body.patch } };
    },

    readAgentTranscript: async (request) => {
      const { id: jobId, project_id: projectId } = await findWork(request);
      return { body: await readTranscript(request.context, { ...request.input.query, jobId, projectId }) };
    },
  };
}

type YesOrNo = 'true' | 'false' | undefined;

function filtersOf<Query extends { archived?: YesOrNo; canceled?: YesOrNo }>(given: Query) {
  const { archived, canceled, ...query } = given;
  return {
    ...query,
    ...(archived === undefined ? {} : { archived: archived === 'true' }),
    ...(canceled === undefined ? {} : { canceled: canceled === 'true' }),
  };
}

/**
 * Messages and retries resume a finished job: they count as instructions and need an engine and a free place in the
 * queue.
 */
function resume(
  request: JobRequest,
  work: (inside: Context, job: Job) => Promise<Job>,
): Promise<Reply<AgentJob>> {
  const { commit, context, web } = request;
  return commit(async (inside) => {
    const { project_id } = await find({ ...request, context: inside });
    await requireEngine(inside, project_id);
    await countAgentInstruction(inside, web, project_id);
    // Read again under the lock: another process may have resumed the job.
    const before = await find({ ...request, context: inside });
    if (isFinal(before.status)) await refuseFullQueue(inside, before.organization_id);
    const job = await work(inside, before);
    return {
      ...(await replyWith(inside, job)),
      after: () => context.changes.notify(job.id),
    };
  });
}

function change(
  request: JobRequest,
  work: (inside: Context, given: { job: Job; actor: Request<'cancelAgentJob'>['actor'] }) => Promise<Job>,
): Promise<Reply<AgentJob>> {
  const { actor, commit, context } = request;
  return commit(async (inside) => {
    const job = await work(inside, { job: await find({ ...request, context: inside }), actor });
    return { ...(await replyWith(inside, job)), after: () => context.changes.notify(job.id) };
  });
}

function find({ context, caller, input }: Pick<JobRequest, 'context' | 'caller' | 'input'>): Promise<Job> {
  return findAgentJob(context, { ...input.params, reach: caller });
}

function findWork({
  context,
  caller,
  input,
}: Pick<JobRequest, 'context' | 'caller' | 'input'>): Promise<Job> {
  return findAgentWork(context, { ...input.params, reach: caller });
}

async function replyWith(context: Context, job: Job): Promise<Reply<AgentJob>> {
  const body = await describeAgentJob(context, job);
  const active = { headers: { 'retry-after': String(pollSeconds) }, retryAfterSeconds: pollSeconds };
  return { body, ...(body.status === 'active' ? active : {}) };
}

/** JSON wins unless the other type is listed before it. */
function prefersType(accept: string | undefined, wanted: string): boolean {
  return acceptedTypes(accept).find((type) => type === 'application/json' || type === wanted) === wanted;
}
