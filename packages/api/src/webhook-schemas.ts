/** Webhooks, their events and deliveries. Only the response that creates a secret contains it. */
import * as z from 'zod';
import { deliveryStatuses, testEvent, webhookEvents, type WebhookEvent } from './constants.ts';
import {
  expectedVersion,
  httpUrl,
  namesField,
  nullableTimestamp,
  overlapSeconds,
  recordVersion,
  timestamp,
  wholeNumber,
} from './primitives.ts';

const eventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]];
const anyEvent = z.enum([...eventNames, testEvent]);

const description = z.string().trim().max(256);
const subscribed = z.array(z.enum(eventNames)).min(1).max(eventNames.length);

export const CreateWebhook = z
  .strictObject({
    url: httpUrl.meta({ description: 'The URL that events are sent to with POST.' }),
    events: subscribed.optional().meta({ description: 'Default: all current events.' }),
    description: description.optional(),
    enabled: z.boolean().optional().meta({ description: 'Default: true.' }),
  })
  .meta({ id: 'CreateWebhook' });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z
  .strictObject({
    url: httpUrl.optional(),
    events: subscribed.optional(),
    description: description.optional(),
    enabled: z.boolean().optional(),
    version: expectedVersion,
  })
  .refine(namesField, 'Set at least one field to change: url, events, description or enabled.')
  .meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(eventNames)),
    enabled: z.boolean(),
    disabledReason: z.enum(['gone', 'failing']).nullable().meta({
      description: '`gone`: the endpoint answered 410. `failing`: every delivery failed for five days.',
    }),
    failingSince: nullableTimestamp.meta({ description: 'The first failure since the last success.' }),
    jobId: z.string().nullable().meta({ description: 'The job whose `webhookUrl` created this webhook.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: recordVersion,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().meta({ description: 'Begins with `whsec_`. Returned only in this response.' });

export const CreatedWebhook = Webhook.extend({ secret }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const RotateSecret = z
  .strictObject({
    overlapSeconds: overlapSeconds
      .optional()
      .meta({ description: 'How long messages are signed with the old secret too. Default 86400.' }),
  })
  .meta({ id: 'RotateSecret' });
export type RotateSecret = z.infer<typeof RotateSecret>;

export const WebhookSecret = z
  .object({
    secret,
    oldValidUntil: nullableTimestamp.meta({
      description: 'Until then messages carry two signatures. Null when there was no secret before.',
    }),
  })
  .meta({ id: 'WebhookSecret' });
export type WebhookSecret = z.infer<typeof WebhookSecret>;

export const WebhookDelivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    messageId: z.string().meta({ description: 'The header `webhook-id`; the same on every attempt.' }),
    type: anyEvent,
    jobId: z.string().nullable(),
    status: z.enum(deliveryStatuses),
    createdAt: timestamp,
    nextAttemptAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    attempts: z.array(
      z.object({
        at: timestamp,
        durationMs: wholeNumber,
        status: z.int().nullable().meta({ description: 'HTTP status; null without a response.' }),
        error: z.string().nullable().meta({ description: 'Why the attempt failed.' }),
        response: z.string().meta({ description: 'The first 1,024 bytes of the response.' }),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery', description: 'The last 20 attempts, oldest first.' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryWithBody = WebhookDelivery.extend({
  body: z.string().meta({ description: 'The exact JSON text that is sent and signed.' }),
}).meta({ id: 'WebhookDeliveryWithBody' });
export type WebhookDeliveryWithBody = z.infer<typeof WebhookDeliveryWithBody>;
