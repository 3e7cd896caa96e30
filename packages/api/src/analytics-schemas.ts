import * as z from 'zod';
import { readerKinds, readingMetrics } from './constants.ts';
import { wholeNumber } from './primitives.ts';

const day = z.iso.date().meta({ description: 'The day, in UTC.', examples: ['2026-07-01'] });
const maxNameCharacters = 300;

export const maxReadingCounts = 500;
export const maxReadingFeedback = 100;

export const ReportReadings = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[a-z0-9][a-z0-9._-]{0,62}$/,
        'must be lower-case letters, digits, dots, dashes and underscores',
      )
      .meta({ description: 'Name of the site in its reports.', examples: ['docs-eu-1'] }),
    source: z
      .string()
      .regex(/^[0-9a-f]{24}$/)
      .meta({ description: 'Names the file of the site that has the counts.' }),
    counts: z
      .array(
        z.strictObject({
          day,
          metric: z.enum(readingMetrics).describe('What was counted.'),
          name: z
            .string()
            .max(maxNameCharacters)
            .refine((name) => !name.includes('\0'), 'must not contain a null character')
            .describe('A path or a search text; empty for all searches.'),
          reader: z.enum(readerKinds).describe('Who was counted.'),
          count: z.int().min(1).max(1_000_000_000).describe('The total of the day so far.'),
        }),
      )
      .max(maxReadingCounts)
      .describe('Totals, not differences: a repeated request changes nothing.'),
    feedback: z
      .array(
        z.strictObject({
          id: z
            .string()
            .regex(/^[A-Za-z0-9_-]{16,40}$/)
            .describe('Random, for each vote.'),
          day,
          path: z.string().max(maxNameCharacters).describe('The page.'),
          isHelpful: z.boolean().describe('The vote.'),
          comment: z.string().max(2000).nullable().describe('The comment.'),
        }),
      )
      .max(maxReadingFeedback)
      .describe('New votes, and votes that have a comment now.'),
  })
  .meta({ id: 'ReportReadings' });
export type ReportReadings = z.infer<typeof ReportReadings>;

const human = wholeNumber.describe('By humans.');
const agent = wholeNumber.describe('By agents.');
const helpful = wholeNumber.describe('Votes that the page is helpful.');
const notHelpful = wholeNumber.describe('Votes that the page is not helpful.');

export const Analytics = z
  .object({
    since: day.describe('The first day, in UTC.'),
    totals: z
      .object({
        human,
        agent,
        searches: wholeNumber.describe('Searches.'),
        emptySearches: wholeNumber.describe('Searches without results.'),
        helpful,
        notHelpful,
      })
      .describe('Page views, searches and votes of the period.'),
    days: z
      .array(z.object({ date: day, human, agent }))
      .describe('Page views of each day, the oldest first.'),
    pages: z
      .array(z.object({ path: z.string().describe('The page.'), human, agent }))
      .describe('The 50 pages with the most views.'),
    ratings: z
      .array(z.object({ path: z.string().describe('The page.'), helpful, notHelpful }))
      .describe('The 50 pages with the most votes that they are not helpful, then by other votes.'),
    emptySearches: z
      .array(
        z.object({
          text: z.string().describe('What was searched.'),
          count: wholeNumber.describe('How often.'),
        }),
      )
      .describe('The 50 most frequent searches without results.'),
    missing: z
      .array(z.object({ path: z.string().describe('The path.'), count: wholeNumber.describe('How often.') }))
      .describe('The 50 most requested paths without a page.'),
    comments: z
      .array(
        z.object({
          day,
          path: z.string().describe('The page.'),
          isHelpful: z.boolean().describe('The vote.'),
          comment: z.string().describe('The comment.'),
          deploymentId: z.string().describe('The deployment.'),
        }),
      )
      .describe('The 100 newest comments.'),
  })
  .meta({ id: 'Analytics' });
export type Analytics = z.infer<typeof Analytics>;

/** A line of the export. */
export const ReadingRow = z
  .object({
    day,
    deployment: z.string().describe('Name of the deployment.'),
    metric: z.enum([...readingMetrics, 'helpful', 'not_helpful']).describe('What was counted.'),
    name: z.string().describe('A path or a search text.'),
    reader: z.enum(readerKinds).describe('Who was counted.'),
    count: wholeNumber.describe('How often.'),
    comment: z.string().nullable().describe('The comment of a vote.'),
  })
  .meta({ id: 'ReadingRow' });
export type ReadingRow = z.infer<typeof ReadingRow>;
