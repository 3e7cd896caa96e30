/**
 * The operations of people. Those that begin a session keep no answer for a repeat of the request: it would hold the
 * session.
 */
import type { Me, Setup } from '@docyard/api';
import type { Context } from '../../context.ts';
import type { Caller } from '../../keys/authenticate.ts';
import { invitePerson, listPeople, removePerson, updatePerson } from '../../people/people.ts';
import { authenticateSession, endSession, peopleChanges } from '../../people/sessions.ts';
import { isSetupNeeded, setUp } from '../../people/setup.ts';
import { acceptInvitation, changePassword, signIn } from '../../people/sign-in.ts';
import { Problem } from '../../problem.ts';
import type { Handlers, Reply, Web } from '../request.ts';
import { oidcStart } from '../sign-in.ts';
import { giveSession, refuseForeignOrigin, sessionToken, takeSession } from '../session-cookie.ts';

export const peopleHandlers: Pick<
  Handlers,
  | 'readSetup'
  | 'setUp'
  | 'signIn'
  | 'signOut'
  | 'changePassword'
  | 'acceptInvitation'
  | 'listPeople'
  | 'invitePerson'
  | 'updatePerson'
  | 'removePerson'
  | 'readMe'
> = {
  readSetup: async ({ context }) => ({
    body: { needed: await isSetupNeeded(context), signIn: { oidc: viewOidc(context) } },
  }),

  setUp: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    return begin(context, web, await setUp(context, { ...input.body, from: actor }));
  },

  signIn: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    const token = await signIn(context, { ...input.body, from: actor }).catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) context.measures.signInFailed('password');
      throw error;
    });
    return begin(context, web, token);
  },

  acceptInvitation: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    return begin(context, web, await acceptInvitation(context, { ...input.body, from: actor }));
  },

  signOut: async ({ context, web }) => {
    const token = sessionToken(context, web);
    if (token !== undefined) await endSession(context, token);
    context.changes.notify(peopleChanges);
    takeSession(web);
    return { body: undefined };
  },

  changePassword: async ({ context, web, caller, actor, input }) => {
    if (caller.person === null) {
      throw new Problem('session_required', 'A key has no password. Sign in to change yours.');
    }
    const { id: personId, email } = caller.person;
    const token = await changePassword(context, { ...input.body, personId, email, from: actor });
    context.changes.notify(peopleChanges);
    giveSession(context, web, token);
    return { body: undefined };
  },

  listPeople: async ({ context, caller, input }) => ({
    body: await listPeople(context, { ...input.query, organizationId: caller.organizationId }),
  }),

  invitePerson: async ({ actor, caller, origin, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.body, actor, isOwner: isOwner(caller), origin };
      const invitation = await invitePerson(inside, given);
      return { body: invitation, headers: { location: `/v1/people/${invitation.person.id}` } };
    }),

  updatePerson: async ({ context, actor, caller, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.params, change: input.body, actor, isOwner: isOwner(caller) };
      const person = await updatePerson(inside, given);
      return { body: person, after: () => context.changes.notify(peopleChanges) };
    }),

  removePerson: async ({ context, actor, caller, input, commit }) =>
    commit(async (inside) => {
      await removePerson(inside, { ...input.params, actor, isOwner: isOwner(caller) });
      return { body: undefined, after: () => context.changes.notify(peopleChanges) };
    }),

  readMe: async ({ caller }) => ({ body: viewMe(caller) }),
};

async function begin(context: Context, web: Web, token: string): Promise<Reply<Me>> {
  const caller = await authenticateSession(context, token);
  if (caller === undefined) throw new Error('A session that was begun just now is not there.');
  web.set('caller', caller);
  giveSession(context, web, token);
  return { body: viewMe(caller), headers: { location: '/v1/me' } };
}

function viewOidc({ config: { oidc } }: Pick<Context, 'config'>): Setup['signIn']['oidc'] {
  return oidc === null ? null : { name: oidc.name, startUrl: oidcStart };
}

function isOwner({ person }: Caller): boolean {
  return person?.role === 'owner';
}

function viewMe({ organizationId, organizationName, projectId, plan, scopes, key, person }: Caller): Me {
  return {
    organization: { id: organizationId, name: organizationName, plan },
    key: key === null ? null : { ...key, scopes, projectId },
    person,
    scopes,
  };
}
