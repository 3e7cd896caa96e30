/**
 * Webhooks on the wire: what can be subscribed to, the record of a webhook, and the log of what was sent. A secret comes
 * out once, when it is made.
 */
import { z } from 'zod';
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

/** Everything that is told. Closed; a test holds the manual to it. */
export const webhookEvents = {
  'export.queued': 'An export waits for a worker: it was started, or handed back by a worker that is gone.',
  'export.running': 'A worker has begun with an export.',
  'export.completed': 'The bundle of an export is ready.',
  'export.failed': 'An export failed or was canceled.',
  'agent.queued': 'An agent job waits for a worker: it was created, told to go on, or handed back.',
  'agent.running': 'A worker has begun with an agent job.',
  'agent.completed': 'An agent job has ended with a result.',
  'agent.failed': 'An agent job failed or was canceled.',
  'agent.pull_request_opened': 'An agent job has ended with a pull request that was not there before.',
  'agent.archived': 'An agent job was put into the archive.',
  'agent.unarchived': 'An agent job was taken out of the archive.',
} as const;
export type WebhookEvent = keyof typeof webhookEvents;

/** What `POST …/test` sends. It needs no subscription. */
export const testEvent = 'webhook.test';

const eventNames = Object.keys(webhookEvents) as [WebhookEvent, ...WebhookEvent[]];
const anyEvent = z.enum([...eventNames, testEvent]);

const description = z.string().trim().max(256);
const subscribed = z.array(z.enum(eventNames)).min(1).max(eventNames.length);

export const CreateWebhook = z
  .strictObject({
    url: httpUrl.meta({ description: 'Where events are sent, by POST.' }),
    events: subscribed.optional().meta({ description: 'Default: every event there is now.' }),
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
  .refine(namesField, 'Name at least one field to change: url, events, description or enabled.')
  .meta({ id: 'UpdateWebhook' });
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(eventNames)),
    enabled: z.boolean(),
    disabledReason: z
      .enum(['gone', 'failing'])
      .nullable()
      .meta({ description: '`gone`: it answered 410. `failing`: nothing had arrived for five days.' }),
    failingSince: nullableTimestamp.meta({ description: 'The first failure since the last success.' }),
    jobId: z.string().nullable().meta({ description: 'Only for this job, as its `webhookUrl` asked for.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: recordVersion,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

const secret = z.string().meta({ description: 'Begins with `whsec_`. Shown this once and never again.' });

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

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

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
        status: z.int().nullable().meta({ description: 'HTTP status; null when there was no answer.' }),
        error: z.string().nullable().meta({ description: 'Why it does not count as delivered.' }),
        response: z.string().meta({ description: 'The first 1,024 bytes of the answer.' }),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery', description: 'The last 20 attempts, oldest first.' });
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookDeliveryWithBody = WebhookDelivery.extend({
  body: z.string().meta({ description: 'What is sent, to the byte: the JSON text that is signed.' }),
}).meta({ id: 'WebhookDeliveryWithBody' });
export type WebhookDeliveryWithBody = z.infer<typeof WebhookDeliveryWithBody>;
