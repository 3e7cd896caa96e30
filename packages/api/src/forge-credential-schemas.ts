import * as z from 'zod';

export const secret = z.string().min(1).max(10_000);

/** HTTP Basic authentication separates user name and password with a colon. */
const userName = z
  .string()
  .max(200)
  .regex(/^[^:\p{C}]+$/u, 'A user name has no colon and no control characters.');

export const SetForgeCredential = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('token').describe('A personal, project or deploy token.'),
      token: secret.describe('The token.'),
      username: userName.optional().describe('For forges that need a user name with the token.'),
    }),
    z.strictObject({
      type: z.literal('app').describe('A GitHub App.'),
      appId: z.string().min(1).max(100).describe('The id of the app.'),
      privateKey: secret.describe('The private key of the app, in PEM format.'),
      installationId: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .describe('Default: the installation that can access the repository.'),
    }),
  ])
  .meta({ id: 'SetForgeCredential' });
