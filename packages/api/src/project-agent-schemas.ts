/** Agent settings of a project. Responses never contain the secrets. */
import * as z from 'zod';
import { forgeKinds, modelProviders } from './constants.ts';
import { AgentLimits, SetAgentLimits } from './agent-schemas.ts';
import { httpUrl, modelName, docsPath } from './primitives.ts';

const configKey = z
  .string()
  .max(200)
  .regex(/^[\w$-]+(?:\.[\w$-]+)*$/, 'Name a key of docs.json, such as "redirects" or "api.playground".');

const secret = z.string().min(1).max(10_000);

/** HTTP Basic authentication separates user name and password with a colon. */
const userName = z
  .string()
  .max(200)
  .regex(/^[^:\p{C}]+$/u, 'A user name has no colon and no control characters.');

export const SetForgeCredential = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('token'), token: secret, username: userName.optional() }),
    z.strictObject({
      type: z.literal('app'),
      appId: z.string().min(1).max(100),
      privateKey: secret,
      installationId: z.string().min(1).max(100).optional(),
    }),
  ])
  .meta({ id: 'SetForgeCredential' });

export const SetProjectAgent = z
  .strictObject({
    model: z
      .strictObject({
        provider: z.enum(modelProviders),
        url: httpUrl,
        name: modelName,
        key: secret.nullish().meta({
          description: 'When omitted, the stored key is kept as long as `url` has the same host.',
        }),
      })
      .nullish()
      .meta({ description: 'Null for the endpoint of the installation.' }),
    forge: z
      .strictObject({
        kind: z.enum(forgeKinds),
        apiBase: httpUrl.nullish(),
        credential: SetForgeCredential.nullish().meta({
          description:
            'When omitted, the stored credential is kept as long as `kind`, `apiBase` and the host of the repository stay the same.',
        }),
      })
      .nullish()
      .meta({ description: 'Null to detect the forge from the address of the repository.' }),
    limits: SetAgentLimits.nullish(),
    protectedPaths: z.array(docsPath).max(200).optional().meta({
      description:
        'Paths, folders or patterns that no job may change. They take precedence over `allowedPaths`.',
    }),
    allowedPaths: z.array(docsPath).max(200).optional().meta({
      description: 'Patterns of files that jobs may change although they are protected by default.',
    }),
    allowedConfigKeys: z.array(configKey).max(200).optional().meta({
      description: 'Keys of `docs.json` that jobs may change although they are protected by default.',
    }),
    instructions: z.string().max(16_000).nullish(),
  })
  .meta({ id: 'SetProjectAgent' });
export type SetProjectAgent = z.infer<typeof SetProjectAgent>;

const storedSecret = z.object({ set: z.boolean() });

export const ProjectAgent = z
  .object({
    model: z
      .object({ provider: z.enum(modelProviders), url: z.string(), name: z.string(), key: storedSecret })
      .nullable(),
    forge: z
      .object({ kind: z.enum(forgeKinds), apiBase: z.string().nullable(), credential: storedSecret })
      .nullable(),
    limits: AgentLimits.partial(),
    protectedPaths: z.array(z.string()),
    allowedPaths: z.array(z.string()),
    allowedConfigKeys: z.array(z.string()),
    instructions: z.string().nullable(),
  })
  .meta({ id: 'ProjectAgent', description: 'Reports for each secret whether it is set, never its value.' });
export type ProjectAgent = z.infer<typeof ProjectAgent>;
