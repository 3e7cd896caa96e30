/** API keys and the caller. Only the response that creates a key holds its secret. */
import * as z from 'zod';
import { keyLifetimesDays, plans } from './constants.ts';
import { Role } from './user-schemas.ts';
import { createdAt, nullableTimestamp, overlapSeconds } from './primitives.ts';
import { Scope } from './scope-schema.ts';

export const CreateKey = z
  .strictObject({
    name: z.string().trim().min(1).max(128).describe('A display name.'),
    scopes: z
      .array(Scope)
      .min(1)
      .max(20)
      .optional()
      .describe('What the key can do. Default: `read` and `write`.'),
    expiresInDays: z
      .union([z.literal(keyLifetimesDays), z.null()])
      .optional()
      .describe('Lifetime of the key; null for a key that does not expire. Default: 90.'),
    allowedAddresses: z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'This is not an IP address or CIDR range.'),
      )
      .max(50)
      .optional()
      .meta({ description: 'IP addresses or CIDR ranges. Default: every address.' }),
    projectId: z.string().min(1).max(64).optional().meta({
      description: 'The only project that the key can access. Default: all, or that of the calling key.',
    }),
  })
  .meta({ id: 'CreateKey', examples: [{ name: 'CI', scopes: ['exports:write'], expiresInDays: 30 }] });
export type CreateKey = z.infer<typeof CreateKey>;

export const RollKey = z
  .strictObject({
    overlapSeconds: overlapSeconds.optional().describe('How long the old key keeps working. Default: 3600.'),
  })
  .meta({ id: 'RollKey', examples: [{ overlapSeconds: 3600 }] });
export type RollKey = z.infer<typeof RollKey>;

const onlyProjectId = z
  .string()
  .nullable()
  .describe('The only project that the key can access; null for all.');

const keyId = z.string().meta({ description: 'Starts with `key_`.', examples: ['key_9b1d4e7f2a6c8305'] });
const expiresAt = nullableTimestamp.describe('When the key expires; null for never.');

export const ApiKey = z
  .object({
    id: keyId,
    name: z.string().describe('The display name.'),
    prefix: z.string().describe('The first characters of the key, to recognize it.'),
    last4: z.string().describe('The last four characters.'),
    scopes: z.array(Scope).describe('What the key can do.'),
    allowedAddresses: z
      .array(z.string())
      .describe('The IP addresses and ranges that can use the key; empty if there is no restriction.'),
    projectId: onlyProjectId,
    createdAt,
    expiresAt,
    lastUsedAt: nullableTimestamp.describe('Time of the last use.'),
    revokedAt: nullableTimestamp.describe('Time of the revocation.'),
    rolledFrom: z.string().nullable().describe('The key that this one replaced.'),
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
    organization: z
      .object({
        id: z.string().describe('Starts with `org_`.'),
        name: z.string().describe('The name of the organization.'),
        plan: Plan.describe('The plan, which decides about features.'),
      })
      .describe('The organization of the caller.'),
    key: z
      .object({
        id: keyId,
        name: z.string().describe('The display name.'),
        scopes: z.array(Scope).describe('The scopes of the key.'),
        projectId: onlyProjectId,
        expiresAt,
      })
      .nullable()
      .describe('The calling key. Null if a user calls.'),
    person: z
      .object({
        id: z.string().describe('Starts with `pe_`.'),
        email: z.string().describe('The email of the user.'),
        name: z.string().describe('The name of the user.'),
        role: Role,
      })
      .nullable()
      .describe('The calling user. Null if a key calls.'),
    scopes: z.array(Scope).describe('The permissions of the caller.'),
  })
  .meta({ id: 'Me' });
export type Me = z.infer<typeof Me>;
