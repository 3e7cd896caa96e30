/**
 * The operations around the jobs: projects and keys.
 */
import { removeFiles } from '../../exports/retention.ts';
import { createKey, keyChanges, listKeys, revokeKey, rollKey } from '../../keys/keys.ts';
import * as projects from '../../projects/projects.ts';
import type { Handlers } from '../request.ts';

export const restHandlers: Pick<
  Handlers,
  | 'listProjects'
  | 'createProject'
  | 'readProject'
  | 'updateProject'
  | 'deleteProject'
  | 'listKeys'
  | 'createKey'
  | 'rollKey'
  | 'revokeKey'
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

  updateProject: async ({ actor, caller, input, commit }) =>
    commit(async (inside) => {
      const given = { ...input.params, change: input.body, actor, allowLocal: caller.localSources };
      return { body: await projects.updateProject(inside, given) };
    }),

  deleteProject: async ({ context, actor, input, commit }) =>
    commit(async (inside) => {
      const jobIds = await projects.deleteProject(inside, { ...input.params, actor });
      return {
        body: undefined,
        after: async () => {
          // Its keys went with it.
          context.changes.notify(keyChanges);
          await removeFiles(context, jobIds);
        },
      };
    }),

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
