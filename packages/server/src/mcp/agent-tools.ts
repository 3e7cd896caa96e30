import { agentStatuses, CreateAgentJob, MessageAgentJob, waitForAgentJob, type AgentJob } from '@docyard/api';
import { z } from 'zod';
import type { OngoingCall } from '../tool-protocol/serve.ts';
import { projectFor } from './default-project.ts';
import { nextCursor, pageInputs, tool, type ToolEnvironment } from './tool.ts';
import { waitForJob, waitSeconds } from './wait-for-job.ts';

const projectId = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Default: the project that this server was started for, or the only one.');
const id = z.string().min(1).max(64).describe('Such as aj_9f3c2b1a8e7d4a06.');

/** A larger patch is better read in the pull request. */
const maxPatchCharacters = 30_000;

const Job = z.object({
  id: z.string(),
  status: z.string().describe('active, completed, failed or archived'),
  phase: z.string(),
  statusReason: z.string().nullable().describe('Why the last run ended, such as done or needs_input.'),
  title: z.string(),
  prLink: z.string().nullable(),
  error: z.string().nullable(),
  result: z
    .object({
      summary: z.string().nullable(),
      filesChanged: z.number(),
      linesAdded: z.number(),
      linesRemoved: z.number(),
      newErrors: z.number(),
      newWarnings: z.number(),
      fixedFindings: z.number(),
      previewJobId: z.string().nullable().describe('The export of the branch, for get_bundle_link.'),
    })
    .nullable(),
  runs: z.number(),
  dryRun: z.boolean(),
  createdAt: z.string(),
  finishedAt: z.string().nullable(),
});

const listAgentJobs = tool({
  name: 'list_agent_jobs',
  title: 'List agent jobs',
  description: 'Lists the agent jobs of a project, newest first.',
  effect: 'reads',
  input: z.strictObject({ projectId, status: z.enum(agentStatuses).optional(), ...pageInputs }),
  output: z.object({ jobs: z.array(Job), nextCursor }),
  async run({ projectId: givenProjectId, ...query }, environment, { signal }) {
    const params = { projectId: givenProjectId ?? (await projectFor(environment, signal)).id };
    const found = await environment.client.call('listAgentJobs', { params, query }, { signal });
    return { record: { jobs: found.data, nextCursor: found.nextCursor } };
  },
});

const createAgentJob = tool({
  name: 'create_agent_job',
  title: 'Create an agent job',
  description:
    'Starts an agent that changes the documentation: it edits a branch, checks the site and opens a pull request. State in the prompt what to change and why. `dryRun` does everything except push.',
  effect: 'creates',
  openWorld: true,
  input: CreateAgentJob.pick({
    prompt: true,
    model: true,
    draft: true,
    scope: true,
    dryRun: true,
    source: true,
  }).extend({ projectId, waitSeconds }),
  output: Job,
  async run({ projectId: givenProjectId, waitSeconds: seconds, ...body }, environment, ongoing) {
    const { signal } = ongoing;
    const project = givenProjectId ?? (await projectFor(environment, signal)).id;
    const job = await environment.client.call(
      'createAgentJob',
      { params: { projectId: project }, body },
      { signal },
    );
    return outcomeOf(await follow(job, { seconds, project }, environment, ongoing));
  },
});

const getAgentJob = tool({
  name: 'get_agent_job',
  title: 'Get an agent job',
  description: 'Shows the status and result of an agent job, or waits until it is no longer active.',
  effect: 'reads',
  input: z.strictObject({ projectId, id, waitSeconds }),
  output: Job,
  async run({ projectId: givenProjectId, id: jobId, waitSeconds: seconds }, environment, ongoing) {
    const { signal } = ongoing;
    const project = givenProjectId ?? (await projectFor(environment, signal)).id;
    const params = { projectId: project, id: jobId };
    const job = await environment.client.call('readAgentJob', { params }, { signal });
    return outcomeOf(await follow(job, { seconds, project }, environment, ongoing));
  },
});

const getAgentDiff = tool({
  name: 'get_agent_diff',
  title: 'Get the change of an agent job',
  description: 'Shows the changes of an agent job as a patch. Empty until there is a change.',
  effect: 'reads',
  input: z.strictObject({ projectId, id }),
  output: z.object({
    files: z.array(
      z.object({
        path: z.string(),
        status: z.string(),
        addedLines: z.number(),
        removedLines: z.number(),
      }),
    ),
    patch: z.string(),
    cut: z.boolean().describe('True if the patch is truncated.'),
  }),
  async run({ projectId: givenProjectId, id: jobId }, environment, { signal }) {
    const params = { projectId: givenProjectId ?? (await projectFor(environment, signal)).id, id: jobId };
    const { files, patch } = await environment.client.call('readAgentDiff', { params }, { signal });
    const shown = patch.slice(0, maxPatchCharacters);
    return { record: { files, patch: shown, cut: shown.length < patch.length } };
  },
});

const messageAgentJob = tool({
  name: 'message_agent_job',
  title: 'Send a message to an agent job',
  description:
    'Sends a message to an agent job: an answer to its question or a further instruction. A finished job resumes on the same branch and pull request.',
  effect: 'creates',
  openWorld: true,
  input: MessageAgentJob.extend({ projectId, id, waitSeconds }),
  output: Job,
  async run({ projectId: givenProjectId, id: jobId, waitSeconds: seconds, prompt }, environment, ongoing) {
    const { signal } = ongoing;
    const project = givenProjectId ?? (await projectFor(environment, signal)).id;
    const params = { projectId: project, id: jobId };
    const job = await environment.client.call('messageAgentJob', { params, body: { prompt } }, { signal });
    return outcomeOf(await follow(job, { seconds, project }, environment, ongoing));
  },
});

const cancelAgentJob = tool({
  name: 'cancel_agent_job',
  title: 'Cancel an agent job',
  description: 'Stops an active agent job. An open pull request stays.',
  effect: 'cancels',
  input: z.strictObject({ projectId, id }),
  output: Job,
  async run({ projectId: givenProjectId, id: jobId }, environment, { signal }) {
    const params = { projectId: givenProjectId ?? (await projectFor(environment, signal)).id, id: jobId };
    return outcomeOf(await environment.client.call('cancelAgentJob', { params }, { signal }));
  },
});

function follow(
  job: AgentJob,
  { seconds, project }: { seconds: number; project: string },
  { client }: ToolEnvironment,
  ongoing: OngoingCall,
): Promise<AgentJob> {
  return waitForJob(
    {
      job,
      seconds,
      isFinished: ({ status }) => status !== 'active',
      wait: (options) => waitForAgentJob(client, { projectId: project, id: job.id }, options),
      // The duration is unknown, so progress counts changes.
      progressOf: ({ phase, usage }, changes) => ({
        done: changes,
        message: `${phase}, ${usage.steps} steps`,
      }),
    },
    ongoing,
  );
}

function outcomeOf(job: AgentJob) {
  return { record: job, next: nextFor(job) };
}

function nextFor({ status, statusReason, prLink }: AgentJob): string | undefined {
  if (status === 'active') return 'The job is still running. Call get_agent_job with waitSeconds.';
  if (statusReason === 'needs_input')
    return 'The summary contains a question. Answer it with message_agent_job, or ask the user.';
  if (prLink !== null) return 'The pull request is ready for review. get_agent_diff shows the change.';
  return undefined;
}

export const agentTools = [
  listAgentJobs,
  createAgentJob,
  getAgentJob,
  getAgentDiff,
  messageAgentJob,
  cancelAgentJob,
];
