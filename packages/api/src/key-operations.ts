/** The part of the table of operations that is about API keys. */
import { z } from 'zod';
import { ProjectId, Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const keyParams = z.object({ keyId: z.string().min(1).max(64) });

export const keyOperations = {
  listKeys: {
    method: 'get',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    scope: 'keys:read',
    query: z.strictObject({
      q: Search.meta({
        description: 'Words that the name, the id or the visible part of the key must contain.',
      }),
      status: z
        .enum(['active', 'ended'])
        .optional()
        .meta({ description: 'Only keys that work now, or only those that were revoked or have expired.' }),
      projectId: ProjectId.meta({ description: 'Only keys that are limited to this project.' }),
      sort: sortedBy(['name', 'createdAt', 'lastUsedAt', 'expiresAt'], '-createdAt'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.ApiKey, 'ApiKeyList')),
    errors: [],
  },
  createKey: {
    method: 'post',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'Create an API key',
    description:
      'A key cannot give more than it has: the scopes asked for must be among those of the calling key, and a key that is limited to a project makes keys for that one.',
    scope: 'keys:write',
    body: schemas.CreateKey,
    success: json(201, schemas.CreatedKey),
    errors: ['not_found'],
  },
  rollKey: {
    method: 'post',
    path: '/v1/api-keys/{keyId}/roll',
    tag: 'API keys',
    summary: 'Replace an API key',
    description:
      'Makes a new key with the same rights and limits; the old one goes on working for `overlapSeconds`.',
    scope: 'keys:write',
    params: keyParams,
    body: schemas.RollKey,
    bodyOptional: true,
    success: json(201, schemas.CreatedKey),
    errors: ['not_found'],
  },
  revokeKey: {
    method: 'delete',
    path: '/v1/api-keys/{keyId}',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description:
      'Works at once, and within a second where several processes answer. Revoking twice is no error.',
    scope: 'keys:write',
    params: keyParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
