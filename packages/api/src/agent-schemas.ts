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
import { TriggeringChange } from './context-schemas.ts';
import { exampleAgentJob } from './examples.ts';
import { CanceledBy } from './export-schemas.ts';
import {
  createdAt,
  gitRef,
  Metadata,
  nullableTimestamp,
  timestamp,
  updatedAt,
  wholeNumber,
  modelName,
  docsPath,
} from './primitives.ts';

const agentEndingNames = Object.keys(agentEndings) as [AgentEnding, ...AgentEnding[]];

const limitTexts = {
  steps: 'Model responses.',
  inputTokens: 'Input tokens of all steps. Cached tokens count as a tenth.',
  outputTokens: 'Output tokens of all steps.',
  minutes: 'Duration of the run.',
  toolSeconds: 'Duration of one tool call.',
  files: 'Files that the run changes.',
  lines: 'Lines that the run adds and removes.',
};

export const AgentLimits = z
  .object({
    steps: wholeNumber.describe(limitTexts.steps),
    inputTokens: wholeNumber.describe(limitTexts.inputTokens),
    outputTokens: wholeNumber.describe(limitTexts.outputTokens),
    minutes: wholeNumber.describe(limitTexts.minutes),
    toolSeconds: wholeNumber.describe(limitTexts.toolSeconds),
    files: wholeNumber.describe(limitTexts.files),
    lines: wholeNumber.describe(limitTexts.lines),
  })
  .meta({ id: 'AgentLimits' });

const limit = (max: number) => z.int().min(1).max(max).optional();

export const SetAgentLimits = z
  .strictObject({
    steps: limit(1000).describe(limitTexts.steps),
    inputTokens: limit(100_000_000).describe(limitTexts.inputTokens),
    outputTokens: limit(10_000_000).describe(limitTexts.outputTokens),
    minutes: limit(1440).describe(limitTexts.minutes),
    toolSeconds: limit(600).describe(limitTexts.toolSeconds),
    files: limit(10_000).describe(limitTexts.files),
    lines: limit(1_000_000).describe(limitTexts.lines),
  })
  .meta({ id: 'SetAgentLimits' });

export const PullRequest = z
  .object({
    url: z.url().nullable().describe('Null if the forge has no pull requests.'),
    number: z.int().nullable().describe('The number on the forge.'),
    state: z.enum(['open', 'closed', 'merged', 'none']).describe('The state on the forge.'),
    draft: z.boolean().describe('Whether it is a draft.'),
    branch: z.string().describe('The branch with the change.'),
  })
  .meta({ id: 'PullRequest' });

export const AgentUsage = z
  .object({
    inputTokens: wholeNumber.describe('Tokens sent to the model.'),
    outputTokens: wholeNumber.describe('Tokens written by the model.'),
    cacheReadTokens: wholeNumber.describe('Tokens that the model endpoint read from its cache.'),
    steps: wholeNumber.describe('Model responses.'),
  })
  .meta({ id: 'AgentUsage', description: 'Sum of all runs.' });

export const AgentResult = z
  .object({
    summary: z.string().nullable().describe('What the agent says about its work.'),
    filesChanged: wholeNumber.describe('Files that the branch changes.'),
    linesAdded: wholeNumber.describe('Lines that the branch adds.'),
    linesRemoved: wholeNumber.describe('Lines that the branch removes.'),
    newErrors: wholeNumber.describe('Errors that the target branch does not have.'),
    newWarnings: wholeNumber.describe('Warnings that the target branch does not have.'),
    fixedFindings: wholeNumber.describe('Findings of the target branch that the branch fixes.'),
    previewJobId: z.string().nullable().meta({ description: 'The export of the branch.' }),
    notes: z
      .array(z.string())
      .describe('What could not be done besides the change, such as a reviewer that the forge refused.'),
  })
  .meta({ id: 'AgentResult' });

