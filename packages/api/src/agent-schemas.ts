import * as z from 'zod';
import {
  agentEndings,
  agentPhases,
  agentStatuses,
  agentStepKinds,
  maxShownInstructions,
  maxShownPromptCharacters,
  type AgentEnding,
} from './constants.ts';
import { CanceledBy } from './export-schemas.ts';
import {
  gitRef,
  Metadata,
  nullableTimestamp,
  timestamp,
  wholeNumber,
  modelName,
  docsPath,
} from './primitives.ts';

const agentEndingNames = Object.keys(agentEndings) as [AgentEnding, ...AgentEnding[]];

export const AgentLimits = z
  .object({
    steps: wholeNumber,
    inputTokens: wholeNumber,
    outputTokens: wholeNumber,
    minutes: wholeNumber,
    toolSeconds: wholeNumber,
    files: wholeNumber,
    lines: wholeNumber,
  })
  .meta({ id: 'AgentLimits' });

const limit = (max: number) => z.int().min(1).max(max).optional();

export const SetAgentLimits = z
  .strictObject({
    steps: limit(1000),
    inputTokens: limit(100_000_000),
    outputTokens: limit(10_000_000),
    minutes: limit(1440),
    toolSeconds: limit(600),
    files: limit(10_000),
    lines: limit(1_000_000),
  })
  .meta({ id: 'SetAgentLimits' });

export const PullRequest = z
  .object({
    url: z.url().nullable(),
    number: z.int().nullable(),
    state: z.enum(['open', 'closed', 'merged', 'none']),
    draft: z.boolean(),
    branch: z.string(),
  })
  .meta({ id: 'PullRequest' });

export const AgentUsage = z
  .object({
    inputTokens: wholeNumber,
    outputTokens: wholeNumber,
    cacheReadTokens: wholeNumber,
    steps: wholeNumber,
  })
  .meta({ id: 'AgentUsage', description: 'Sum of all runs.' });

export const AgentResult = z
  .object({
    summary: z.string().nullable(),
    filesChanged: wholeNumber,
    linesAdded: wholeNumber,
    linesRemoved: wholeNumber,
    newErrors: wholeNumber.meta({ description: 'Findings the site did not have before.' }),
    newWarnings: wholeNumber,
    fixedFindings: wholeNumber,
    previewJobId: z.string().nullable().meta({ description: 'The export of the branch.' }),
  })
  .meta({ id: 'AgentResult' });

export const AgentPolicy = z
  .object({
    outcome: z.enum(['pass', 'draft', 'block']),
    notes: z.array(
      z.object({
        rule: z.string(),
        path: z.string().nullable(),
        message: z.string(),
        outcome: z.enum(['draft', 'block']),
      }),
    ),
  })
  .meta({ id: 'AgentPolicy', description: 'The result of the policy rules for the change.' });

/** The fields of the specification, followed by additional ones. */
export const AgentJob = z
  .object({
    id: z.string(),
    status: z.enum(agentStatuses),
    source: z.object({
      repository: z.string(),
      ref: z.string().nullable(),
    }),
    model: z.string(),
    prLink: z.url().nullable(),
    createdAt: timestamp,
    archivedAt: nullableTimestamp,
    projectId: z.string(),
    title: z.string(),
    phase: z.enum(agentPhases),
    statusReason: z
      .enum(agentEndingNames)
      .nullable()
      .meta({ description: 'Why the last run ended; null while the job is active.' }),
    error: z.string().nullable().meta({ description: 'Why the job failed, or null.' }),
    canceledBy: CanceledBy.nullable(),
    pullRequest: PullRequest.nullable().meta({ description: 'Also set while a follow-up runs.' }),
    usage: AgentUsage,
    result: AgentResult.nullable(),
    policy: AgentPolicy.nullable(),
    runs: z.int().min(1).meta({ description: 'Instructions so far: the first, follow-ups and retries.' }),
    instructions: z
      .array(z.object({ run: z.int().min(1), prompt: z.string().max(maxShownPromptCharacters) }))
      .max(maxShownInstructions)
      .meta({ description: 'The last 20, oldest first, each with its first 1,000 characters.' }),
    draft: z.boolean().nullable(),
    scope: z.object({ paths: z.array(z.string()) }),
    limits: AgentLimits,
    dryRun: z.boolean(),
    metadata: z.record(z.string(), z.string()),
    updatedAt: timestamp,
    startedAt: nullableTimestamp,
    finishedAt: nullableTimestamp,
    purgedAt: nullableTimestamp.meta({ description: 'When its steps and its diff were removed.' }),
  })
  .meta({ id: 'AgentJob' });
