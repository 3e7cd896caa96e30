/** API keys and the caller. Only the response that creates a key holds its secret. */
import * as z from 'zod';
import { keyLifetimesDays, plans } from './constants.ts';
import { Role } from './user-schemas.ts';
import { nullableTimestamp, overlapSeconds, timestamp } from './primitives.ts';
import { Scope } from './scope-schema.ts';

export const CreateKey = z
  .strictObject({
    name: z.string().trim().min(1).max(128),
    scopes: z.array(Scope).min(1).max(20).optional().meta({ description: 'Default: read and write.' }),
    expiresInDays: z
      .union([z.literal(keyLifetimesDays), z.null()])
      .optional()
      .meta({ description: 'Default 90; null for a key that does not expire.' }),
    allowedAddresses: z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'This is not an IP address or CIDR range.'),
      )
      .max(50)
      .optional()
      .meta({ description: 'IP addresses or CIDR ranges. Default: every address.' }),
    projectId: z.string().min(1).max(64).optional().meta({
      description: 'The only project the key can see and change. Default: the projects of the caller.',
    }),
  })
  .meta({ id: 'CreateKey' });
export type CreateKey = z.infer<typeof CreateKey>;

export const RollKey = z
  .strictObject({
    overlapSeconds: overlapSeconds
      .optional()
      .meta({ description: 'How long the old key stays valid. Default 3600.' }),
  })
  .meta({ id: 'RollKey' });
export type RollKey = z.infer<typeof RollKey>;

const onlyProjectId = z
  .string()
  .nullable()
  .meta({ description: 'The only project the key can see and change; null for all.' });

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    last4: z.string(),
    scopes: z.array(Scope),
    allowedAddresses: z.array(z.string()),
    projectId: onlyProjectId,
    createdAt: timestamp,
    expiresAt: nullableTimestamp,
    lastUsedAt: nullableTimestamp,
    revokedAt: nullableTimestamp,
    rolledFrom: z.string().nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedKey = ApiKey.extend({
  key: z.string().meta({ description: 'The secret. Returned only in this response.' }),
}).meta({ id: 'CreatedKey' });
export type CreatedKey = z.infer<typeof CreatedKey>;

export const Plan = z.enum(plans).meta({ id: 'Plan' });
export type Plan = z.infer<typeof Plan>;

export const Me = z
  .object({
    organization: z.object({ id: z.string(), name: z.string(), plan: Plan }),
    key: z
      .object({
        id: z.string(),
        name: z.string(),
        scopes: z.array(Scope),
        projectId: onlyProjectId,
        expiresAt: nullableTimestamp,
      })
      .nullable()
      .meta({ description: 'Null when a user calls.' }),
    person: z
      .object({ id: z.string(), email: z.string(), name: z.string(), role: Role })
      .nullable()
      .meta({ description: 'Null when a key calls.' }),
    scopes: z.array(Scope).meta({ description: 'The permissions of the caller.' }),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
