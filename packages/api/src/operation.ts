/**
 * What an entry in the table of operations says.
 */
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';

export type Success =
  | { status: 200 | 201 | 202; kind: 'json'; schema: z.ZodType; alsoTypes?: readonly string[] }
  | { status: 200; kind: 'events'; schema: z.ZodType }
  /** As JSON, a file holds an array of the records. */
  | { status: 200; kind: 'file'; types: readonly string[]; schema: z.ZodType }
  | { status: 204; kind: 'empty' }
  | { status: 302; kind: 'redirect' };

export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  tag:
    | 'Static export'
    | 'Agent jobs'
    | 'Projects'
    | 'API keys'
    | 'Webhooks'
    | 'Deployments'
    | 'People'
    | 'Organization'
    | 'Health';
  summary: string;
  description?: string;
  /** The scope a caller needs; `any` for every valid key and session; null for operations without either. */
  scope: Scope | 'any' | null;
  plan?: 'enterprise';
  /** About more than one project: a key that is limited to one is refused. */
  organizationWide?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  bodyOptional?: boolean;
  success: Success;
  /** A second status with the same body, for news that is bad but no error. */
  alsoStatus?: 503;
  /** What can go wrong beyond what `impliedErrors` adds. */
  errors: readonly ErrorCode[];
  /** A POST whose answer is not kept for a repeat, because it begins a session. */
  keepsNoAnswer?: true;
  /** The answer tells of unfinished work: it carries Retry-After and obeys `Prefer: wait`. */
  waitable?: boolean;
}

export const json = <S extends 200 | 201 | 202, T extends z.ZodType>(status: S, schema: T) =>
  ({ status, kind: 'json', schema }) as const;
