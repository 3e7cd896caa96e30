import * as z from 'zod';
import * as deployments from './deployment-schemas.ts';
import { json, type Operation } from './operation.ts';
import { listOf, Page } from './schemas.ts';

const params = z.object({ deploymentId: z.string().min(1).max(64) });

export const deploymentOperations = {
  listDeployments: {
    method: 'get',
    path: '/v1/deployments',
    tag: 'Deployments',
    summary: 'List deployments',
    description: 'Lists the sites that have reported, newest first.',
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
      'Sent by `docyard site`. The first report creates the deployment. The response contains the pending instruction, if there is one.',
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
      'The site applies the instruction with its next report and serves the earlier release until its source offers another bundle. An instruction that no report picks up within an hour expires.',
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
    description: 'The site installs new bundles of its source again.',
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
    description: 'Succeeds also when no instruction is pending.',
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
    description: 'The site keeps serving. It is listed again when it reports again.',
    scope: 'deployments:write',
    params,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
