import { readApp, storeApp } from '../../forge-events/github-app/record.ts';
import { finishSetup, startSetup } from '../../forge-events/github-app/setup.ts';
import type { Handlers } from '../request.ts';

export const githubAppHandlers: Pick<Handlers, 'readGithubApp' | 'startGithubApp' | 'finishGithubApp'> = {
  readGithubApp: async ({ context, caller, input }) => ({
    body: await readApp(context, { ...input.params, reach: caller }),
  }),

  startGithubApp: async ({ actor, input, commit, origin }) =>
    commit(async (inside) => ({
      body: await startSetup(inside, { ...input.params, ...input.body, actor, origin }),
      headers: { location: `/v1/projects/${input.params.projectId}/github-app` },
    })),

  finishGithubApp: async ({ context, actor, input, commit }) => {
    const { projectId } = input.params;
    const conversion = await finishSetup(context, { projectId, ...input.body, actor });
    return commit(async (inside) => ({ body: await storeApp(inside, { projectId, actor, conversion }) }));
  },
};
