import { createKey, keyChanges, listKeys, revokeKey, rollKey } from '../../keys/keys.ts';
import type { Handlers } from '../request.ts';

export const keyHandlers: Pick<Handlers, 'listKeys' | 'createKey' | 'rollKey' | 'revokeKey'> = {
  listKeys: async ({ context, caller, input }) => ({
    body: await listKeys(context, { ...input.query, reach: caller }),
  }),

  createKey: async ({ actor, caller, input, commit }) =>
    commit(async (inside) => {
      const key = await createKey(inside, { ...input.body, actor, granter: caller });
      return { body: key, headers: { location: `/v1/api-keys/${key.id}` } };
    }),

  rollKey: async ({ context, actor, caller, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.params, ...input.body, actor, granter: caller };
      const key = await rollKey(inside, given);
      const headers = { location: `/v1/api-keys/${key.id}` };
      return { body: key, headers, after: () => context.changes.notify(keyChanges) };
    }),

  revokeKey: async ({ context, actor, input, commit }) =>
    commit(async (inside) => {
      await revokeKey(inside, { ...input.params, actor });
      return { body: undefined, after: () => context.changes.notify(keyChanges) };
    }),
};
