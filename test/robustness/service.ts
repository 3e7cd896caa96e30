/** One case of each group as a real job: the program over HTTP, a git host, a forge, the renderer, and MODEL_URL. */
import { waitForAgentJob, type AgentJob } from '@docyard/api';
import { createProject, setStage, type Stage } from '../agent/harness.ts';
import { startModelServer } from '../fakes/model-server.ts';
import type { CaseResult, RobustnessCase } from './case.ts';
import { clumsyScript } from './clumsy/clumsy-model.ts';
import { largeSiteFiles } from './clumsy/large-site.ts';
import { clumsyTasks } from './clumsy/tasks.ts';
import { startContextServer } from './context-ladder.ts';
import { contextServers } from './context-servers.ts';
import { startDialectServer } from './dialects/dialect-case.ts';
import { correctedPage, instruction, page, siteFiles } from './dialects/dialect.ts';
import { dialects } from './dialects/table.ts';
import { longPagesInstruction, longPagesProblems, longPagesSite } from './long-pages.ts';
import { slowServers, startSlowServer } from './timeouts.ts';

interface Job {
  server: string;
  name: string;
  provider?: 'anthropic';
  files: () => Readonly<Record<string, string>>;
  instruction: string;
  start(): Promise<{ url: string; close(): Promise<void> }>;
  problems(read: (path: string) => string): string[];
}

const largeSitePages = 5000;
const maxJobSeconds = 900;

function dialectJob(server: string, quirk: string): Job {
  const dialect = dialects.find((each) => each.server === server && each.quirk === quirk);
  if (dialect === undefined) throw new Error(`There is no dialect ${server}: ${quirk}.`);
  return {
    server,
    name: `a job: ${quirk}`,
    ...(dialect.provider === 'anthropic' ? { provider: 'anthropic' } : {}),
    files: () => siteFiles,
    instruction,
    start: () => startDialectServer(dialect),
    problems: (read) => (read(page) === correctedPage.trim() ? [] : ['the page is not corrected']),
  };
}

function contextJob(server: string, thousands: number): Job {
  const found = contextServers.find(({ name }) => name === server);
  if (found === undefined) throw new Error(`There is no server ${server}.`);
  return {
    server,
    name: `a job: ${thousands}k, contextTokens not set`,
    files: () => longPagesSite,
    instruction: longPagesInstruction,
    start: () => startContextServer(found, thousands * 1024),
    problems: (read) => longPagesProblems(read, []),
  };
}

function slowJob(name: string): Job {
  const slow = slowServers.find((each) => each.name === name);
  if (slow === undefined) throw new Error(`There is no slow server that ${name}.`);
  return {
    ...dialectJob('OpenAI', 'streams calls in pieces'),
    server: 'any server',
    name: `a job: ${name}`,
    start: () => startSlowServer(slow),
  };
}

function clumsyJob(seed: number): Job {
  const [task] = clumsyTasks;
  if (task === undefined) throw new Error('There is no task.');
  return {
    server: 'clumsy model',
    name: `a job: ${task.name}, seed ${seed}`,
    files: () => largeSiteFiles(largeSitePages),
    instruction: task.instruction,
    start: () => startModelServer(clumsyScript(task, seed).script),
    problems: (read) => (read(task.path).includes(task.new) ? [] : ['the page is not corrected']),
  };
}

export const serviceCases: readonly RobustnessCase[] = [
  dialectJob('vLLM', 'repeats id and name in every piece'),
  dialectJob('llama.cpp', 'Hermes: answered whole'),
  dialectJob('Vertex AI', 'sends vertex_event and its ids'),
  contextJob('llama.cpp', 32),
  slowJob('drips for longer than any limit'),
  clumsyJob(1),
].map((job) => ({ group: 'service', server: job.server, name: job.name, run: () => runJob(job) }));

async function runJob(job: Job): Promise<CaseResult> {
  const model = await job.start();
  const stage = await setStage({
    script: [],
    files: job.files(),
    environment: { MODEL_URL: model.url, MODEL_PROVIDER: job.provider ?? 'openai' },
  });
  try {
    return resultOf(job, stage, await finishedJob(job, stage));
  } finally {
    await stage.close();
    await model.close();
  }
}

async function finishedJob({ instruction: prompt }: Job, stage: Stage): Promise<AgentJob> {
  const service = await stage.start();
  const projectId = await createProject(service, stage);
  const { id } = await service.client.call('createAgentJob', { params: { projectId }, body: { prompt } });
  return waitForAgentJob(service.client, { projectId, id }, { timeoutSeconds: maxJobSeconds });
}

function resultOf(job: Job, stage: Stage, ended: AgentJob): CaseResult {
  const { steps: turns, inputTokens, outputTokens } = ended.usage;
  const branch = ended.pullRequest?.branch;
  const problems =
    ended.statusReason === 'done' && branch !== undefined
      ? job.problems((path) => stage.repository.git('show', `${branch}:${path}`))
      : [`ended as ${ended.status}, ${ended.statusReason}: ${ended.error ?? 'without a pull request'}`];
  return { problems, turns, inputTokens, outputTokens };
}
