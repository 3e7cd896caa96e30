/**
 * Every operation of the HTTP API as data: address, input, answer, and what can go wrong. The server's
 * validation, the OpenAPI document and the typed client are all made from this table and nothing else.
 */
import { z } from 'zod';
import { agentOperations } from './agent-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import type { ErrorCode } from './errors.ts';
import { Ids, ProjectId, Search, sortedBy, YesOrNo } from './list-query.ts';
import { json, type Operation } from './operation.ts';
import { peopleOperations } from './people-operations.ts';
import { reviewOperations } from './review-operations.ts';
import * as schemas from './schemas.ts';
import { webhookOperations } from './webhook-operations.ts';

export type { Operation, Success } from './operation.ts';

const jobParams = z.object({ jobId: z.string().min(1).max(64) });
const keyParams = z.object({ keyId: z.string().min(1).max(64) });
const projectParams = z.object({ projectId: z.string().min(1).max(64) });

/** The forms of the quality report beside JSON. */
export const reportTypes = ['text/html', 'application/sarif+json', 'application/xml'] as const;

export const operations = {
  startExport: {
    method: 'post',
    path: '/v1/static-export/jobs',
    tag: 'Static export',
    summary: 'Start a static export job',
    description:
      'Queues an export of the documentation site of a domain. Follow the job until it is `completed`.',
    scope: 'exports:write',
    plan: 'enterprise',
    body: schemas.StartExport,
    success: json(202, schemas.ExportJob),
    errors: ['not_found', 'queue_full'],
  },
  listExports: {
    method: 'get',
    path: '/v1/static-export/jobs',
    tag: 'Static export',
    summary: 'List static export jobs',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({
      domain: schemas.Domain.optional(),
      status: schemas.ExportStatus.optional(),
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .meta({ description: 'Created at or after this moment.' }),
      projectId: ProjectId,
      canceled: YesOrNo.meta({
        description: 'Only jobs that were canceled, or only the others. Default: both.',
      }),
      q: Search.meta({
        description: 'Words that the id, the domain, the commit or the name of the project must contain.',
      }),
      sort: sortedBy(['createdAt', 'updatedAt', 'domain'], '-createdAt'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.ExportJob, 'ExportJobList')),
    errors: [],
  },
  readExport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}',
    tag: 'Static export',
    summary: 'Read the state of a static export job',
    description: 'Meant to be polled. `Prefer: wait=N` (up to 55) holds the answer until the record changes.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: json(200, schemas.ExportJob),
    errors: ['not_found'],
    waitable: true,
  },
  deleteExport: {
    method: 'delete',
    path: '/v1/static-export/jobs/{jobId}',
    tag: 'Static export',
    summary: 'Delete a finished export and its files',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'job_not_finished'],
  },
  createBundle: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/bundle',
    tag: 'Static export',
    summary: 'Get a download link for the bundle',
    description:
      'Each call signs a fresh link. The job and its files stay; only the link expires. With `since` the link is to a delta, which is made when it is first asked for.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    body: schemas.CreateBundle,
    bodyOptional: true,
    success: json(200, schemas.Bundle),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  openBundle: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/bundle',
    tag: 'Static export',
    summary: 'Go to a fresh download link',
    description: 'An address that never goes stale: it answers with a redirect to a link signed just now.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({ since: schemas.Since.optional() }),
    success: { status: 302, kind: 'redirect' },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  openLatestBundle: {
    method: 'get',
    path: '/v1/static-export/latest/bundle',
    tag: 'Static export',
    summary: 'Go to the newest bundle of a domain',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({ domain: schemas.Domain, since: schemas.Since.optional() }),
    success: { status: 302, kind: 'redirect' },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  followExport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/events',
    tag: 'Static export',
    summary: 'Follow a job as server-sent events',
    description: 'Each event is named `job` and carries the whole record. `Last-Event-ID` resumes.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: { status: 200, kind: 'events', schema: schemas.ExportJob },
    errors: ['not_found'],
  },
  readReport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/report',
    tag: 'Static export',
    summary: 'Read the quality report',
    description:
      'Also there when the job failed because of `strict` or `failOn`. `Accept` chooses the form: JSON, `text/html` for a page, `application/sarif+json` for SARIF 2.1.0, `application/xml` for JUnit.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: { ...json(200, schemas.Report), alsoTypes: reportTypes },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readManifest: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/manifest',
    tag: 'Static export',
    summary: 'Read the list of files with their hashes',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: json(200, schemas.Manifest),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readSigningKey: {
    method: 'get',
    path: '/v1/signing-key',
    tag: 'Static export',
    summary: 'Read the public key that signs bundles',
    description: 'Every bundle holds `manifest.json.minisig`, a signature of its manifest by this key.',
    scope: 'exports:read',
    success: json(200, schemas.SigningKey),
    errors: [],
  },
  cancelExport: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/cancel',
    tag: 'Static export',
    summary: 'Cancel a job',
    description: 'The job ends as `failed` with `failure.code` `canceled`.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: json(202, schemas.ExportJob),
    errors: ['not_found', 'job_finished'],
  },
  retryExport: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/retry',
    tag: 'Static export',
    summary: 'Start a finished job again',
    description: 'Makes a new job with the same request; `retryOf` names the old one.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: json(202, schemas.ExportJob),
    errors: ['not_found', 'job_not_finished', 'queue_full'],
  },
  ...agentOperations,
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
    description: 'API keys that are limited to it go with it.',
    scope: 'projects:write',
    params: projectParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'project_busy'],
  },
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
  ...webhookOperations,
  ...deploymentOperations,
  ...reviewOperations,
  ...peopleOperations,
  readMe: {
    method: 'get',
    path: '/v1/me',
    tag: 'Organization',
    summary: 'Read who calls, a key or a person, and what they may do',
    scope: 'any',
    success: json(200, schemas.Me),
    errors: [],
  },
  ...auditOperations,
  readHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'Is the process alive?',
    scope: null,
    success: json(200, schemas.Health),
    errors: [],
  },
  readReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Can the process do its work?',
    description:
      'Answers 503 with the same body while the process stops or a part that every request needs is not usable. A process without its bundle storage stays ready, as `degraded`.',
    scope: null,
    success: json(200, schemas.Readiness),
    alsoStatus: 503,
    errors: [],
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationId = keyof Operations;

