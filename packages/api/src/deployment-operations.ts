import * as z from 'zod';
import * as deployments from './deployment-schemas.ts';
import { json, type Operation } from './operation.ts';
import { deploymentId } from './primitives.ts';
import { listOf, Page } from './schemas.ts';

const params = z.object({ deploymentId });

export const deploymentOperations = {
  listDeployments: {
    method: 'get',
    path: '/v1/deployments',
    tag: 'Deployments',
    summary: 'List deployments',
    description:
      'Sites that have reported, newest first. A project key sees only the deployments of its project.',
    scope: 'deployments:read',
    query: z.strictObject({ ...Page }),
    success: json(200, listOf(deployments.Deployment, 'DeploymentList')),
    errors: [],
  },
  reportDeployment: {
    method: 'post',
    path: '/v1/deployments/report',
    tag: 'Deployments',
    summary: 'Report what a site serves',
    description:
      'Sent by `docyard site`. The first report creates the deployment. The response contains the pending instruction, if there is one.\n\nThe signature of an instruction covers the `nonce` of the report, so that an old response cannot be replayed.',
    scope: 'deployments:report',
    body: deployments.ReportDeployment,
    keepsNoAnswer: true,
    success: json(200, deployments.DeploymentReceipt),
    errors: ['deployment_limit'],
  },
  readDeployment: {
    method: 'get',
    path: '/v1/deployments/{deploymentId}',
    tag: 'Deployments',
    summary: 'Read a deployment',
    description: 'What one site serves, and its last instruction.',
    scope: 'deployments:read',
    params,
    success: json(200, deployments.Deployment),
    errors: ['not_found'],
  },
  rollbackDeployment: {
    method: 'post',
    path: '/v1/deployments/{deploymentId}/rollback',
    tag: 'Deployments',
    summary: 'Roll a deployment back',
    description:
      'The site executes the instruction with its next report. Until then, `instruction.status` of the deployment is `pending`.\n\nThe site then serves that release until its source offers another bundle, or until you resume it. A second request replaces the first. An instruction expires if the site does not report within one hour.',
    scope: 'deployments:write',
    params,
    body: deployments.RollbackDeployment,
    bodyOptional: true,
    success: json(202, deployments.Deployment),
    errors: ['not_found', 'deployment_uncontrolled'],
  },
  resumeDeployment: {
    method: 'post',
    path: '/v1/deployments/{deploymentId}/resume',
    tag: 'Deployments',
    summary: 'Resume a deployment after a rollback',
    description: 'The site installs again the bundle that its source offers.',
    scope: 'deployments:write',
    params,
    success: json(202, deployments.Deployment),
    errors: ['not_found', 'deployment_uncontrolled'],
  },
  cancelInstruction: {
    method: 'delete',
    path: '/v1/deployments/{deploymentId}/instruction',
    tag: 'Deployments',
    summary: 'Withdraw a pending instruction',
    description: 'Withdrawing without a pending instruction is not an error.',
    scope: 'deployments:write',
    params,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
  deleteDeployment: {
    method: 'delete',
    path: '/v1/deployments/{deploymentId}',
    tag: 'Deployments',
    summary: 'Remove a deployment from the list',
    description: 'The site keeps serving. If it reports again, it is listed again.',
    scope: 'deployments:write',
    params,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
