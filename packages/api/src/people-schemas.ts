/**
 * People and their sessions on the wire. No password and no token is ever part of an answer, but for the address of an
 * invitation, which is shown once.
 */
import { z } from 'zod';
import { expectedVersion, nullableTimestamp, recordVersion, timestamp } from './primitives.ts';
import type { Scope } from './scopes.ts';

export const roles = ['owner', 'admin', 'member', 'viewer'] as const;
export const Role = z.enum(roles).meta({
  id: 'Role',
  description:
    'An owner may do everything; an admin everything but change owners; a member works with exports, agent jobs and projects and reads the rest; a viewer reads those three and deployments.',
});
export type Role = z.infer<typeof Role>;

/** What a role may do, in the scopes of keys. That an admin leaves owners alone is decided where people are changed. */
export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ['read', 'write'],
  admin: ['read', 'write'],
  member: ['read', 'exports:write', 'agent:write', 'projects:write'],
  viewer: ['exports:read', 'agent:read', 'projects:read', 'deployments:read'],
};

const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email('This is no email address.'))
  .meta({ examples: ['ada@example.com'] });

const PersonName = z.string().trim().min(1).max(100);

export const leastPasswordCharacters = 12;
const mostPasswordCharacters = 256;

const NewPassword = z
  .string()
  .min(leastPasswordCharacters, `A password has at least ${leastPasswordCharacters} characters.`)
  .max(mostPasswordCharacters)
  .meta({ description: 'At least 12 characters of any kind, and none of those that everybody uses.' });

const KnownPassword = z.string().min(1).max(mostPasswordCharacters);

const Token = z.string().min(1).max(128);

export const Setup = z
  .object({
    needed: z.boolean().meta({ description: 'True until the first person exists.' }),
    signIn: z.object({
      oidc: z
        .object({
          name: z.string().meta({ description: 'What the button says.' }),
          startUrl: z.string().meta({ description: 'Where the browser is sent to sign in.' }),
        })
        .nullable(),
    }),
  })
  .meta({ id: 'Setup' });
export type Setup = z.infer<typeof Setup>;

export const SetUp = z
  .strictObject({
    token: Token.meta({ description: 'From the address that the server printed when it started.' }),
    email: Email,
    name: PersonName,
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

export const personStatuses = ['active', 'invited', 'disabled'] as const;

export const Person = z
  .object({
    id: z.string(),
    email: z.string(),
    name: z.string().meta({ description: 'Empty until an invitation is accepted.' }),
    role: Role,
    status: z.enum(personStatuses),
    createdAt: timestamp,
    lastSeenAt: nullableTimestamp,
    signsInWith: z
      .enum(['password', 'oidc'])
      .nullable()
      .meta({ description: 'Null until the person has signed in or set a password.' }),
    version: recordVersion,
  })
  .meta({ id: 'Person' });
export type Person = z.infer<typeof Person>;

export const InvitePerson = z.strictObject({ email: Email, role: Role }).meta({ id: 'InvitePerson' });
export type InvitePerson = z.infer<typeof InvitePerson>;

export const Invitation = z
  .object({
    person: Person,
    invitationUrl: z.string().meta({
      description: 'Hand it over yourself: no mail is sent. It works once. Shown this once and never again.',
    }),
    expiresAt: timestamp,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;

export const AcceptInvitation = z
  .strictObject({ token: Token, name: PersonName, password: NewPassword })
  .meta({ id: 'AcceptInvitation' });
export type AcceptInvitation = z.infer<typeof AcceptInvitation>;

export const UpdatePerson = z
  .strictObject({
    role: Role.optional(),
    disabled: z.boolean().optional().meta({ description: 'A disabled person is signed out at once.' }),
    version: expectedVersion,
  })
  .meta({ id: 'UpdatePerson' });
export type UpdatePerson = z.infer<typeof UpdatePerson>;
