import {
  listDeliveries,
  readDeliveryWithBody,
  redeliver,
  sendNow,
  sendTest,
} from '../../webhooks/deliveries.ts';
import * as webhooks from '../../webhooks/webhooks.ts';
import type { Handlers } from '../request.ts';

export const webhookHandlers: Pick<
  Handlers,
  | 'listWebhooks'
  | 'createWebhook'
  | 'readWebhook'
  | 'updateWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'rotateOrganizationSecret'
  | 'listWebhookDeliveries'
  | 'readWebhookDelivery'
  | 'redeliverWebhook'
  | 'sendWebhookDeliveryNow'
  | 'testWebhook'
> = {
  listWebhooks: async ({ context, caller, input }) => ({
    body: await webhooks.listWebhooks(context, { ...input.query, organizationId: caller.organizationId }),
  }),

  createWebhook: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const webhook = await webhooks.createWebhook(inside, { ...input.body, actor });
      return { body: webhook, headers: { location: `/v1/webhooks/${webhook.id}` } };
    }),

  readWebhook: async ({ context, caller, input }) => {
    const where = { id: input.params.webhookId, organizationId: caller.organizationId };
    return { body: webhooks.viewWebhook(await webhooks.findWebhook(context, where)) };
  },

  updateWebhook: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await webhooks.updateWebhook(inside, { ...input.params, change: input.body, actor }),
    })),

  deleteWebhook: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      await webhooks.deleteWebhook(inside, { ...input.params, actor });
      return { body: undefined };
    }),

  rotateWebhookSecret: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await webhooks.rotateWebhookSecret(inside, { ...input.params, ...input.body, actor }),
    })),

  rotateOrganizationSecret: async ({ actor, input, commit }) =>
    commit(async (inside) => ({
      body: await webhooks.rotateOrganizationSecret(inside, { ...input.body, actor }),
    })),

  listWebhookDeliveries: async ({ context, caller, input }) => {
    const { organizationId } = caller;
    return { body: await listDeliveries(context, { ...input.params, ...input.query, organizationId }) };
  },

  readWebhookDelivery: async ({ context, caller, input }) => {
    const { organizationId } = caller;
    return { body: await readDeliveryWithBody(context, { ...input.params, organizationId }) };
  },

  redeliverWebhook: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const delivery = await redeliver(inside, { ...input.params, actor });
      return { body: delivery, headers: { location: logOf(delivery) } };
    }),

  sendWebhookDeliveryNow: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const delivery = await sendNow(inside, { ...input.params, actor });
      return { body: delivery, headers: { location: logOf(delivery) } };
    }),

  testWebhook: async ({ actor, input, commit }) =>
    commit(async (inside) => {
      const delivery = await sendTest(inside, { ...input.params, actor });
      return { body: delivery, headers: { location: logOf(delivery) } };
    }),
};

function logOf({ webhookId }: { webhookId: string }): string {
  return `/v1/webhooks/${webhookId}/deliveries`;
}
