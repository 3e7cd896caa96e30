import * as z from 'zod';
import { Ids, Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const projectParams = z.object({ projectId: z.string().min(1).max(64) });

export const projectOperations = {
  listProjects: {
    method: 'get',
    path: '/v1/projects',
    tag: 'Projects',
    summary: 'List projects',
    scope: 'projects:read',
    query: z.strictObject({
      q: Search.meta({
        description: 'Words that the name, the domain, the repository or the id must contain.',
      }),
      domain: schemas.Domain.optional(),
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
    description: 'A key that is limited to the project cannot change `domain` and `source`.',
    scope: 'projects:write',
    params: projectParams,
    body: schemas.UpdateProject,
    success: json(200, schemas.Project),
    errors: ['not_found', 'domain_taken', 'version_conflict'],
  },
  deleteProject: {
    method: 'delete',
    path: '/v1/projects/{projectId}',
    tag: 'Projects',
    summary: 'Delete a project, its jobs and its bundles',
    description: 'Also deletes API keys that are limited to the project.',
    scope: 'projects:write',
    params: projectParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'project_busy'],
  },
} as const satisfies Record<string, Operation>;
