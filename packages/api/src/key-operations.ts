import * as z from 'zod';
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
        .meta({ description: '`active`: only valid keys. `ended`: only revoked or expired keys.' }),
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
      'A key cannot grant more than it has: the scopes must be among those of the calling key, and a key that is limited to a project creates keys for that project only.',
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
      'Creates a key with the same scopes and limits. The old key stays valid for `overlapSeconds`.',
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
      'Takes effect immediately, or within a second when several processes run. Revoking a revoked key succeeds.',
    scope: 'keys:write',
    params: keyParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
