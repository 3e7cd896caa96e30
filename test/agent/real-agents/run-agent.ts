/**
 * One agent job and its follow-up with a published agent in the sandbox, against a scripted model in the format of
 * the agent and a fake forge.
 */
import type { AgentJob } from '@docyard/api';
import type { Script, ScriptedCall } from '../../fakes/model-server.ts';
import type { Service } from '../../service.ts';
import { createProject, ended, setStage, type Stage } from '../harness.ts';
import type { RealAgent, Replacement } from './agents.ts';

export interface AgentResult {
  agent: string;
  package: string;
  version: string;
  format: RealAgent['format'];
  /** The agent started a session and asked the model. */
  handshake: boolean;
  edit: boolean;
  /** The agent called a Docyard tool. */
  tools: boolean;
  followUp: boolean;
  /** Both runs ended with one pull request. */
  pullRequest: boolean;
  problems: string[];
}

type Phase = 'edit' | 'follow-up';

const changes: Record<Phase, Replacement> = {
  edit: { path: 'index.mdx', old: '/guides/moring', new: '/guides/mooring' },
  'follow-up': { path: 'guides/mooring.mdx', old: 'two lines aft', new: 'three lines aft' },
};
const instructions: Record<Phase, string> = {
  edit: 'Mend the link of the first page.',
  'follow-up': 'A boat needs three lines aft.',
};
const summary = 'The page is corrected.';
/** As long as a run may take. */
const maxRunSeconds = 1800;

export async function runAgent(agent: RealAgent, folder: string): Promise<AgentResult> {
  let phase: Phase = 'edit';
  const stage = await setStage({
    script: scriptOf(agent, () => phase),
    environment: {
      AGENT_COMMAND: `${folder}/${agent.command}`,
      AGENT_ENV: agent.environment,
      MODEL_PROVIDER: agent.provider,
    },
  });
  try {
    const service = await stage.start();
    const projectId = await createProject(service, stage);
    const first = await start(service, projectId);
    phase = 'follow-up';
    const second = await goOn(service, projectId, first.id);
    return { ...identityOf(agent), ...(await outcomeOf({ stage, service, projectId, first, second })) };
  } finally {
    await stage.close();
  }
}

export function failedResult(agent: RealAgent, problem: string): AgentResult {
  const nothing = { handshake: false, edit: false, tools: false, followUp: false, pullRequest: false };
  return { ...identityOf(agent), ...nothing, problems: [problem] };
}

function identityOf({ name, package: of, version, format }: RealAgent) {
  return { agent: name, package: of, version, format };
}

/** Requests without tools are for titles and the like. */
function scriptOf(agent: RealAgent, phase: () => Phase): Script {
  return ({ messages, tools }) => {
    const validate = tools.find((name) => name.endsWith('validate'));
    const calls: ScriptedCall[] = [
      ...agent.edit(changes[phase()], tools),
      ...(validate === undefined ? (agent.validate ?? []) : [{ name: validate, input: {} }]),
    ];
    const call =
      tools.length === 0 ? undefined : calls[messages.filter(({ role }) => role === 'tool').length];
    return call === undefined ? { text: summary } : { calls: [call] };
  };
}

async function start(service: Service, projectId: string): Promise<AgentJob> {
  const body = { prompt: instructions.edit };
  const { id } = await service.client.call('createAgentJob', { params: { projectId }, body });
  return ended(service, projectId, id, maxRunSeconds);
}

async function goOn(service: Service, projectId: string, id: string): Promise<AgentJob> {
  const body = { prompt: instructions['follow-up'] };
  await service.client.call('messageAgentJob', { params: { projectId, id }, body });
  return ended(service, projectId, id, maxRunSeconds);
}

interface Ran {
  stage: Stage;
  service: Service;
  projectId: string;
  first: AgentJob;
  second: AgentJob;
}

async function outcomeOf({ stage, service, projectId, first, second }: Ran) {
  const { data } = await service.client.call('readAgentTranscript', {
    params: { projectId, id: first.id },
    query: { limit: 100 },
  });
  const branch = second.pullRequest?.branch;
  const has = ({ path, new: text }: Replacement): boolean =>
    branch !== undefined && stage.repository.git('show', `${branch}:${path}`).includes(text);
  const pulls = stage.forge.pulls.filter(({ head }) => head === branch);
  const jobs = [first, second];
  return {
    handshake: stage.model.requests.length > 0,
    edit: has(changes.edit),
    tools: JSON.stringify(data).includes('"validate"'),
    followUp: has(changes['follow-up']),
    pullRequest: jobs.every(({ status }) => status === 'completed') && pulls.length === 1,
    problems: jobs.flatMap(({ status, statusReason, error }) =>
      status === 'completed' ? [] : [`${statusReason}: ${error ?? 'no message'}`],
    ),
  };
}
