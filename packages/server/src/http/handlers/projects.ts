import { refuseMissingEngine } from '../../agent/settings.ts';
import { removeFiles } from '../../exports/retention.ts';
import { keyChanges } from '../../keys/keys.ts';
import { revealContentKey } from '../../projects/content-key.ts';
import * as projects from '../../projects/projects.ts';
import { inspectNewSigningKey } from '../../projects/signing-key.ts';
import type { Handlers } from '../request.ts';

export const projectHandlers: Pick<
  Handlers,
  'listProjects' | 'createProject' | 'readProject' | 'updateProject' | 'deleteProject' | 'readContentKey'
> = {
  listProjects: async ({ context, caller, input }) => ({
    body: await projects.listProjects(context, { ...input.query, reach: caller }),
  }),

  createProject: async ({ actor, caller, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.body, actor, allowLocal: caller.localSources };
      const project = await projects.createProject(inside, given);
      return { body: project, headers: { location: `/v1/projects/${project.id}` } };
    }),

  readProject: async ({ context, caller, input }) => ({
    body: await projects.readProject(context, { ...input.params, reach: caller }),
  }),

  updateProject: async ({ context, actor, caller, input, commit }) => {
    // Runs programs, for which no transaction should wait.
    const signingKey = await inspectNewSigningKey(context, input.body);
    return commit(async (inside) => {
      refuseMissingEngine(inside, input.body.agent);
      const given = { ...input.params, change: input.body, actor, allowLocal: caller.localSources };
      return { body: await projects.updateProject(inside, { ...given, signingKey }) };
    });
  },

  readContentKey: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await revealContentKey(inside, { ...input.params, actor }),
      headers: { 'cache-control': 'no-store' },
    })),

  deleteProject: async ({ context, actor, input, commit }) =>
    commit(async (inside) => {
      const jobIds = await projects.deleteProject(inside, { ...input.params, actor });
      return {
        body: undefined,
        after: async () => {
          // Deleting a project also deletes its keys.
          context.changes.notify(keyChanges);
          await removeFiles(context, jobIds);
        },
      };
    }),
};