export type AgentJob = z.infer<typeof AgentJob>;

const prompt = z.string().trim().min(1).max(32_000);
export const CreateAgentJob = z
  .strictObject({
    prompt: prompt.meta({ description: 'The task of the agent.' }),
    source: z
      .strictObject({ ref: gitRef.optional() })
      .optional()
      .meta({ description: '`ref`: the branch to work against. Default: that of the project.' }),
    model: modelName.optional().meta({ description: 'A different model of the configured endpoint.' }),
    draft: z.boolean().optional().meta({
      description: 'Open the pull request as a draft, or not. Default: the checks decide.',
    }),
    scope: z
      .strictObject({ paths: z.array(docsPath).max(100) })
      .optional()
      .meta({ description: '`paths`: only files below these may be changed.' }),
    limits: SetAgentLimits.optional().meta({ description: 'Only lower than those of the project.' }),
    dryRun: z.boolean().optional().meta({ description: 'Do everything but push.' }),
    metadata: Metadata.optional(),
  })
  .meta({ id: 'CreateAgentJob' });
export type CreateAgentJob = z.infer<typeof CreateAgentJob>;

export const MessageAgentJob = z.strictObject({ prompt }).meta({ id: 'MessageAgentJob' });
export type MessageAgentJob = z.infer<typeof MessageAgentJob>;

const eventBase = {
  id: z.string().meta({ description: 'For `Last-Event-ID` and `after`.' }),
  at: timestamp,
};

export const AgentEvent = z
  .discriminatedUnion('type', [
    z.object({
      ...eventBase,
      type: z.literal('status'),
      status: z.enum(agentStatuses),
      phase: z.enum(agentPhases),
    }),
    z.object({
      ...eventBase,
      type: z.literal('step'),
      run: z.int().min(1),
      number: z.int().min(1),
      kind: z.enum(agentStepKinds),
      tool: z.string().nullable(),
      path: z.string().nullable(),
      text: z.string().meta({ description: 'One line about the step.' }),
      isError: z.boolean(),
    }),
  ])
  .meta({ id: 'AgentEvent' });
export type AgentEvent = z.infer<typeof AgentEvent>;

export const AgentEvents = z
  .object({
    data: z.array(AgentEvent).meta({ description: 'Oldest first.' }),
    lastEventId: z.string().meta({ description: 'Pass it as `after` to get later events.' }),
  })
  .meta({ id: 'AgentEvents' });
export type AgentEvents = z.infer<typeof AgentEvents>;

export const AgentDiff = z
  .object({
    files: z.array(
      z.object({
        path: z.string(),
        from: z.string().nullable().meta({ description: 'The previous path of a moved file.' }),
        status: z.enum(['added', 'modified', 'removed', 'moved']),
        addedLines: wholeNumber,
        removedLines: wholeNumber,
      }),
    ),
    linesAdded: wholeNumber,
    linesRemoved: wholeNumber,
    patch: z.string().meta({ description: 'The unified diff, also returned for `Accept: text/x-diff`.' }),
  })
  .meta({ id: 'AgentDiff' });
export type AgentDiff = z.infer<typeof AgentDiff>;

export const AgentStep = z
  .object({
    run: z.int().min(1),
    number: z.int().min(1),
    at: timestamp,
    kind: z.enum(agentStepKinds),
    role: z.enum(['system', 'person', 'agent', 'tool', 'docyard']),
    text: z.string(),
    calls: z.array(z.object({ tool: z.string(), input: z.unknown() })),
    tool: z.string().nullable(),
    isError: z.boolean(),
  })
  .meta({ id: 'AgentStep' });
export type AgentStep = z.infer<typeof AgentStep>;
