/**
 * The operations of people: the first one, signing in and out, and who else may come in.
 */
import { z } from 'zod';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const tag = 'People';
const personParams = z.object({ personId: z.string().min(1).max(64) });
const withSession = 'The answer sets the cookie of a session.';

export const peopleOperations = {
  readSetup: {
    method: 'get',
    path: '/v1/setup',
    tag,
    summary: 'Read whether somebody must be the first, and how people sign in',
    scope: null,
    success: json(200, schemas.Setup),
    errors: ['storage_unavailable'],
  },
  setUp: {
    method: 'post',
    path: '/v1/setup',
    tag,
    summary: 'Become the first person, an owner',
    description: `Needs the token that the server printed when it started. Afterwards there is nothing here. ${withSession}`,
    scope: null,
    body: schemas.SetUp,
    success: json(201, schemas.Me),
    errors: [
      'not_found',
      'token_invalid',
      'origin_refused',
      'rate_limited',
      'overloaded',
      'storage_unavailable',
    ],
  },
  signIn: {
    method: 'post',
    path: '/v1/session',
    tag,
    summary: 'Sign in with a password',
    description: withSession,
    scope: null,
    body: schemas.SignIn,
    success: json(201, schemas.Me),
    errors: ['sign_in_failed', 'origin_refused', 'rate_limited', 'overloaded', 'storage_unavailable'],
  },
  signOut: {
    method: 'delete',
    path: '/v1/session',
    tag,
    summary: 'Sign out',
    description: 'Ends the session of the cookie at once, for every process.',
    scope: 'any',
    success: { status: 204, kind: 'empty' },
    errors: [],
  },
  changePassword: {
    method: 'post',
    path: '/v1/session/password',
    tag,
    summary: 'Change your own password',
    description: `Every other session of yours ends. ${withSession}`,
    scope: 'any',
    body: schemas.ChangePassword,
    success: { status: 204, kind: 'empty' },
    errors: ['session_required', 'sign_in_failed', 'overloaded'],
  },
  acceptInvitation: {
    method: 'post',
    path: '/v1/invitation',
    tag,
    summary: 'Accept an invitation',
    description: `The token is what stands behind \`#\` in the address of the invitation. ${withSession}`,
    scope: null,
    body: schemas.AcceptInvitation,
    success: json(201, schemas.Me),
    errors: ['token_invalid', 'origin_refused', 'rate_limited', 'overloaded', 'storage_unavailable'],
  },
  listPeople: {
    method: 'get',
    path: '/v1/people',
    tag,
    summary: 'List people',
    scope: 'people:read',
    query: z.strictObject({ ...schemas.Page }),
    success: json(200, schemas.listOf(schemas.Person, 'PersonList')),
    errors: [],
  },
  invitePerson: {
    method: 'post',
    path: '/v1/people',
    tag,
    summary: 'Invite a person',
    description:
      'Makes an address that works once, for 7 days. Inviting somebody who has not come yet makes a new one in its place. Only an owner makes owners.',
    scope: 'people:write',
    body: schemas.InvitePerson,
    success: json(201, schemas.Invitation),
    errors: ['person_exists', 'owner_required'],
  },
  updatePerson: {
    method: 'patch',
    path: '/v1/people/{personId}',
    tag,
    summary: 'Change the role of a person, or disable one',
    description: 'Works at once. Only an owner changes owners, and one of them always stays.',
    scope: 'people:write',
    params: personParams,
    body: schemas.UpdatePerson,
    success: json(200, schemas.Person),
    errors: ['not_found', 'owner_required', 'last_owner'],
  },
  removePerson: {
    method: 'delete',
    path: '/v1/people/{personId}',
    tag,
    summary: 'Remove a person',
    description: 'Ends every session and invitation of the person at once. What they have made stays.',
    scope: 'people:write',
    params: personParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'owner_required', 'last_owner'],
  },
} as const satisfies Record<string, Operation>;
