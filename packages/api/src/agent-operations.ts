import * as z from 'zod';
import { agentStatuses, patchType } from './constants.ts';
import { YesOrNo } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId: z.string().min(1).max(64) });
const jobParams = z.object({ projectId: z.string().min(1).max(64), id: z.string().min(1).max(64) });
const tag = 'Agent jobs';

const filters = {
  status: z.enum(agentStatuses).optional(),
  archived: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Only archived jobs, or only others. Default: both.' }),
  canceled: YesOrNo.meta({
    description: 'Only jobs that were canceled, or only the others. Default: both.',
  }),
};

export const agentOperations = {
  createAgentJob: {
    method: 'post',
    path: '/v2/agent/{projectId}/job',
    tag,
    summary: 'Create agent job',
    description: 'Only `prompt` is required. Follow the job until it is no longer `active`.',
    scope: 'agent:write',
    params: projectParams,
    body: schemas.CreateAgentJob,
    success: json(201, schemas.AgentJob),
    errors: ['not_found', 'agent_not_configured', 'queue_full'],
  },
  listAllAgentJobs: {
    method: 'get',
    path: '/v2/agent/jobs',
    tag,
    summary: 'List agent jobs of every project',
    scope: 'agent:read',
    query: z.strictObject({
      ...filters,
      projectId: z.string().min(1).max(64).optional().meta({ description: 'Only jobs of this project.' }),
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
      'Begins with all active jobs. Each event is named `job` and contains the current record. Several changes can arrive as one event. `Last-Event-ID` resumes.',
    scope: 'agent:read',
    success: { status: 200, kind: 'events', schema: schemas.AgentJob },
    errors: [],
  },
  listAgentJobs: {
    method: 'get',
    path: '/v2/agent/{projectId}/jobs',
    tag,
    summary: 'List agent jobs',
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
      'The current state of one agent job. Suitable for polling. `Prefer: wait=N` (up to 55) holds the response until the record changes.',
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
      'An active job receives the message before its next step. A finished job becomes active again, on the same branch and pull request.',
    scope: 'agent:write',
    params: jobParams,
    body: schemas.MessageAgentJob,
    success: json(200, schemas.AgentJob),
    errors: ['not_found', 'agent_not_configured', 'job_archived', 'job_purged', 'queue_full'],
  },
  followAgentJob: {
    method: 'get',
    path: '/v2/agent/{projectId}/job/{id}/events',
    tag,
    summary: 'Follow an agent job',
    description:
      'With `Accept: text/event-stream`, returns server-sent events until the job is no longer active; `Last-Event-ID` resumes. Otherwise returns the events so far as JSON.',
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
      'The complete change of the branch, or that of one run. Empty when nothing has changed. `Accept: text/x-diff` returns the patch.',
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
    description: 'Messages and tool calls, oldest first, without secrets.',
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
    description: 'The job ends as `failed` with `statusReason` `cancelled`.',
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
    success: json(200, schemas.AgentJob),
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
    description: 'Works in every state. An active job is canceled first. Archiving an archived job succeeds.',
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
    scope: 'agent:write',
    params: jobParams,
    success: json(200, schemas.AgentJob),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
