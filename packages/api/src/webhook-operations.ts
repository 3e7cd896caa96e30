/**
 * The part of the table of operations that is about webhooks.
 */
import { z } from 'zod';
import { json, type Operation } from './operation.ts';
import * as schemas from './schemas.ts';

const id = z.string().min(1).max(64);
const webhookParams = z.object({ webhookId: id });
const tag = 'Webhooks';

export const webhookOperations = {
  listWebhooks: {
    method: 'get',
    path: '/v1/webhooks',
    tag,
    summary: 'List webhooks',
    scope: 'webhooks:read',
    query: z.strictObject({
      jobId: id.optional().meta({ description: 'Those of one job in place of those of the organization.' }),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.Webhook, 'WebhookList')),
    errors: [],
  },
  createWebhook: {
    method: 'post',
    path: '/v1/webhooks',
    tag,
    summary: 'Create a webhook',
    description: 'The answer holds the secret that messages are signed with. It is shown this once.',
    scope: 'webhooks:write',
    body: schemas.CreateWebhook,
    success: json(201, schemas.CreatedWebhook),
    errors: ['webhook_limit'],
  },
  readWebhook: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}',
    tag,
    summary: 'Read a webhook',
    scope: 'webhooks:read',
    params: webhookParams,
    success: json(200, schemas.Webhook),
    errors: ['not_found'],
  },
  updateWebhook: {
    method: 'patch',
    path: '/v1/webhooks/{webhookId}',
    tag,
    summary: 'Change a webhook',
    description: 'Switching it off gives up what waits to be sent; switching it on starts afresh.',
    scope: 'webhooks:write',
    params: webhookParams,
    body: schemas.UpdateWebhook,
    success: json(200, schemas.Webhook),
    errors: ['not_found'],
  },
  deleteWebhook: {
    method: 'delete',
    path: '/v1/webhooks/{webhookId}',
    tag,
    summary: 'Delete a webhook and its log',
    scope: 'webhooks:write',
    params: webhookParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
  rotateWebhookSecret: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/rotate-secret',
    tag,
    summary: 'Replace the secret of a webhook',
    description: 'For `overlapSeconds` messages are signed with the old secret and the new one.',
    scope: 'webhooks:write',
    params: webhookParams,
    body: schemas.RotateSecret,
    bodyOptional: true,
    success: json(200, schemas.WebhookSecret),
    errors: ['not_found'],
  },
  rotateOrganizationSecret: {
    method: 'post',
    path: '/v1/webhook-secret',
    tag,
    summary: 'Make a secret for webhooks of single jobs',
    description:
      'What `webhookUrl` of a job is sent is signed with it. It takes the place of the one before.',
    scope: 'webhooks:write',
    body: schemas.RotateSecret,
    bodyOptional: true,
    success: json(200, schemas.WebhookSecret),
    errors: [],
  },
  listWebhookDeliveries: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    tag,
    summary: 'List deliveries',
    description: 'What was sent in the last 30 days, and what came of each attempt.',
    scope: 'webhooks:read',
    params: webhookParams,
    query: z.strictObject({ status: z.enum(schemas.deliveryStatuses).optional(), ...schemas.Page }),
    success: json(200, schemas.listOf(schemas.WebhookDelivery, 'WebhookDeliveryList')),
    errors: ['not_found'],
  },
  redeliverWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver',
    tag,
    summary: 'Send a delivery again',
    description: 'The same message with the same `webhook-id`, at once, and with all its retries.',
    scope: 'webhooks:write',
    params: z.object({ webhookId: id, deliveryId: id }),
    success: json(202, schemas.WebhookDelivery),
    errors: ['not_found', 'webhook_disabled'],
  },
  testWebhook: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/test',
    tag,
    summary: 'Send a test event',
    description: 'A message of type `webhook.test` whose `data` is the record of the webhook.',
    scope: 'webhooks:write',
    params: webhookParams,
    success: json(202, schemas.WebhookDelivery),
    errors: ['not_found', 'webhook_disabled'],
  },
} as const satisfies Record<string, Operation>;
