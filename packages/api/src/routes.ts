/**
 * Every operation of the HTTP API as data: address, input, answer, and what can go wrong. The server's
 * validation, the OpenAPI document and the typed client are all made from this table and nothing else.
 */
import type { z } from 'zod';
import { agentOperations } from './agent-operations.ts';
import { auditOperations } from './audit-operations.ts';
import { deploymentOperations } from './deployment-operations.ts';
import type { ErrorCode } from './errors.ts';
import { exportOperations } from './export-operations.ts';
import { keyOperations } from './key-operations.ts';
import { json, type Operation } from './operation.ts';
import { peopleOperations } from './people-operations.ts';
import { projectOperations } from './project-operations.ts';
import { reviewOperations } from './review-operations.ts';
import * as schemas from './schemas.ts';
import { webhookOperations } from './webhook-operations.ts';

export { reportTypes } from './export-operations.ts';
export type { Operation, Success } from './operation.ts';

export const operations = {
  ...exportOperations,
  ...agentOperations,
  ...projectOperations,
  ...keyOperations,
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
