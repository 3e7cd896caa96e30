import {
  cancelInstruction,
  resumeDeployment,
  rollbackDeployment,
} from '../../deployment-registry/instructions.ts';
import * as records from '../../deployment-registry/records.ts';
import { reportDeployment } from '../../deployment-registry/reports.ts';
import type { Handlers } from '../request.ts';

export const deploymentHandlers: Pick<
  Handlers,
  | 'listDeployments'
  | 'reportDeployment'
  | 'readDeployment'
  | 'rollbackDeployment'
  | 'resumeDeployment'
  | 'cancelInstruction'
  | 'deleteDeployment'
> = {
  listDeployments: async ({ context, caller, input }) => ({
    body: await records.listDeployments(context, { ...input.query, reach: caller }),
  }),

  reportDeployment: async ({ context, caller, input }) => ({
    body: await reportDeployment(context, input.body, caller),
  }),

  readDeployment: async ({ context, caller, input }) => {
    const row = await records.findDeployment(context, { ...input.params, reach: caller });
    return { body: records.viewDeployment(context, row) };
  },

  rollbackDeployment: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const release = input.body?.release;
      const body = await rollbackDeployment(inside, { ...input.params, release, actor });
      return { body, headers: { location: `/v1/deployments/${body.id}` } };
    }),

  resumeDeployment: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const body = await resumeDeployment(inside, { ...input.params, actor });
      return { body, headers: { location: `/v1/deployments/${body.id}` } };
    }),

  cancelInstruction: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      await cancelInstruction(inside, { ...input.params, actor });
      return { body: undefined };
    }),

  deleteDeployment: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      await records.deleteDeployment(inside, { ...input.params, actor });
      return { body: undefined };
    }),
};
