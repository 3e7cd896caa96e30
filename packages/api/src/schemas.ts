/** All schemas of requests and responses. This module also runs in browsers and must not depend on the server. */
import * as z from 'zod';
import { errorCodes } from './errors.ts';
import { Isolation } from './export-schemas.ts';
import { sha256, timestamp } from './primitives.ts';

export { Domain } from './primitives.ts';
export * from './agent-schemas.ts';
export * from './project-agent-schemas.ts';
export * from './deployment-schemas.ts';
export * from './export-schemas.ts';
export * from './key-schemas.ts';
export * from './user-schemas.ts';
export * from './project-schemas.ts';
export * from './site-schemas.ts';
export * from './webhook-schemas.ts';

export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'A readable message that says what failed and what to do.' }),
    code: z.enum(errorCodes).meta({ description: 'Stable. Compare this field, not the message.' }),
    requestId: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ProblemBody = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(errorCodes),
    requestId: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'The error as specified by RFC 9457, for `Accept: application/problem+json`.',
  });
export type ProblemBody = z.infer<typeof ProblemBody>;

export const AuditEntry = z
  .object({
    id: z.string(),
    at: timestamp,
    actor: z.string().meta({ description: 'A key id, the email of a user, `cli` or `system`.' }),
    actorName: z.string().nullable().meta({
      description: 'The name of the actor, also after it was deleted. Null when it has no name.',
    }),
    action: z.string(),
    object: z.string().nullable(),
    objectName: z.string().nullable().meta({
      description: 'The name of the object, also after it was deleted. Null when it has no name.',
    }),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    hash: sha256.meta({ description: 'Chains this entry to the one before it.' }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

export const Health = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Health' });

export const Readiness = z
  .object({
    status: z.enum(['ready', 'degraded', 'not_ready']).meta({
      description: 'A degraded process serves requests that do not need the failed component.',
    }),
    version: z.string(),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string() })),
    isolation: Isolation.optional().meta({
      description: 'The isolation of rendering. Absent until it has been tested.',
    }),
  })
  .meta({ id: 'Readiness' });
export type Readiness = z.infer<typeof Readiness>;

export const Page = {
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '1 to 100, default 20.' }),
  cursor: z.string().min(1).max(2048).optional().meta({ description: '`nextCursor` of the previous page.' }),
};

export function listOf<T extends z.ZodType>(item: T, id: string) {
  return z.object({ data: z.array(item), nextCursor: z.string().nullable() }).meta({ id });
}
