import * as z from 'zod';
import { failureCodes } from './errors.ts';
import { createdAt, timestamp, wholeNumber } from './primitives.ts';

const seconds = z.number().min(0);
const completed = wholeNumber.describe('Completed exports.');
const failed = wholeNumber.describe('Failed exports, without canceled ones.');
const canceled = wholeNumber.describe('Canceled exports.');

export const Insights = z
  .object({
    since: timestamp.meta({ description: 'The start of the first day, in UTC.' }),
    totals: z
      .object({
        completed,
        failed,
        canceled,
        unfinished: wholeNumber.describe('Exports that are queued or running.'),
      })
      .describe('The exports that were started in this period.'),
    medianSeconds: seconds
      .nullable()
      .meta({ description: 'Median duration of the completed exports, without the time in the queue.' }),
    days: z
      .array(
        z.object({
          date: z.iso.date().describe('The day, in UTC.'),
          completed,
          failed,
          canceled,
          medianSeconds: seconds.nullable().describe('Median duration of the completed exports of the day.'),
        }),
      )
      .describe('Each day, the oldest first.'),
    failures: z
      .array(
        z.object({
          code: z.enum(failureCodes).describe('The failure code.'),
          count: wholeNumber.describe('How often it occurred.'),
        }),
      )
      .describe('Why exports failed, the most frequent reason first.'),
    projects: z
      .array(
        z.object({
          projectId: z.string().describe('The project.'),
          name: z.string().describe('Its name.'),
          domain: z.string().describe('Its domain.'),
          completed,
          failed,
          findings: z
            .array(
              z.object({
                jobId: z.string().describe('The export.'),
                createdAt,
                errors: wholeNumber.describe('Errors in its report.'),
                warnings: wholeNumber.describe('Warnings in its report.'),
              }),
            )
            .meta({
              description:
                'The last 20 completed exports, the oldest first. Exports of agent jobs are omitted.',
            }),
        }),
      )
      .meta({ description: 'The eight projects with the most recent exports.' }),
    webhooks: z
      .object({
        enabled: wholeNumber.describe('Number of enabled webhooks.'),
        failing: z
          .array(
            z.object({
              id: z.string().describe('The webhook.'),
              url: z.string().describe('Its URL.'),
              failingSince: timestamp.nullable().describe('The first failure since the last success.'),
              disabledReason: z
                .enum(['gone', 'failing'])
                .nullable()
                .describe('Why it was disabled; null if it is enabled.'),
            }),
          )
          .describe('Webhooks whose last deliveries failed, or that were disabled because of failures.'),
      })
      .nullable()
      .describe('The webhooks. Null without the scope `webhooks:read` and for project keys.'),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof Insights>;
