/** All schemas of requests and responses. This module also runs in browsers and must not depend on the server. */
import * as z from 'zod';
import { errorCodes } from './errors.ts';
import { Isolation } from './export-schemas.ts';
import { sha256, timestamp } from './primitives.ts';

export { Domain } from './primitives.ts';
export * from './agent-schemas.ts';
export type { TriggeringChange } from './context-schemas.ts';
export type { SetForgeCredential } from './forge-credential-schemas.ts';
export * from './project-agent-schemas.ts';
export * from './project-git-schemas.ts';
export * from './analytics-schemas.ts';
export * from './automation-file-schemas.ts';
export * from './automation-schemas.ts';
export * from './deployment-schemas.ts';
export * from './export-schemas.ts';
export * from './forge-event-schemas.ts';
export * from './github-app-schemas.ts';
export * from './pull-request-schemas.ts';
export * from './key-schemas.ts';
export * from './user-schemas.ts';
export * from './project-schemas.ts';
export * from './site-schemas.ts';
export * from './webhook-schemas.ts';

const requestId = z.string().describe('The same as the header `X-Request-Id`. Quote it in reports.');
const invalidField = z.object({
  path: z.string().describe('The field, such as `source.repository`.'),
  message: z.string().describe('What is wrong with it.'),
});

export const ErrorBody = z
  .object({
    error: z.string().meta({ description: 'A readable message that says what failed and what to do.' }),
    code: z.enum(errorCodes).meta({ description: 'Stable. Compare this field, not the message.' }),
    requestId,
    details: z.array(invalidField).optional().describe('For invalid input: the invalid fields.'),
  })
  .meta({ id: 'Error' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ProblemBody = z
  .object({
    type: z.string().describe('The entry of the code on the errors page of the manual.'),
    title: z.string().describe('The meaning of the code.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('A message that says what failed and what to do.'),
    code: z.enum(errorCodes).describe('Stable. Compare this field, not the message.'),
    requestId,
    errors: z.array(invalidField).optional().describe('For invalid input: the invalid fields.'),
  })
  .meta({
    id: 'Problem',
    description: 'The error as specified by RFC 9457, for `Accept: application/problem+json`.',
  });
export type ProblemBody = z.infer<typeof ProblemBody>;

export const AuditEntry = z
  .object({
    id: z.string().describe('Starts with `au_`.'),
    at: timestamp.describe('Time of the change.'),
    actor: z.string().meta({ description: 'A key id, the email of a user, `cli` or `system`.' }),
    actorName: z.string().nullable().meta({
      description: 'The name of the actor, also after it was deleted. Null when it has no name.',
    }),
    action: z.string().describe('What was done, such as `key.create`.'),
    object: z.string().nullable().describe('The id of the changed object.'),
    objectName: z.string().nullable().meta({
      description: 'The name of the object, also after it was deleted. Null when it has no name.',
    }),
    address: z.string().nullable().describe('The IP address of the caller.'),
    requestId: z.string().nullable().describe('The id of the request.'),
    details: z.record(z.string(), z.unknown()).describe('Further details of the action.'),
    hash: sha256.describe('Chained to the previous entry, which reveals removed or changed entries.'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

const version = z.string().describe('The version of Docyard.');

export const ComponentCheck = z
  .object({
    name: z.string().describe('The component.'),
    ok: z.boolean().describe('Whether it works.'),
    message: z.string().describe('What is wrong, or that it works.'),
  })
  .meta({ id: 'ComponentCheck' });

export const Health = z
  .object({ status: z.literal('ok').describe('Always `ok`.'), version })
  .meta({ id: 'Health' });

export const Readiness = z
  .object({
    status: z.enum(['ready', 'degraded', 'not_ready']).meta({
      description: 'A degraded process serves requests that do not need the failed component.',
    }),
    version,
    checks: z.array(ComponentCheck).describe('The components that were checked.'),
    isolation: Isolation.optional().meta({
      description: 'The isolation of rendering. Absent until the test at startup has finished.',
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
  return z
    .object({
      data: z.array(item).describe('The records of this page.'),
      nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last one.'),
    })
    .meta({ id });
}
