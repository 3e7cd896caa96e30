/** Tools for agent jobs: give an instruction, follow it, read what it changed, answer it, stop it. */
import { agentStatuses, CreateAgentJob, MessageAgentJob, waitForAgentJob, type AgentJob } from '@docyard/api';
import { z } from 'zod';
import type { OngoingCall } from '../tool-protocol/serve.ts';
import { projectFor } from './project.ts';
import { nextCursor, part, tool, type Desk } from './tool.ts';
import { afterWaiting, waitSeconds } from './waiting.ts';

const projectId = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Default: the project that this server was started for, or the only one.');
const id = z.string().min(1).max(64).describe('Such as aj_9f3c2b1a8e7d4a06.');

/** A patch is for reading; whoever wants all of a large one looks at the pull request. */
const mostPatchCharacters = 30_000;

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
  input: z.strictObject({ projectId, status: z.enum(agentStatuses).optional(), ...part }),
  output: z.object({ jobs: z.array(Job), nextCursor }),
  async run({ projectId: named, ...query }, desk, { signal }) {
    const params = { projectId: named ?? (await projectFor(desk, signal)).id };
    const found = await desk.client.call('listAgentJobs', { params, query }, { signal });
    return { record: { jobs: found.data, nextCursor: found.nextCursor } };
  },
});

const createAgentJob = tool({
  name: 'create_agent_job',
  title: 'Create an agent job',
  description:
    'Lets the agent of the service change the documentation: it edits a branch, checks the site and opens a pull request. Say in the prompt what shall be different, and why. `dryRun` does everything but push.',
  effect: 'adds',
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
  async run({ projectId: named, waitSeconds: seconds, ...body }, desk, ongoing) {
    const { signal } = ongoing;
    const project = named ?? (await projectFor(desk, signal)).id;
    const job = await desk.client.call(
      'createAgentJob',
      { params: { projectId: project }, body },
      { signal },
    );
    return tellJob(await follow(job, { seconds, project }, desk, ongoing));
  },
});

const getAgentJob = tool({
  name: 'get_agent_job',
  title: 'Get an agent job',
  description: 'Tells how an agent job stands and what came of it, or waits until it is no longer active.',
  effect: 'reads',
  input: z.strictObject({ projectId, id, waitSeconds }),
  output: Job,
  async run({ projectId: named, id: wanted, waitSeconds: seconds }, desk, ongoing) {
    const { signal } = ongoing;
    const project = named ?? (await projectFor(desk, signal)).id;
    const params = { projectId: project, id: wanted };
    const job = await desk.client.call('readAgentJob', { params }, { signal });
    return tellJob(await follow(job, { seconds, project }, desk, ongoing));
  },
});

const getAgentDiff = tool({
  name: 'get_agent_diff',
  title: 'Get the change of an agent job',
  description: 'Shows what an agent job changed, as a patch. Empty as long as there is no change.',
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
    cut: z.boolean().describe('True when the patch is longer than what is shown.'),
  }),
  async run({ projectId: named, id: wanted }, desk, { signal }) {
    const params = { projectId: named ?? (await projectFor(desk, signal)).id, id: wanted };
    const { files, patch } = await desk.client.call('readAgentDiff', { params }, { signal });
    const shown = patch.slice(0, mostPatchCharacters);
    return { record: { files, patch: shown, cut: shown.length < patch.length } };
  },
});

const messageAgentJob = tool({
  name: 'message_agent_job',
  title: 'Send a message to an agent job',
  description:
    'Tells an agent job something: the answer to its question, or what shall be different. A job that has ended goes on, on the same branch and pull request.',
  effect: 'adds',
  openWorld: true,
  input: MessageAgentJob.extend({ projectId, id, waitSeconds }),
  output: Job,
  async run({ projectId: named, id: wanted, waitSeconds: seconds, prompt }, desk, ongoing) {
    const { signal } = ongoing;
    const project = named ?? (await projectFor(desk, signal)).id;
    const params = { projectId: project, id: wanted };
    const job = await desk.client.call('messageAgentJob', { params, body: { prompt } }, { signal });
    return tellJob(await follow(job, { seconds, project }, desk, ongoing));
  },
});

const cancelAgentJob = tool({
  name: 'cancel_agent_job',
  title: 'Cancel an agent job',
  description: 'Stops an agent job that is active. A pull request that is open stays.',
  effect: 'ends',
  input: z.strictObject({ projectId, id }),
  output: Job,
  async run({ projectId: named, id: wanted }, desk, { signal }) {
    const params = { projectId: named ?? (await projectFor(desk, signal)).id, id: wanted };
    return tellJob(await desk.client.call('cancelAgentJob', { params }, { signal }));
  },
});

function follow(
  job: AgentJob,
  { seconds, project }: { seconds: number; project: string },
  { client }: Desk,
  ongoing: OngoingCall,
): Promise<AgentJob> {
  return afterWaiting(
    {
      job,
      seconds,
      isOver: ({ status }) => status !== 'active',
      wait: (options) => waitForAgentJob(client, { projectId: project, id: job.id }, options),
      // Nobody knows how long it takes, so what grows is the number of changes.
      tell: ({ phase, usage }, changes) => ({ done: changes, message: `${phase}, ${usage.steps} steps` }),
    },
    ongoing,
  );
}

function tellJob(job: AgentJob) {
  return { record: job, next: nextFor(job) };
}

function nextFor({ status, statusReason, prLink }: AgentJob): string | undefined {
  if (status === 'active') return 'It is still at work. Ask again with get_agent_job and waitSeconds.';
  if (statusReason === 'needs_input')
    return 'The summary holds a question. Answer it with message_agent_job, or ask the user.';
  if (prLink !== null) return 'The pull request waits for a review. get_agent_diff shows the change.';
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
