import * as z from 'zod';
import { ProjectId, Search, sortedBy } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import { keyId } from './primitives.ts';
import * as schemas from './schemas.ts';

const keyParams = z.object({ keyId });

export const keyOperations = {
  listKeys: {
    method: 'get',
    path: '/v1/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description: 'The keys without their secrets. A project key sees only the keys of its project.',
    scope: 'keys:read',
    query: z.strictObject({
      q: Search.meta({
        description:
          'Words that the name, the id or the visible part of the key must contain, case-insensitive.',
      }),
      status: z
        .enum(['active', 'ended'])
        .optional()
        .meta({ description: '`active` for valid keys, `ended` for revoked and expired ones.' }),
      projectId: ProjectId.meta({ description: 'Only keys of this project.' }),
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
      'The response contains the secret of the key in `key`. It is shown only once.\n\nA key cannot grant more rights than it has: the requested scopes must be among those of the calling key, and its limit to IP addresses or to a project also applies to the new key. Returns `not_found` if the project does not exist.',
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
      'Creates a new key with the same rights and limits. The old key keeps working for `overlapSeconds`.\n\nThe response contains the secret of the new key in `key`. The body is optional.',
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
      'Takes effect at once, and within one second on several machines. Revoking a key twice is not an error.',
    scope: 'keys:write',
    params: keyParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
