/** Webhooks, their events and deliveries. Only the response that creates a secret contains it. */
import * as z from 'zod';
import { deliveryStatuses, testEvent, webhookEvents, type WebhookEvent } from './constants.ts';
import {
  createdAt,
  expectedVersion,
  httpUrl,
  namesField,
  nullableTimestamp,
  overlapSeconds,
  recordVersion,
  timestamp,
  updatedAt,
  wholeNumber,
} from './primitives.ts';

const eventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]];
const anyEvent = z.enum([...eventNames, testEvent]);

const description = z.string().trim().max(256).describe('A note.');
const subscribed = z
  .array(z.enum(eventNames))
  .min(1)
  .max(eventNames.length)
  .describe('The subscribed events.');

export const CreateWebhook = z
  .strictObject({
    url: httpUrl.describe(
      'Messages are sent to this URL by `POST`. It must use `https` and a public address, unless the operator lists it as `webhook:host` in `EGRESS_ALLOW`.',
    ),
    events: subscribed.optional().describe('The subscribed events. Default: all current events.'),
    description: description.optional(),
    enabled: z.boolean().optional().describe('Whether the webhook receives events. Default: `true`.'),
  })
  .meta({
    id: 'CreateWebhook',
    examples: [{ url: 'https://ci.example.com/docyard', events: ['export.completed', 'export.failed'] }],
  });
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z
  .strictObject({
    url: httpUrl.optional().describe('The new URL. Pending messages are sent there too.'),
    events: subscribed.optional(),
    description: description.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe('Whether the webhook receives events. Disabling it discards its pending messages.'),
    version: expectedVersion,
  })
  .refine(namesField, 'Set at least one field to change: url, events, description or enabled.')
  .meta({ id: 'UpdateWebhook', examples: [{ enabled: false }] });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const Webhook = z
  .object({
    id: z.string().meta({ description: 'Starts with `wh_`.', examples: ['wh_2e8b5c7a1f904d36'] }),
    url: z.string().describe('The URL that receives messages.'),
    description: z.string().describe('A note.'),
    events: z.array(z.enum(eventNames)).describe('The subscribed events.'),
    enabled: z.boolean().describe('Whether the webhook receives events.'),
    disabledReason: z
      .enum(['gone', 'failing'])
      .nullable()
      .describe(
        '`gone`: the URL returned 410. `failing`: nothing was delivered for five days. Null if the webhook is enabled, or if you disabled it.',
      ),
    failingSince: nullableTimestamp.meta({ description: 'The first failure since the last success.' }),
    jobId: z.string().nullable().meta({ description: 'The job whose `webhookUrl` created this webhook.' }),
    createdAt,
    updatedAt,
    version: recordVersion,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const secret = z
  .string()
  .meta({ description: 'The signing secret. Starts with `whsec_`. Returned only in this response.' });

export const CreatedWebhook = Webhook.extend({ secret }).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const RotateSecret = z
  .strictObject({
    overlapSeconds: overlapSeconds
      .optional()
      .meta({ description: 'How long messages are also signed with the old secret. Default: 86400.' }),
  })
  .meta({ id: 'RotateSecret', examples: [{ overlapSeconds: 86_400 }] });
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
    id: z.string().describe('Starts with `whd_`.'),
    webhookId: z.string().describe('The webhook.'),
    messageId: z
      .string()
      .describe(
        'The header `webhook-id`: the same for every attempt, and for every webhook that receives the event.',
      ),
    type: anyEvent.describe('The event, or `webhook.test`.'),
    jobId: z.string().nullable().describe('The job of the event.'),
    status: z.enum(deliveryStatuses).describe('A `pending` delivery has more attempts.'),
    createdAt: timestamp.describe('Time of the event.'),
    nextAttemptAt: nullableTimestamp.describe('Time of the next attempt, while the delivery is pending.'),
    finishedAt: nullableTimestamp.describe('When the message was delivered, or the last attempt failed.'),
    attempts: z
      .array(
        z.object({
          at: timestamp.describe('Time of the attempt.'),
          durationMs: wholeNumber.describe('Duration in milliseconds.'),
          status: z.int().nullable().describe('HTTP status; null without a response.'),
          error: z.string().nullable().describe('Why the attempt failed; null if it did not.'),
          response: z.string().describe('The first 1,024 bytes of the response.'),
        }),
      )
      .describe('The last 20 attempts, oldest first.'),
  })
  .meta({ id: 'WebhookDelivery' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryWithBody = WebhookDelivery.extend({
  body: z.string().meta({ description: 'The exact JSON text that is sent and signed.' }),
}).meta({ id: 'WebhookDeliveryWithBody' });
export type WebhookDeliveryWithBody = z.infer<typeof WebhookDeliveryWithBody>;
