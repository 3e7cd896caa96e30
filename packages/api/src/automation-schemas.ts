/** Automations of a project, as its docs repository defines them, and their runs. */
import * as z from 'zod';
import { automationName } from './automation-file-schemas.ts';
import { automationRunStates, automationTriggers } from './constants.ts';
import { nullableTimestamp, timestamp, wholeNumber } from './primitives.ts';

const trigger = z
  .enum(automationTriggers)
  .describe('What starts it. Every automation can also be started manually.');

export const AutomationRun = z
  .object({
    id: z.string().meta({ description: 'Starts with `ar_`.', examples: ['ar_4b9e1c7d2f6a8035'] }),
    projectId: z.string().describe('The project.'),
    automation: z.string().describe('The name of the automation.'),
    trigger: z.enum(automationTriggers).describe('What happened.'),
    subject: z.string().describe('What happened, in one line, such as the title of a merged pull request.'),
    forgeEventId: z.string().nullable().describe('The forge event; null for other triggers.'),
    state: z
      .enum(automationRunStates)
      .describe(
        '`pending`: it waits, see `reason`. `started`: it started `jobId`. `messaged`: it sent a message to `jobId`, whose proposal is open. `skipped`: nothing was needed. `failed`: it could not start.',
      ),
    reason: z.string().nullable().describe('Why it waits, was skipped or failed.'),
    jobId: z.string().nullable().describe('The agent job.'),
    createdAt: timestamp.describe('When the event was recorded.'),
    nextAttemptAt: nullableTimestamp.meta({ description: 'When a pending run is tried again.' }),
    finishedAt: nullableTimestamp.meta({ description: 'When the run left the state `pending`.' }),
  })
  .meta({ id: 'AutomationRun' });
export type AutomationRun = z.infer<typeof AutomationRun>;

export const Automation = z
  .object({
    name: automationName,
    trigger,
    description: z.string().describe('The trigger in words, such as `merged into main of acme/api`.'),
    grouped: z.boolean().describe('Whether it has at most one open proposal.'),
    paused: z.boolean().describe('Whether it is paused.'),
    nextRunAt: nullableTimestamp.meta({ description: 'When its schedule is due; null without one.' }),
    openJobId: z.string().nullable().describe('The newest agent job that it started.'),
    today: z
      .object({
        runs: wholeNumber.describe('Runs that started a job or sent a message.'),
        tokens: wholeNumber.describe('Tokens that its jobs have used.'),
        maxRuns: z.int().nullable().describe('The limit; null without one.'),
        maxTokens: z.int().nullable().describe('The limit; null without one.'),
      })
      .describe('The budget of the current day in UTC.'),
    lastRun: AutomationRun.nullable().describe('The newest run.'),
  })
  .meta({ id: 'Automation' });
export type Automation = z.infer<typeof Automation>;

export const AutomationProblem = z
  .object({
    message: z.string().describe('What is wrong, and how to correct it.'),
    path: z.string().describe('The setting, such as `automations[0].on`; empty for the whole file.'),
    line: z.int().nullable().describe('The line in the file.'),
  })
  .meta({ id: 'AutomationProblem' });
export type AutomationProblem = z.infer<typeof AutomationProblem>;

export const ProjectAutomations = z
  .object({
    file: z
      .object({
        path: z.string().describe('The path in the repository.'),
        commit: z.string().nullable().describe('The commit that the file was read at; null before that.'),
        readAt: nullableTimestamp.meta({ description: 'When the file was last read.' }),
        problems: z
          .array(AutomationProblem)
          .describe('Why the file is not used. The automations of its last valid version stay in effect.'),
      })
      .describe('The file with the automations, on the branch that the project follows.'),
    data: z.array(Automation).describe('In the order of the file.'),
  })
  .meta({ id: 'ProjectAutomations' });
export type ProjectAutomations = z.infer<typeof ProjectAutomations>;

export const RunAutomation = z
  .strictObject({
    note: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .optional()
      .describe('Added to the instruction as `{{note}}`, or at its end.'),
  })
  .meta({ id: 'RunAutomation', examples: [{ note: 'Look at the pages about keys first.' }] });
export type RunAutomation = z.infer<typeof RunAutomation>;
