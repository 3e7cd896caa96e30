import * as z from 'zod';
import { agentStatuses, patchType } from './constants.ts';
import { YesOrNo } from './list-query.ts';
import { exampleActiveAgentJob } from './examples.ts';
import { json, type Operation } from './operation.ts';
import { agentJobId, projectId } from './primitives.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId });
const jobParams = z.object({ projectId, id: agentJobId });
const tag = 'Agent jobs';

const filters = {
  status: z.enum(agentStatuses).optional().describe('Only jobs in this state.'),
  archived: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only archived jobs, or only the others. Default: both.' }),
  canceled: YesOrNo.meta({
    description: 'Only canceled jobs, or only the others. Default: both.',
  }),
};

export const agentOperations = {
  createAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job',
    tag,
    summary: 'Create agent job',
    description:
      'Starts an agent that works on your instruction. Follow the job until it is no longer `active`.\n\nReturns `agent_not_configured` if neither a model endpoint nor a program is set.',
    scope: 'agent:write',
    params: projectParams,
    body: schemas.CreateAgentJob,
    success: { ...json(201, schemas.AgentJob), example: exampleActiveAgentJob },
    errors: ['not_found', 'agent_not_configured', 'queue_full'],
  },
  listAllAgentJobs: {
    method: 'get',
    path: '/v2/agent/jobs',
    tag,
    summary: 'List agent jobs of every project',
    description: 'The agent jobs of your organization, newest first.',
    scope: 'agent:read',
    query: z.strictObject({
      ...filters,
      projectId: projectId.optional().describe('Only jobs of this project.'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.AgentJob, 'AgentJobList')),
    errors: [],
  },
  followAgentJobs: {
    method: 'get',
    path: '/v2/agent/events',
    tag,
    summary: 'Follow every agent job as server-sent events',
    description:
      'One stream for all agent jobs of your organization. It starts with every active job.\n\nEach event is named `job` and contains the complete current record. Several changes can be combined into one event. The steps of a job are not part of this stream. `Last-Event-ID` resumes the stream.',
    scope: 'agent:read',
    success: { status: 200, kind: 'events', schema: schemas.AgentJob },
    errors: [],
  },
  listAgentJobs: {
    method: 'get',
    path: '/v2/agent/{projectId}/jobs',
    tag,
    summary: 'List agent jobs',
    description: 'The agent jobs of one project, newest first.',
    scope: 'agent:read',
    params: projectParams,
    query: z.strictObject({ ...filters, ...schemas.Page }),
    success: json(200, schemas.listOf(schemas.AgentJob, 'AgentJobList')),
    errors: ['not_found'],
  },
  readAgentJob: {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}',
    tag,
    summary: 'Get agent job',
    description:
      'Returns the current state of an agent job. Poll it until `status` is `completed`, `archived` or `failed`.',
    scope: 'agent:read',
    params: jobParams,
    success: json(200, schemas.AgentJob),
    errors: ['not_found'],
    waitable: true,
  },
  messageAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/message',
    tag,
    summary: 'Send a message to an agent job',
    description:
      'An active job reads the message before its next step. A finished job becomes active again, with the same branch and pull request.\n\nA message that arrives after a run has ended starts the next run.',
    scope: 'agent:write',
    params: jobParams,
    body: schemas.MessageAgentJob,
    success: { ...json(200, schemas.AgentJob), example: exampleActiveAgentJob },
    errors: ['not_found', 'agent_not_configured', 'job_archived', 'job_purged', 'queue_full'],
  },
  followAgentJob: {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/events',
    tag,
    summary: 'Follow an agent job',
    description:
      'With `Accept: text/event-stream`, events arrive as they happen, until the job is no longer active. Otherwise the response contains the events so far as JSON.\n\n`Last-Event-ID` resumes the stream. For JSON, pass `lastEventId` of the response as `after` to get later events.',
    scope: 'agent:read',
    params: jobParams,
    query: z.strictObject({
      after: z
        .string()
        .regex(/^\d{1,15}-\d{1,15}$/, 'Use the id of an event.')
        .optional()
        .meta({ description: 'Only events after this one.' }),
      limit: schemas.Page.limit.meta({ description: '1 to 100, default 100; for JSON.' }),
    }),
    success: { ...json(200, schemas.AgentEvents), alsoTypes: ['text/event-stream'] },
    errors: ['not_found'],
  },
  readAgentDiff: {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/diff',
    tag,
    summary: 'Read the diff of an agent job',
    description:
      'The change of the whole branch, as in the pull request. It includes all instructions of the job and the commits that others pushed to the branch.\n\nEmpty if nothing has changed. `Accept: text/x-diff` returns only the patch, ready for `git apply`.',
    scope: 'agent:read',
    params: jobParams,
    query: z.strictObject({
      run: z.coerce
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .meta({ description: 'Only the changes of this run. The first run is 1.' }),
    }),
    success: { ...json(200, schemas.AgentDiff), alsoTypes: [patchType] },
    errors: ['not_found', 'job_purged'],
  },
  readAgentTranscript: {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/transcript',
    tag,
    summary: 'Read the steps of an agent job',
    description: 'The messages and tool calls, oldest first. Secrets are masked.',
    scope: 'agent:read',
    params: jobParams,
    query: z.strictObject({ ...schemas.Page }),
    success: json(200, schemas.listOf(schemas.AgentStep, 'AgentStepList')),
    errors: ['not_found', 'job_purged'],
  },
  cancelAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/cancel',
    tag,
    summary: 'Cancel an agent job',
    description:
      'The job ends as `failed` with `statusReason` `cancelled`. Unread messages are discarded. Pushed commits stay.',
    scope: 'agent:write',
    params: jobParams,
    success: json(200, schemas.AgentJob),
    errors: ['not_found', 'job_finished'],
  },
  retryAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/retry',
    tag,
    summary: 'Retry an agent job',
    description: 'Repeats the last instruction in the same job, on the same branch and pull request.',
    scope: 'agent:write',
    params: jobParams,
    success: { ...json(200, schemas.AgentJob), example: exampleActiveAgentJob },
    errors: [
      'not_found',
      'agent_not_configured',
      'job_not_finished',
      'job_archived',
      'job_purged',
      'queue_full',
    ],
  },
  archiveAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/archive',
    tag,
    summary: 'Archive an agent job',
    description:
      'Works in every state; an active job is canceled first. An archived job accepts no messages. Archiving a job twice is not an error.',
    scope: 'agent:write',
    params: jobParams,
    success: json(200, schemas.AgentJob),
    errors: ['not_found'],
  },
  unarchiveAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job/{id}/unarchive',
    tag,
    summary: 'Unarchive an agent job',
    description:
      'The job shows how its last run ended. If archiving canceled a run that has not stopped yet, the job stays archived and the response is 409 `job_not_finished`.',
    scope: 'agent:write',
    params: jobParams,
    success: json(200, schemas.AgentJob),
    errors: ['not_found', 'job_not_finished'],
  },
} as const satisfies Record<string, Operation>;