export const AgentPolicy = z
  .object({
    outcome: z
      .enum(['pass', 'draft', 'block'])
      .describe('`draft`: the change is offered as a draft. `block`: it is not pushed.'),
    notes: z
      .array(
        z.object({
          rule: z.string().describe('The rule.'),
          path: z.string().nullable().describe('The file that the rule is about.'),
          message: z.string().describe('What the rule says about the change.'),
          outcome: z.enum(['draft', 'block']).describe('What the rule alone leads to.'),
        }),
      )
      .describe('The rules that did not pass.'),
  })
  .meta({ id: 'AgentPolicy', description: 'The result of the policy rules for the change.' });

const runNumber = z.int().min(1).describe('The run: 1 for the first instruction, and so on.');

/** The fields of the specification, followed by additional ones. */
export const AgentJob = z
  .object({
    id: z.string().meta({ description: 'The id of the job.', examples: ['aj_7c20b9e4d5f1a863'] }),
    status: z
      .enum(agentStatuses)
      .describe(
        '`active`: the agent is working. `completed`: it has finished; see `prLink`. `archived`: the job was archived. `failed`: the job ended with an error.',
      ),
    source: z
      .object({
        repository: z.string().describe('URL of the repository.'),
        ref: z.string().nullable().describe('The branch that the agent works on.'),
      })
      .describe('Where the change is made.'),
    model: z.string().describe('The model.'),
    prLink: z
      .url()
      .nullable()
      .describe('URL of the pull request. Null while the job is active, and if no file was changed.'),
    createdAt,
    archivedAt: nullableTimestamp.describe('When the job was archived.'),
    projectId: z.string().describe('The project.'),
    title: z.string().describe('The title from the agent; before that, the first line of the instruction.'),
    phase: z.enum(agentPhases).describe('What the worker does now.'),
    statusReason: z
      .enum(agentEndingNames)
      .nullable()
      .describe(
        `Why the last run ended. Null while the job is active. ${Object.entries(agentEndings)
          .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
          .join(' ')}`,
      ),
    error: z.string().nullable().describe('Why the job failed, as a message. Null otherwise.'),
    canceledBy: CanceledBy.nullable().describe('Who canceled the job. Null if it was not canceled.'),
    pullRequest: PullRequest.nullable().describe(
      'The pull request. Unlike `prLink`, it is also set during a follow-up.',
    ),
    usage: AgentUsage,
    result: AgentResult.nullable().describe(
      'What was changed. The counts compare the whole branch with its target branch. Null until a run has ended.',
    ),
    policy: AgentPolicy.nullable().describe('The result of the rules that protect the repository.'),
    runs: z.int().min(1).meta({ description: 'Instructions so far: the first, follow-ups and retries.' }),
    instructions: z
      .array(
        z.object({
          run: runNumber,
          prompt: z.string().max(maxShownPromptCharacters).describe('The start of the instruction.'),
        }),
      )
      .max(maxShownInstructions)
      .meta({ description: 'The last 20, oldest first, each with its first 1,000 characters.' }),
    draft: z.boolean().nullable().describe('Whether a draft was requested; null if the checks decide.'),
    scope: z
      .object({ paths: z.array(z.string()).describe('Empty for the whole docs folder.') })
      .describe('The paths below which the agent can change files.'),
    limits: AgentLimits.describe('The limits of each run.'),
    dryRun: z.boolean().describe('Whether the result is not pushed.'),
    triggeringChange: TriggeringChange.nullable().describe('The code change that the job is about.'),
    metadata: z.record(z.string(), z.string()).describe('Your entries, as requested.'),
    updatedAt,
    startedAt: nullableTimestamp.describe('When a worker first started it.'),
    finishedAt: nullableTimestamp.describe('When its last run ended. Null while it is active.'),
    purgedAt: nullableTimestamp.describe('When retention removed its steps and its diff.'),
  })
  .meta({ id: 'AgentJob', examples: [exampleAgentJob] });
export type AgentJob = z.infer<typeof AgentJob>;

