/** The file `.docyard/automations.yaml` of a docs repository: which agent jobs start, and when. */
import * as z from 'zod';
import { docsPath, httpUrl } from './primitives.ts';

export const automationsFile = '.docyard/automations.yaml';
export const maxAutomationsFileBytes = 64_000;
const maxAutomations = 50;

export const automationName = z
  .string()
  .max(60)
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    'Use lower-case letters, digits and single hyphens, such as "api-docs".',
  )
  .meta({ description: 'The name of the automation.', examples: ['api-docs'] });

const repository = z.union(
  [
    httpUrl,
    z
      .string()
      .max(500)
      .regex(/^[\w~.-]+(?:\/[\w~.-]+)+$/),
  ],
  'Use the URL of the repository, or its path on the forge of the docs, such as "acme/api".',
);

const pathPattern = z
  .string()
  .min(1)
  .max(500)
  .refine((pattern) => !/^[/!]/.test(pattern), 'A pattern must not begin with "/" or "!".')
  .refine((pattern) => !pattern.split('/').includes('..'), 'A pattern must not contain "..".')
  .refine((pattern) => !/[[\]{}?\\]/.test(pattern), 'A pattern has only the wildcards "*" and "**".');

/** Shared with git refs, without a full ref name. */
const branchName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^-\s]\S*$/, 'A branch must not begin with a dash or contain spaces.')
  .refine((name) => !name.startsWith('refs/'), 'Use the short name of the branch, such as "main".');

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
};

const triggers = {
  merged: z.strictObject({
    repository,
    branch: branchName.optional(),
    paths: z.array(pathPattern).min(1).max(100).optional(),
  }),
  schedule: z.strictObject({
    cron: z
      .string()
      .max(100)
      .regex(/^[\w*,/-]+(?: +[\w*,/-]+){4}$/, 'Use five fields: minute, hour, day, month and weekday.'),
    timezone: z.string().max(100).refine(isTimezone, 'Use a name such as "Europe/Berlin".').optional(),
  }),
  failedCheck: z.strictObject({ minNewErrors: z.int().min(1).max(1000).optional() }),
  feedback: z.strictObject({
    minNegative: z.int().min(1).max(10_000),
    days: z.int().min(1).max(30).optional(),
    paths: z.array(pathPattern).min(1).max(100).optional(),
  }),
  manual: z.literal(true, 'Write `manual: true`.'),
};

export const AutomationTrigger = z
  .strictObject({
    merged: triggers.merged.optional(),
    schedule: triggers.schedule.optional(),
    failedCheck: triggers.failedCheck.optional(),
    feedback: triggers.feedback.optional(),
    manual: triggers.manual.optional(),
  })
  .refine(
    (trigger) => Object.values(trigger).filter((value) => value !== undefined).length === 1,
    'Name exactly one trigger: merged, schedule, failedCheck, feedback or manual.',
  );
export type AutomationTrigger = z.infer<typeof AutomationTrigger>;

const reviewerName = z
  .string()
  .max(100)
  .regex(/^@?[\w.-]+(?:\/[\w.-]+)?$/, 'Use the name of a user, or of a team as "organization/team".');

export const AutomationDefinition = z.strictObject({
  name: automationName,
  on: AutomationTrigger,
  instructions: z.string().trim().min(1).max(8000),
  budget: z
    .strictObject({
      maxRunsPerDay: z.int().min(1).max(1000).optional(),
      maxTokensPerDay: z.int().min(1000).max(1_000_000_000).optional(),
    })
    .optional(),
  group: z.boolean().optional(),
  reviewers: z
    .union(
      [z.enum(['codeowners', 'author']), z.array(reviewerName).min(1).max(15)],
      'Use "codeowners", "author" or a list of names.',
    )
    .optional(),
  scope: z.strictObject({ paths: z.array(docsPath).min(1).max(100) }).optional(),
  draft: z.boolean().optional(),
});
export type AutomationDefinition = z.infer<typeof AutomationDefinition>;

export const AutomationsFile = z
  .strictObject({
    version: z.literal(1, 'The version of the file must be 1.'),
    automations: z.array(AutomationDefinition).max(maxAutomations),
  })
  .check((ctx) => {
    const seen = new Set<string>();
    for (const [index, { name }] of ctx.value.automations.entries()) {
      if (seen.has(name)) {
        const path = ['automations', index, 'name'];
        ctx.issues.push({
          code: 'custom',
          message: `Another automation has the name ${name}.`,
          input: name,
          path,
        });
      }
      seen.add(name);
    }
  });
export type AutomationsFile = z.infer<typeof AutomationsFile>;
