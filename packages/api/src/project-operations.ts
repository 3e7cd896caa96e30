import * as z from 'zod';
import { Ids, Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import { projectId } from './primitives.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId });

export const projectOperations = {
  listProjects: {
    method: 'get',
    path: '/v1/projects',
    tag: 'Projects',
    summary: 'List projects',
    description: 'The projects of your organization. A project key sees only its project.',
    scope: 'projects:read',
    query: z.strictObject({
      q: Search.meta({
        description:
          'Words that the name, the domain, the repository or the id must contain, case-insensitive.',
      }),
      domain: schemas.Domain.optional().describe('Only the project of this domain.'),
      ids: Ids,
      sort: sortedBy(['name', 'domain', 'createdAt', 'updatedAt'], '-createdAt'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.Project, 'ProjectList')),
    errors: [],
  },
  createProject: {
    method: 'post',
    path: '/v1/projects',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'Connects a domain with the repository that contains its docs.',
    scope: 'projects:write',
    organizationWide: true,
    body: schemas.CreateProject,
    success: json(201, schemas.Project),
    errors: ['domain_taken'],
  },
  readProject: {
    method: 'get',
    path: '/v1/projects/{projectId}',
    tag: 'Projects',
    summary: 'Read a project',
    description: 'The settings of one project, without its secrets.',
    scope: 'projects:read',
    params: projectParams,
    success: json(200, schemas.Project),
    errors: ['not_found'],
  },
  updateProject: {
    method: 'patch',
    path: '/v1/projects/{projectId}',
    tag: 'Projects',
    summary: 'Change a project',
    description:
      'Set at least one field. `source` is replaced as a whole. A running job keeps the source it started with.\n\nA project key cannot change `domain` and `source`. A forge configuration that cannot work, such as a kind that does not match the repository, is rejected; `details` names the invalid part. The forge is not contacted for this check.',
    scope: 'projects:write',
    params: projectParams,
    body: schemas.UpdateProject,
    success: json(200, schemas.Project),
    errors: ['not_found', 'domain_taken', 'version_conflict'],
  },
  readContentKey: {
    method: 'post',
    path: '/v1/projects/{projectId}/content-key',
    tag: 'Projects',
    summary: 'Read the content key',
    description:
      'The secret key that seals the pages for groups in the bundles of the project. A server of the site needs it to show these pages to their readers.\n\nThe first request or export creates the key. It stays the same when the secrets of the installation are rotated. Every request is recorded in the audit log.',
    scope: 'keys:write',
    keepsNoAnswer: true,
    params: projectParams,
    success: json(200, schemas.ContentKey),
    errors: ['not_found'],
  },
  deleteProject: {
    method: 'delete',
    path: '/v1/projects/{projectId}',
    tag: 'Projects',
    summary: 'Delete a project, its jobs and its bundles',
    description:
      'Removes the files of every export of the project, and its project keys. It cannot be undone.\n\nReturns `project_busy` while the project has unfinished jobs.',
    scope: 'projects:write',
    params: projectParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'project_busy'],
  },
} as const satisfies Record<string, Operation>;