const prompt = z.string().trim().min(1).max(32_000).describe('The instruction for the agent.');
export const CreateAgentJob = z
  .strictObject({
    prompt,
    source: z
      .strictObject({ ref: gitRef.optional().describe('The branch. Default: that of the project.') })
      .optional()
      .describe('Where to make the change.'),
    model: modelName.optional().describe('Another model of the configured endpoint.'),
    draft: z.boolean().optional().meta({
      description: 'Whether to open the pull request as a draft. Default: depends on the checks.',
    }),
    scope: z
      .strictObject({
        paths: z.array(docsPath).max(100).describe('Files and folders, relative to the docs folder.'),
      })
      .optional()
      .describe('The agent can change only files below these paths. Default: the whole docs folder.'),
    limits: SetAgentLimits.optional().describe('Lower limits than those of the project.'),
    dryRun: z
      .boolean()
      .optional()
      .describe('Do everything except push. Read the result as a diff. Default: `false`.'),
    triggeringChange: TriggeringChange.optional().meta({
      description:
        'The code change that the job is about. The agent can read its commits and its diff. It must be in a context repository of the project.',
    }),
    metadata: Metadata.optional(),
  })
  .meta({
    id: 'CreateAgentJob',
    examples: [{ prompt: 'Document the new --strict option of the check command.' }],
  });
export type CreateAgentJob = z.infer<typeof CreateAgentJob>;

export const MessageAgentJob = z
  .strictObject({ prompt })
  .meta({ id: 'MessageAgentJob', examples: [{ prompt: 'Also add an example.' }] });
export type MessageAgentJob = z.infer<typeof MessageAgentJob>;

const stepNumber = z.int().min(1).describe('The number of the step within the run.');
const stepKind = z.enum(agentStepKinds).describe('What happened.');
const toolName = z.string().nullable().describe('The tool that was called.');
const isFailedTool = z.boolean().describe('Whether the tool failed.');

const eventBase = {
  id: z.string().meta({ description: 'For `Last-Event-ID` and `after`.' }),
  at: timestamp.describe('When it happened.'),
};

export const AgentEvent = z
  .discriminatedUnion('type', [
    z.object({
      ...eventBase,
      type: z.literal('status').describe('The job has another status or phase.'),
      status: z.enum(agentStatuses).describe('The new status.'),
      phase: z.enum(agentPhases).describe('The new phase.'),
    }),
    z.object({
      ...eventBase,
      type: z.literal('step').describe('The run has made a step.'),
      run: runNumber,
      number: stepNumber,
      kind: stepKind,
      tool: toolName,
      path: z.string().nullable().describe('The file that the step is about.'),
      text: z.string().describe('One line about the step.'),
      isError: isFailedTool,
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
    files: z
      .array(
        z.object({
          path: z.string().describe('The file.'),
          from: z.string().nullable().describe('The previous path of a moved file.'),
          status: z.enum(['added', 'modified', 'removed', 'moved']).describe('How the file was changed.'),
          addedLines: wholeNumber.describe('Added lines of the file.'),
          removedLines: wholeNumber.describe('Removed lines of the file.'),
        }),
      )
      .describe('The changed files.'),
    linesAdded: wholeNumber.describe('Added lines of all files.'),
    linesRemoved: wholeNumber.describe('Removed lines of all files.'),
    patch: z.string().describe('The unified diff, also returned for `Accept: text/x-diff`.'),
  })
  .meta({ id: 'AgentDiff' });
export type AgentDiff = z.infer<typeof AgentDiff>;

export const AgentStep = z
  .object({
    run: runNumber,
    number: stepNumber,
    at: timestamp.describe('When it happened.'),
    kind: stepKind,
    role: z.enum(['system', 'person', 'agent', 'tool', 'docyard']).describe('Who wrote the text.'),
    text: z.string().describe('The text, with secrets masked.'),
    calls: z
      .array(
        z.object({
          tool: z.string().describe('The tool.'),
          input: z.unknown().describe('Its input.'),
        }),
      )
      .describe('The tools that the agent calls; of a result of an external agent, its call.'),
    tool: toolName,
    isError: isFailedTool,
  })
  .meta({ id: 'AgentStep' });
export type AgentStep = z.infer<typeof AgentStep>;
