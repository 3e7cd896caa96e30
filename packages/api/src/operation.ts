/** The shape of an entry in the table of operations. */
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Scope } from './scopes.ts';

export type Success =
  | {
      status: 200 | 201 | 202;
      kind: 'json';
      schema: z.ZodType;
      alsoTypes?: readonly string[];
      example?: unknown;
    }
  | { status: 200; kind: 'events'; schema: z.ZodType }
  /** A JSON file is an array of records that match `schema`. */
  | { status: 200; kind: 'file'; types: readonly string[]; schema: z.ZodType }
  | { status: 204; kind: 'empty' }
  | { status: 302; kind: 'redirect' };

export interface Operation {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  /** A former path that is still served and not documented. */
  deprecatedPath?: string;
  tag:
    | 'Static export'
    | 'Agent jobs'
    | 'Projects'
    | 'API keys'
    | 'Webhooks'
    | 'Forge events'
    | 'Automations'
    | 'Pull requests'
    | 'Deployments'
    | 'Users'
    | 'Organization'
    | 'Health';
  summary: string;
  description?: string;
  /** `any`: every valid key or session. Null: no authentication. */
  scope: Scope | 'any' | null;
  plan?: 'enterprise';
  /** A key that is limited to one project is refused. */
  organizationWide?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  bodyOptional?: boolean;
  success: Success;
  /** A second status with the same body. */
  alsoStatus?: 503;
  /** In addition to `impliedErrors`. */
  errors: readonly ErrorCode[];
  /** The response of this POST is not stored for idempotent replay: it carries a session or is sent on a schedule. */
  keepsNoAnswer?: true;
  /** While the job is unfinished, the response carries Retry-After. `Prefer: wait` is supported. */
  waitable?: boolean;
}

export const json = <S extends 200 | 201 | 202, T extends z.ZodType>(status: S, schema: T) =>
  ({ status, kind: 'json', schema }) as const;
