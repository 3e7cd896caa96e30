/**
 * The table of all HTTP operations: method, path, input, response and errors. The server's validation, the OpenAPI
 * document and the typed client are derived from it.
 */
import type { z } from 'zod';
import { agentOperations } from './agent-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { automationOperations } from './automation-operations.ts';
import { analyticsOperations } from './analytics-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import type { ErrorCode } from './errors.ts';
import { exportOperations } from './export-operations.ts';
import { forgeEventOperations } from './forge-event-operations.ts';
import { githubAppOperations } from './github-app-operations.ts';
import { keyOperations } from './key-operations.ts';
import { json, type Operation } from './operation.ts';
import { projectOperations } from './project-operations.ts';
import { reviewOperations } from './review-operations.ts';
import { pullRequestOperations } from './pull-request-operations.ts';
import * as schemas from './schemas.ts';
import { userOperations } from './user-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

export type { Operation, Success } from './operation.ts';

export const operations = {
  ...exportOperations,
  ...agentOperations,
  ...projectOperations,
  ...keyOperations,
  ...webhookOperations,
  ...forgeEventOperations,
  ...githubAppOperations,
  ...automationOperations,
  ...pullRequestOperations,
  ...deploymentOperations,
  ...analyticsOperations,
  ...reviewOperations,
  ...userOperations,
  readMe: {
    method: 'get',
    path: '/v1/me',
    tag: 'Organization',
    summary: 'Read the calling key or user and its permissions',
    description: 'Use it as a first call to check that a key works.',
    scope: 'any',
    success: json(200, schemas.Me),
    errors: [],
  },
  ...auditOperations,
  readHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'Check liveness',
    description: 'Responds as long as the process runs. Use it to decide whether to restart the process.',
    scope: null,
    success: json(200, schemas.Health),
    errors: [],
  },
  readReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Check readiness',
    description:
      'Use it to decide whether to send requests to the process. Returns 503 with the same body while the process stops or a component that every request needs is unavailable.\n\nA process without its bundle storage stays ready and has the status `degraded`. Only requests for bundles, reports, manifests and previews return 503 `storage_unavailable`.',
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

/** Errors that follow from the properties of an operation, so the table lists only the specific ones. */
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
  // Session cookies are accepted only from the server's own origin.
  if (operation.method !== 'get' && operation.scope !== null) codes.push('origin_refused');
  if (operation.errors.includes('queue_full')) codes.push('overloaded');
  return [...new Set(codes)];
}

type PartOf<O, K extends string> = O extends Record<K, z.ZodType> ? z.input<O[K]> : undefined;
type ParsedPartOf<O, K extends string> = O extends Record<K, z.ZodType> ? z.output<O[K]> : undefined;

export interface OperationInput<Id extends OperationId> {
  params: PartOf<Operations[Id], 'params'>;
  query: PartOf<Operations[Id], 'query'>;
  body: PartOf<Operations[Id], 'body'>;
}

/** The input after validation. */
export interface ParsedInput<Id extends OperationId> {
  params: ParsedPartOf<Operations[Id], 'params'>;
  query: ParsedPartOf<Operations[Id], 'query'>;
  body: Operations[Id] extends { bodyOptional: true }
    ? ParsedPartOf<Operations[Id], 'body'> | undefined
    : ParsedPartOf<Operations[Id], 'body'>;
}

export type OperationResult<Id extends OperationId> = Operations[Id]['success'] extends {
  kind: 'json';
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : undefined;
