import * as z from 'zod';
import { forgeEventKinds, forgeEventStates } from './constants.ts';
import { json, type Operation } from './operation.ts';
import { forgeEventId, projectId } from './primitives.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId });
const eventParams = z.object({ eventId: forgeEventId });
const tag = 'Forge events';

export const forgeEventOperations = {
  readProjectHook: {
    method: 'get',
    path: '/v1/projects/{projectId}/hook',
    tag,
    summary: 'Read the hook of a project',
    description: 'The URL that a forge calls when something is pushed, without the secret.',
    scope: 'projects:read',
    params: projectParams,
    success: json(200, schemas.ProjectHook),
    errors: ['not_found'],
  },
  createHookSecret: {
    method: 'post',
    path: '/v1/projects/{projectId}/hook/secret',
    tag,
    summary: 'Create the secret of a hook, or replace it',
    description:
      'The first secret enables the hook. A replaced secret is accepted for `overlapSeconds`, so that you can change it at the forge without losing events.\n\nThe body is optional. `secret` is returned only once.',
    scope: 'projects:write',
    params: projectParams,
    body: schemas.CreateHookSecret,
    bodyOptional: true,
    success: json(201, schemas.CreatedHookSecret),
    errors: ['not_found'],
  },
  disableProjectHook: {
    method: 'delete',
    path: '/v1/projects/{projectId}/hook/secret',
    tag,
    summary: 'Disable the hook of a project',
    description: 'Deletes the secrets. The hook then refuses every event. Recorded events stay.',
    scope: 'projects:write',
    params: projectParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
  readProjectPolling: {
    method: 'get',
    path: '/v1/projects/{projectId}/polling',
    tag,
    summary: 'Read the state of polling',
    description:
      'When the branch of a project was last polled, and why that failed. Enable polling with `exports.polling` of the project.',
    scope: 'projects:read',
    params: projectParams,
    success: json(200, schemas.ProjectPolling),
    errors: ['not_found'],
  },
  listForgeEvents: {
    method: 'get',
    path: '/v1/forge-events',
    tag,
    summary: 'List forge events',
    description:
      'The events of the last 30 days, newest first. A project key sees only those of its project.',
    scope: 'projects:read',
    query: z.strictObject({
      projectId: projectId.optional().describe('Only events of this project.'),
      state: z.enum(forgeEventStates).optional().describe('Only events in this state.'),
      kind: z.enum(forgeEventKinds).optional().describe('Only events of this kind.'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.ForgeEvent, 'ForgeEventList')),
    errors: [],
  },
  readForgeEvent: {
    method: 'get',
    path: '/v1/forge-events/{eventId}',
    tag,
    summary: 'Read a forge event',
    description: 'One event, its state and what followed from it.',
    scope: 'projects:read',
    params: eventParams,
    success: json(200, schemas.ForgeEvent),
    errors: ['not_found'],
  },
  replayForgeEvent: {
    method: 'post',
    path: '/v1/forge-events/{eventId}/replay',
    tag,
    summary: 'Process a forge event again',
    description:
      'Processes the recorded event with the current settings of the project, also when its commit was exported before. An event that is `pending` is not changed.',
    scope: 'exports:write',
    params: eventParams,
    success: json(202, schemas.ForgeEvent),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