export const operationIds = Object.keys(operations) as OperationId[];

export function operation(id: OperationId): Operation {
  return operations[id];
}

/** What every operation of a kind can answer, so that the table above names only what is special. */
export function impliedErrors(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = [];
  if (operation.scope !== null)
    codes.push('unauthorized', 'key_in_query', 'address_refused', 'rate_limited', 'storage_unavailable');
  if ((operation.scope !== null && operation.scope !== 'any') || operation.organizationWide)
    codes.push('scope_missing');
  if (operation.plan !== undefined) codes.push('plan_required');
  if (operation.body !== undefined) codes.push('invalid_request', 'malformed_json', 'unsupported_media_type');
  if (operation.query !== undefined) codes.push('invalid_request');
  if (operation.method === 'post' && !operation.keepsNoAnswer)
    codes.push('invalid_request', 'idempotency_key_reused', 'idempotency_in_progress');
  if (operation.method !== 'get' || operation.success.kind === 'json') codes.push('precondition_failed');
  if (operation.method !== 'get') codes.push('payload_too_large', 'draining');
  // The cookie of a session counts only for requests of our own pages.
  if (operation.method !== 'get' && operation.scope !== null) codes.push('origin_refused');
  // New work is refused first; reads go on.
  if (operation.errors.includes('queue_full')) codes.push('overloaded');
  return [...new Set(codes)];
}

type PartOf<O, K extends string> = O extends Record<K, z.ZodType> ? z.input<O[K]> : undefined;
type ParsedPartOf<O, K extends string> = O extends Record<K, z.ZodType> ? z.output<O[K]> : undefined;

/** What a caller gives. */
export interface OperationInput<Id extends OperationId> {
  params: PartOf<Operations[Id], 'params'>;
  query: PartOf<Operations[Id], 'query'>;
  body: PartOf<Operations[Id], 'body'>;
}

/** The same after validation, as the server sees it. */
export interface ParsedInput<Id extends OperationId> {
  params: ParsedPartOf<Operations[Id], 'params'>;
  query: ParsedPartOf<Operations[Id], 'query'>;
  body: Operations[Id] extends { bodyOptional: true }
    ? ParsedPartOf<Operations[Id], 'body'> | undefined
    : ParsedPartOf<Operations[Id], 'body'>;
}

/** What comes back. */
export type OperationResult<Id extends OperationId> = Operations[Id]['success'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;
