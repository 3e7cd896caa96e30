import * as z from 'zod';
import { failureCodes } from './errors.ts';
import { timestamp, wholeNumber } from './primitives.ts';

const seconds = z.number().min(0);

export const Insights = z
  .object({
    since: timestamp.meta({ description: 'Start of the first day, in UTC.' }),
    totals: z.object({
      completed: wholeNumber,
      failed: wholeNumber.meta({ description: 'Without canceled exports.' }),
      canceled: wholeNumber,
      unfinished: wholeNumber,
    }),
    medianSeconds: seconds
      .nullable()
      .meta({ description: 'Median duration of the completed exports, without the time in the queue.' }),
    days: z.array(
      z.object({
        date: z.iso.date(),
        completed: wholeNumber,
        failed: wholeNumber,
        canceled: wholeNumber,
        medianSeconds: seconds.nullable(),
      }),
    ),
    failures: z
      .array(z.object({ code: z.enum(failureCodes), count: wholeNumber }))
      .meta({ description: 'Failure codes, the most frequent first.' }),
    projects: z
      .array(
        z.object({
          projectId: z.string(),
          name: z.string(),
          domain: z.string(),
          completed: wholeNumber,
          failed: wholeNumber,
          findings: z
            .array(
              z.object({
                jobId: z.string(),
                createdAt: timestamp,
                errors: wholeNumber,
                warnings: wholeNumber,
              }),
            )
            .meta({ description: 'The last completed exports, the oldest first. Previews are left out.' }),
        }),
      )
      .meta({ description: 'The projects with the most recent exports.' }),
    webhooks: z
      .object({
        enabled: wholeNumber,
        failing: z.array(
          z.object({
            id: z.string(),
            url: z.string(),
            failingSince: timestamp.nullable(),
            disabledReason: z.enum(['gone', 'failing']).nullable(),
          }),
        ),
      })
      .nullable()
      .meta({
        description:
          'Webhooks whose last deliveries failed. Null for callers without `webhooks:read` and keys of one project.',
      }),
  })
  .meta({ id: 'Insights' });
export type Insights = z.infer<typeof Insights>;
