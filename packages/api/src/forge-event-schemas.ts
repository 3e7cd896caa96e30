/** Events that a forge reports to the hook of a project, and the hook. */
import * as z from 'zod';
import { forgeEventKinds, forgeEventStates, forgeKinds } from './constants.ts';
import { nullableTimestamp, overlapSeconds, timestamp, wholeNumber } from './primitives.ts';

const hookUrl = z.string().meta({
  description: 'The URL for the webhook at your forge.',
  examples: ['https://docyard.example.com/hooks/pr_5f0c9d1e7a3b8264'],
});

export const ProjectHook = z
  .object({
    url: hookUrl,
    enabled: z.boolean().describe('Whether the hook has a secret. Without one it refuses every event.'),
    secretCreatedAt: nullableTimestamp.meta({
      description: 'When the secret was created; null without one.',
    }),
    oldSecretValidUntil: nullableTimestamp.meta({
      description: 'Until then the replaced secret is accepted too. Null when no secret was replaced.',
    }),
    lastEventAt: nullableTimestamp.meta({
      description: 'When the newest event arrived through the hook; null if there is none.',
    }),
  })
  .meta({ id: 'ProjectHook' });
export type ProjectHook = z.infer<typeof ProjectHook>;

export const CreateHookSecret = z
  .strictObject({
    overlapSeconds: overlapSeconds
      .optional()
      .meta({ description: 'How long the replaced secret is accepted too. Default: 86400.' }),
  })
  .meta({ id: 'CreateHookSecret', examples: [{ overlapSeconds: 3600 }] });
export type CreateHookSecret = z.infer<typeof CreateHookSecret>;

export const CreatedHookSecret = ProjectHook.extend({
  secret: z
    .string()
    .meta({ description: 'The secret for the webhook at your forge. Returned only in this response.' }),
}).meta({ id: 'CreatedHookSecret' });
export type CreatedHookSecret = z.infer<typeof CreatedHookSecret>;

export const ProjectPolling = z
  .object({
    enabled: z.boolean().describe('Whether the branch of the project is polled.'),
    intervalSeconds: wholeNumber.describe('The time between two polls.'),
    branch: z.string().nullable().describe('The polled branch; null before the first poll.'),
    commit: z
      .string()
      .nullable()
      .describe('The newest known commit of the branch; null before the first poll.'),
    polledAt: nullableTimestamp.meta({ description: 'When the branch was last polled.' }),
    nextPollAt: nullableTimestamp.meta({ description: 'When the next poll is due; null if polling is off.' }),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why the last poll failed; null if it succeeded. Failed polls are repeated less and less often.',
      ),
    failures: wholeNumber.describe('The number of failed polls since the last successful one.'),
  })
  .meta({ id: 'ProjectPolling' });
export type ProjectPolling = z.infer<typeof ProjectPolling>;

export const ForgeEvent = z
  .object({
    id: z.string().meta({ description: 'Starts with `fe_`.', examples: ['fe_8a1d4c7e2b5f9036'] }),
    projectId: z.string().describe('The project.'),
    forge: z.enum(forgeKinds).describe('The forge that sent the event, or that was polled.'),
    deliveryId: z
      .string()
      .describe('The id that the forge gave the delivery. That of a poll starts with `poll:`.'),
    kind: z
      .enum(forgeEventKinds)
      .describe('`test` is the ping of a new webhook. `other` events are recorded and ignored.'),
    name: z
      .string()
      .describe(
        'The name of the event at the forge, such as `push` or `Push Hook`; `poll` for a polled push.',
      ),
    ref: z
      .string()
      .nullable()
      .describe('The pushed ref or the branch of the pull request, such as `refs/heads/main`.'),
    before: z.string().nullable().describe('The commit before the push; null for a new branch.'),
    after: z
      .string()
      .nullable()
      .describe('The commit after the push, or the head of the pull request; null for a deleted branch.'),
    repository: z.string().nullable().describe('The address of the repository, as the forge reports it.'),
    actor: z.string().nullable().describe('The user of the forge.'),
    pullRequest: wholeNumber
      .nullable()
      .describe('The number of the pull request that the event is about; null for others.'),
    state: z.enum(forgeEventStates).describe('A `pending` event waits. An `ignored` event needed no action.'),
    reason: z.string().nullable().describe('Why the event waits, was ignored or failed.'),
    jobId: z
      .string()
      .nullable()
      .describe('The export or agent job that the event started, or sent a message to.'),
    attempts: wholeNumber.describe('How often processing was tried and put off.'),
    receivedAt: timestamp.describe('When the event arrived.'),
    nextAttemptAt: nullableTimestamp.meta({ description: 'When a pending event is due.' }),
    finishedAt: nullableTimestamp.meta({ description: 'When the event was processed, ignored or failed.' }),
  })
  .meta({ id: 'ForgeEvent' });
export type ForgeEvent = z.infer<typeof ForgeEvent>;
