import * as z from 'zod';
import { json, type Operation } from './operation.ts';
import { projectId, pullRequestId } from './primitives.ts';
import * as schemas from './schemas.ts';

const params = z.object({ pullRequestId });
const tag = 'Pull requests';

export const pullRequestOperations = {
  listPullRequests: {
    method: 'get',
    path: '/v1/pull-requests',
    tag,
    summary: 'List pull requests',
    description:
      'Pull requests that Docyard has seen, newest first. A project key sees only those of its project.',
    scope: 'exports:read',
    query: z.strictObject({
      projectId: projectId.optional().describe('Only pull requests of this project.'),
      state: z.enum(['open', 'closed', 'merged']).optional().describe('Only pull requests in this state.'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.ForgePullRequest, 'PullRequestList')),
    errors: [],
  },
  readPullRequest: {
    method: 'get',
    path: '/v1/pull-requests/{pullRequestId}',
    tag,
    summary: 'Read a pull request',
    description: 'One pull request and its preview.',
    scope: 'exports:read',
    params,
    success: json(200, schemas.ForgePullRequest),
    errors: ['not_found'],
  },
  approvePullRequest: {
    method: 'post',
    path: '/v1/pull-requests/{pullRequestId}/approve',
    tag,
    summary: 'Approve a commit of a fork',
    description:
      'Lets the named commit be built. The approval does not cover later commits of the branch. Review the changes before.',
    scope: 'exports:write',
    params,
    body: schemas.ApprovePullRequest,
    success: json(202, schemas.ForgePullRequest),
    errors: ['not_found', 'version_conflict'],
  },
  rebuildPullRequest: {
    method: 'post',
    path: '/v1/pull-requests/{pullRequestId}/rebuild',
    tag,
    summary: 'Build the preview again',
    description:
      'Asks the forge for the state of the pull request, then exports its head commit again. A preview that is being built is canceled.',
    scope: 'exports:write',
    params,
    success: json(202, schemas.ForgePullRequest),
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
