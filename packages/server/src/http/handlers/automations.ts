import { usedTokens } from '../../agent/record.ts';
import * as automations from '../../automations/automations.ts';
import { listRuns } from '../../automations/run-records.ts';
import type { Handlers } from '../request.ts';

const jobs = { usedTokens };

export const automationHandlers: Pick<
  Handlers,
  | 'readAutomations'
  | 'refreshAutomations'
  | 'runAutomation'
  | 'pauseAutomation'
  | 'resumeAutomation'
  | 'listAutomationRuns'
> = {
  readAutomations: async ({ context, caller, input }) => ({
    body: await automations.readAutomations(context, { ...input.params, reach: caller, jobs }),
  }),

  refreshAutomations: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const body = await automations.refreshAutomations(inside, { ...input.params, actor, jobs });
      return { body, headers: { location: `/v1/projects/${input.params.projectId}/automations` } };
    }),

  runAutomation: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.params, actor, note: input.body?.note };
      const body = await automations.runAutomation(inside, given);
      return { body, headers: { location: `/v1/projects/${body.projectId}/automations` } };
    }),

  pauseAutomation: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await automations.pauseAutomation(inside, { ...input.params, actor, isPaused: true, jobs }),
    })),

  resumeAutomation: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await automations.pauseAutomation(inside, { ...input.params, actor, isPaused: false, jobs }),
    })),

  listAutomationRuns: async ({ context, caller, input }) => ({
    body: await listRuns(context, { ...input.query, reach: caller }),
  }),
};
