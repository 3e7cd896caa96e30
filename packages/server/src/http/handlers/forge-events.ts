import * as events from '../../forge-events/events.ts';
import { createHookSecret, disableHook, readHook } from '../../forge-events/hook.ts';
import { readPolling } from '../../forge-events/read-polling.ts';
import type { Handlers } from '../request.ts';

export const forgeEventHandlers: Pick<
  Handlers,
  | 'readProjectHook'
  | 'createHookSecret'
  | 'disableProjectHook'
  | 'readProjectPolling'
  | 'listForgeEvents'
  | 'readForgeEvent'
  | 'replayForgeEvent'
> = {
  readProjectHook: async ({ context, caller, input, origin }) => ({
    body: await readHook(context, { ...input.params, reach: caller, origin }),
  }),

  createHookSecret: async ({ actor, input, commit, origin }) =>
    commit(async (inside) => {
      const body = await createHookSecret(inside, { ...input.params, ...input.body, actor, origin });
      return { body, headers: { location: `/v1/projects/${input.params.projectId}/hook` } };
    }),

  disableProjectHook: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      await disableHook(inside, { ...input.params, actor });
      return { body: undefined };
    }),

  readProjectPolling: async ({ context, caller, input }) => ({
    body: await readPolling(context, { ...input.params, reach: caller }),
  }),

  listForgeEvents: async ({ context, caller, input }) => ({
    body: await events.listForgeEvents(context, { ...input.query, reach: caller }),
  }),

  readForgeEvent: async ({ context, caller, input }) => {
    const where = { id: input.params.eventId, reach: caller };
    return { body: events.viewForgeEvent(await events.findForgeEvent(context, where)) };
  },

  replayForgeEvent: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const event = await events.replayForgeEvent(inside, { ...input.params, actor });
      return { body: event, headers: { location: `/v1/forge-events/${event.id}` } };
    }),
};
