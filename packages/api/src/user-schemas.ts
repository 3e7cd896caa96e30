/** Users and sessions. Responses hold no password and no token, except the invitation link in the response that creates it. */
import * as z from 'zod';
import { minPasswordCharacters, userStatuses } from './constants.ts';
import { createdAt, expectedVersion, nullableTimestamp, recordVersion, timestamp } from './primitives.ts';
import { roles } from './scopes.ts';

export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'An owner has full access. An admin has full access but cannot change owners. A member can change exports, agent jobs and projects and read everything. A viewer can read exports, agent jobs, projects and deployments.',
});
export type Role = z.infer<typeof Role>;

const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('This is not an email address.'))
  .meta({ description: 'The email that the user signs in with.', examples: ['ada@example.com'] });

const UserName = z.string().trim().min(1).max(100).describe('The display name.');

const maxPasswordCharacters = 256;

const NewPassword = z
  .string()
  .min(minPasswordCharacters, `A password has at least ${minPasswordCharacters} characters.`)
  .max(maxPasswordCharacters)
  .meta({ description: 'At least 12 characters. Common passwords are rejected.' });

const KnownPassword = z.string().min(1).max(maxPasswordCharacters).describe('The current password.');

const Token = z.string().min(1).max(128).describe('The part of the link after `#`.');

export const Setup = z
  .object({
    needed: z.boolean().meta({ description: 'True until the first user exists.' }),
    signIn: z
      .object({
        oidc: z
          .object({
            name: z.string().describe('The name of the provider, for the sign-in button.'),
            startUrl: z.string().describe('The URL that starts the sign-in in a browser.'),
          })
          .nullable()
          .describe('The OpenID Connect provider. Null if none is configured.'),
      })
      .describe('The ways to sign in besides a password.'),
  })
  .meta({ id: 'Setup' });
export type Setup = z.infer<typeof Setup>;

export const SetUp = z
  .strictObject({
    token: Token.meta({
      description: 'The part after `#` of the setup link that the server prints when it starts.',
    }),
    email: Email,
    name: UserName,
    password: NewPassword,
  })
  .meta({ id: 'SetUp' });
export type SetUp = z.infer<typeof SetUp>;

export const SignIn = z.strictObject({ email: Email, password: KnownPassword }).meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof SignIn>;

export const ChangePassword = z
  .strictObject({ current: KnownPassword, next: NewPassword })
  .meta({ id: 'ChangePassword' });
export type ChangePassword = z.infer<typeof ChangePassword>;

export const User = z
  .object({
    id: z.string().meta({ description: 'Starts with `pe_`.', examples: ['pe_6d2f8a0c4b7e1935'] }),
    email: z.string().describe('The email, in lower case.'),
    name: z.string().describe('The display name. Empty until an invitation is accepted.'),
    role: Role,
    status: z.enum(userStatuses).describe('A `disabled` user cannot sign in.'),
    createdAt: createdAt.describe('When the user was invited or created.'),
    lastSeenAt: nullableTimestamp.describe('When the user was last active, to the minute.'),
    signsInWith: z
      .enum(['password', 'oidc'])
      .nullable()
      .describe('Null until the user has signed in or set a password.'),
    version: recordVersion,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof User>;

export const InviteUser = z
  .strictObject({ email: Email, role: Role })
  .meta({ id: 'InviteUser', examples: [{ email: 'ada@example.com', role: 'member' }] });
export type InviteUser = z.infer<typeof InviteUser>;

export const Invitation = z
  .object({
    person: User.describe('The user, with the status `invited`.'),
    invitationUrl: z.string().meta({
      description:
        'The invitation link. It works once and is returned only in this response. No mail is sent: pass it on yourself.',
    }),
    expiresAt: timestamp.describe('When the link expires.'),
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const AcceptInvitation = z
  .strictObject({ token: Token, name: UserName, password: NewPassword })
  .meta({ id: 'AcceptInvitation' });
export type AcceptInvitation = z.infer<typeof AcceptInvitation>;

export const UpdateUser = z
  .strictObject({
    role: Role.optional(),
    disabled: z
      .boolean()
      .optional()
      .describe('Whether the user is disabled. A disabled user is signed out and cannot sign in.'),
    version: expectedVersion,
  })
  .meta({ id: 'UpdateUser', examples: [{ role: 'admin' }] });
export type UpdateUser = z.infer<typeof UpdateUser>;
