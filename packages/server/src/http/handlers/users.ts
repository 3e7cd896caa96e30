/**
 * Operations of users and sessions. Those that start a session store no idempotent reply, because it would contain
 * the session.
 */
import type { Me, Setup } from '@docyard/api';
import type { Context } from '../../context.ts';
import type { Caller } from '../../keys/authenticate.ts';
import { inviteUser, listUsers, removeUser, updateUser } from '../../users/users.ts';
import { authenticateSession, endSession, userChanges } from '../../users/sessions.ts';
import { isSetupNeeded, setUp } from '../../users/setup.ts';
import { acceptInvitation, changePassword, signIn } from '../../users/sign-in.ts';
import { Problem } from '../../problem.ts';
import type { Handlers, Reply, Web } from '../request.ts';
import { oidcStartPath } from '../oidc-sign-in.ts';
import {
  setSessionCookie,
  refuseForeignOrigin,
  sessionToken,
  clearSessionCookie,
} from '../session-cookie.ts';

export const userHandlers: Pick<
  Handlers,
  | 'readSetup'
  | 'setUp'
  | 'signIn'
  | 'signOut'
  | 'changePassword'
  | 'acceptInvitation'
  | 'listUsers'
  | 'inviteUser'
  | 'updateUser'
  | 'removeUser'
  | 'readMe'
> = {
  readSetup: async ({ context }) => ({
    body: { needed: await isSetupNeeded(context), signIn: { oidc: viewOidc(context) } },
  }),

  setUp: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    return startSession(context, web, await setUp(context, { ...input.body, from: actor }));
  },

  signIn: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    const token = await signIn(context, { ...input.body, from: actor }).catch((error: unknown) => {
      if (error instanceof Problem && error.status < 500) context.measures.signInFailed('password');
      throw error;
    });
    return startSession(context, web, token);
  },

  acceptInvitation: async ({ context, web, actor, input }) => {
    refuseForeignOrigin(context, web);
    return startSession(context, web, await acceptInvitation(context, { ...input.body, from: actor }));
  },

  signOut: async ({ context, web }) => {
    const token = sessionToken(context, web);
    if (token !== undefined) await endSession(context, token);
    context.changes.notify(userChanges);
    clearSessionCookie(web);
    return { body: undefined };
  },

  changePassword: async ({ context, web, caller, actor, input }) => {
    if (caller.user === null) {
      throw new Problem('session_required', 'API keys have no password. Sign in to change yours.');
    }
    const { id: userId, email } = caller.user;
    const token = await changePassword(context, { ...input.body, userId, email, from: actor });
    context.changes.notify(userChanges);
    setSessionCookie(context, web, token);
    return { body: undefined };
  },

  listUsers: async ({ context, caller, input }) => ({
    body: await listUsers(context, { ...input.query, organizationId: caller.organizationId }),
  }),

  inviteUser: async ({ actor, caller, origin, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.body, actor, isOwner: isOwner(caller), origin };
      const invitation = await inviteUser(inside, given);
      return { body: invitation, headers: { location: `/v1/users/${invitation.person.id}` } };
    }),

  updateUser: async ({ context, actor, caller, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.params, change: input.body, actor, isOwner: isOwner(caller) };
      const user = await updateUser(inside, given);
      return { body: user, after: () => context.changes.notify(userChanges) };
    }),

  removeUser: async ({ context, actor, caller, input, commit }) =>
    commit(async (inside) => {
      await removeUser(inside, { ...input.params, actor, isOwner: isOwner(caller) });
      return { body: undefined, after: () => context.changes.notify(userChanges) };
    }),

  readMe: async ({ caller }) => ({ body: viewMe(caller) }),
};

async function startSession(context: Context, web: Web, token: string): Promise<Reply<Me>> {
  const caller = await authenticateSession(context, token);
  if (caller === undefined) throw new Error('The new session does not exist.');
  web.set('caller', caller);
  setSessionCookie(context, web, token);
  return { body: viewMe(caller), headers: { location: '/v1/me' } };
}

function viewOidc({ config: { oidc } }: Pick<Context, 'config'>): Setup['signIn']['oidc'] {
  return oidc === null ? null : { name: oidc.name, startUrl: oidcStartPath };
}

function isOwner({ user }: Caller): boolean {
  return user?.role === 'owner';
}

function viewMe({ organizationId, organizationName, projectId, plan, scopes, key, user }: Caller): Me {
  return {
    organization: { id: organizationId, name: organizationName, plan },
    key: key === null ? null : { ...key, scopes, projectId },
    person: user,
    scopes,
  };
}
