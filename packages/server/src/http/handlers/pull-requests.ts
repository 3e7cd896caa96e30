import * as records from '../../pull-requests/records.ts';
import type { Handlers } from '../request.ts';

export const pullRequestHandlers: Pick<
  Handlers,
  'listPullRequests' | 'readPullRequest' | 'approvePullRequest' | 'rebuildPullRequest'
> = {
  listPullRequests: async ({ context, caller, input }) => ({
    body: await records.listPullRequests(context, { ...input.query, reach: caller }),
  }),

  readPullRequest: async ({ context, caller, input }) => {
    const where = { id: input.params.pullRequestId, reach: caller };
    return { body: await records.readPullRequest(context, where) };
  },

  approvePullRequest: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const { headCommit } = input.body;
      const given = { id: input.params.pullRequestId, headCommit, actor };
      const body = await records.approvePullRequest(inside, given);
      return { body, headers: { location: `/v1/pull-requests/${body.id}` } };
    }),

  rebuildPullRequest: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const body = await records.rebuildPullRequest(inside, { id: input.params.pullRequestId, actor });
      return { body, headers: { location: `/v1/pull-requests/${body.id}` } };
    }),
};
