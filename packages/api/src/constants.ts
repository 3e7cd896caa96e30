/** Enumerations and limits of the contract, separate from the schemas so that programs can use them without loading zod. */
export const exportStatuses = ['queued', 'running', 'completed', 'failed'] as const;

export const exportPhases = [
  'queued',
  'fetching',
  'loading',
  'rendering',
  'packing',
  'storing',
  'done',
] as const;

export const linkSeconds = { min: 60, max: 604_800, default: 3600 } as const;

/** Media types of the quality report besides JSON. */
export const reportTypes = ['text/html', 'application/sarif+json', 'application/xml'] as const;

export const agentStatuses = ['active', 'completed', 'archived', 'failed'] as const;

export const agentPhases = [
  'queued',
  'preparing',
  'running',
  'validating',
  'judging',
  'publishing',
  'done',
] as const;

/** Why a run ended. A test compares the manual with this table. */
export const agentEndings = {
  done: 'The work was finished.',
  no_change: 'Nothing had to be changed.',
  needs_input: 'The agent has a question; the summary holds it. Answer with a message.',
  partial: 'Part of the work was finished and is offered as a draft.',
  cancelled: 'A caller canceled the job.',
  timeout: 'The run exceeded its time limit.',
  budget: 'The run exceeded its step or token limit.',
  stalled: 'The agent made no progress.',
  model_auth: 'The model endpoint refused the key.',
  model_unavailable: 'The model endpoint did not answer.',
  context_overflow: 'The conversation became too long for the model.',
  refused: 'The model refused the task.',
  clone_failed: 'The repository could not be fetched.',
  push_conflict: 'Another commit was pushed to the branch.',
  policy_blocked: 'The change broke a rule that protects the repository.',
  forge_error: 'The forge refused the push or the pull request.',
  internal: 'Internal error. See the log for details.',
} as const;
export type AgentEnding = keyof typeof agentEndings;

export const agentStepKinds = [
  'prepared',
  'message',
  'answer',
  'result',
  'loop-ended',
  'validated',
  'judged',
  'committed',
  'pushed',
  'previewed',
  'proposed',
  'ended',
] as const;

/** Limits the size of a record. */
export const maxShownInstructions = 20;
export const maxShownPromptCharacters = 1000;

export const patchType = 'text/x-diff';

export const modelProviders = ['openai', 'anthropic', 'gemini'] as const;
/** What carries out agent jobs: the loop of Docyard, or the program in `AGENT_COMMAND`. */
export const agentEngines = ['builtin', 'external'] as const;
export const maxContextRepositories = 10;

export const forgeKinds = [
  'github',
  'gitlab',
  'gitea',
  'bitbucket',
  'bitbucket-data-center',
  'bare',
] as const;

/** What a project can set on its pull requests. */
export const pullRequestFields = ['labels', 'reviewers', 'teams', 'assignees'] as const;
export type PullRequestField = (typeof pullRequestFields)[number];

/** The fields that each forge has. */
export const forgeFields: Readonly<Record<(typeof forgeKinds)[number], readonly PullRequestField[]>> = {
  github: pullRequestFields,
  gitlab: ['labels', 'reviewers', 'assignees'],
  gitea: pullRequestFields,
  bitbucket: ['reviewers'],
  'bitbucket-data-center': ['reviewers'],
  bare: [],
};

export const defaultBranchTemplate = 'docyard/{job}';
export const defaultGitIdentity = { name: 'Docyard agent', email: 'agent@docyard.invalid' } as const;

export const deploymentActions = ['rollback', 'resume'] as const;

export const keyLifetimesDays = [7, 30, 60, 90] as const;

export const plans = ['free', 'pro', 'enterprise'] as const;

export const userStatuses = ['active', 'invited', 'disabled'] as const;

export const minPasswordCharacters = 12;

/** A test compares the manual with this table. */
export const webhookEvents = {
  'export.queued': 'An export is queued: it was started, or its worker stopped, was lost or had no storage.',
  'export.running': 'A worker has started an export.',
  'export.completed': 'The bundle of an export is ready.',
  'export.failed': 'An export failed or was canceled.',
  'agent.queued':
    'An agent job is queued: it was created or retried, received a message, or its worker stopped, was lost or had no storage.',
  'agent.running': 'A worker has started an agent job.',
  'agent.completed': 'An agent job has ended with a result.',
  'agent.failed': 'An agent job failed or was canceled.',
  'agent.pull_request_opened': 'An agent job has opened a pull request.',
  'agent.archived': 'An agent job was archived.',
  'agent.unarchived': 'An agent job was unarchived.',
} as const;
export type WebhookEvent = keyof typeof webhookEvents;

/** Sent by `testWebhook` without a subscription. */
export const testEvent = 'webhook.test';

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const;

export const forgeEventStates = ['pending', 'processed', 'ignored', 'failed'] as const;
export const forgeEventKinds = ['push', 'pull_request', 'comment', 'review', 'test', 'other'] as const;

export const automationTriggers = ['merged', 'schedule', 'failedCheck', 'feedback', 'manual'] as const;
export const automationRunStates = ['pending', 'started', 'messaged', 'skipped', 'failed'] as const;
export const pullRequestPreviewStates = [
  'pending',
  'building',
  'ready',
  'failed',
  'approval',
  'skipped',
  'removed',
] as const;
export const forkPolicies = ['approve', 'build', 'off'] as const;

export const auditFormats = ['csv', 'json'] as const;

/** What `docyard site` counts per day when analytics are on. */
export const readingMetrics = ['views', 'missing', 'searches', 'empty_searches'] as const;
export type ReadingMetric = (typeof readingMetrics)[number];

export const readerKinds = ['human', 'agent'] as const;
export type ReaderKind = (typeof readerKinds)[number];
