import * as z from 'zod';
import { automationName } from './automation-file-schemas.ts';
import { automationRunStates } from './constants.ts';
import { json, type Operation } from './operation.ts';
import { projectId } from './primitives.ts';
import * as schemas from './schemas.ts';

const tag = 'Automations';
const projectParams = z.object({ projectId });
const automationParams = z.object({ projectId, name: automationName });

export const automationOperations = {
  readAutomations: {
    method: 'get',
    path: '/v1/projects/{projectId}/automations',
    tag,
    summary: 'List the automations of a project',
    description:
      'The automations of `.docyard/automations.yaml`, with their budgets and last runs, and the problems of the file.',
    scope: 'agent:read',
    params: projectParams,
    success: json(200, schemas.ProjectAutomations),
    errors: ['not_found'],
  },
  refreshAutomations: {
    method: 'post',
    path: '/v1/projects/{projectId}/automations/refresh',
    tag,
    summary: 'Read the automations file again',
    description:
      'A worker reads the file shortly after. It also does so after each push that a hook reports, and once an hour.',
    scope: 'agent:write',
    params: projectParams,
    success: json(202, schemas.ProjectAutomations),
    errors: ['not_found'],
  },
  runAutomation: {
    method: 'post',
    path: '/v1/projects/{projectId}/automations/{name}/run',
    tag,
    summary: 'Run an automation now',
    description:
      'Records a run, which a worker starts within the budget of the automation. The body is optional.',
    scope: 'agent:write',
    params: automationParams,
    body: schemas.RunAutomation,
    bodyOptional: true,
    success: json(202, schemas.AutomationRun),
    errors: ['not_found'],
  },
  pauseAutomation: {
    method: 'post',
    path: '/v1/projects/{projectId}/automations/{name}/pause',
    tag,
    summary: 'Pause an automation',
    description:
      'Its events are recorded and skipped until you resume it. Running jobs continue, and you can still run it manually.',
    scope: 'agent:write',
    params: automationParams,
    success: json(200, schemas.Automation),
    errors: ['not_found'],
  },
  resumeAutomation: {
    method: 'post',
    path: '/v1/projects/{projectId}/automations/{name}/resume',
    tag,
    summary: 'Resume an automation',
    description: 'Skipped events stay skipped. A schedule continues with its next time.',
    scope: 'agent:write',
    params: automationParams,
    success: json(200, schemas.Automation),
    errors: ['not_found'],
  },
  listAutomationRuns: {
    method: 'get',
    path: '/v1/automation-runs',
    tag,
    summary: 'List runs of automations',
    description: 'The runs of the last 90 days, newest first. A project key sees only those of its project.',
    scope: 'agent:read',
    query: z.strictObject({
      projectId: projectId.optional().describe('Only runs of this project.'),
      automation: automationName.optional().describe('Only runs of this automation.'),
      state: z.enum(automationRunStates).optional().describe('Only runs in this state.'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.AutomationRun, 'AutomationRunList')),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
