/** Checks the external agent in `AGENT_COMMAND` with a real session in the sandbox. No real model is called. */
import { tmpdir } from 'node:os';
import type { Config } from '../config.ts';
import type { AgentTrial } from '../agent/engine/agent-trial.ts';
import type { Finding } from './doctor.ts';

export interface AgentReport {
  checks: Finding[];
  /** Null if the agent was not initialized. */
  agent: { name: string | null; version: string | null; capabilities: string[]; signIn: string[] } | null;
  /** Names of the environment variables that reach the agent. */
  variables: string[];
  /** What it can read besides the system. */
  readPaths: string[];
  modelCalls: number;
}

const maxSeconds = 120;
const standIn = { provider: 'openai' as const, name: 'docyard-doctor' };

export async function examineAgent(config: Config): Promise<AgentReport> {
  const report: AgentReport = { checks: [], agent: null, variables: [], readPaths: [], modelCalls: 0 };
  const add = (check: string, outcome: Finding['outcome'], message: string, remedy?: string) =>
    report.checks.push({ check, outcome, message, ...(remedy === undefined ? {} : { remedy }) });
  const { agentCommand: command, agentEnvironment: environment, agentReadPaths: readPaths } = config;
  if (command === null) {
    add('command', 'failed', 'AGENT_COMMAND is not set.', 'Set it to the absolute path of a program.');
    return report;
  }
  const [{ agentProgram, AgentProgramError }, { whySandboxFails }, { tryAgent }] = await Promise.all([
    import('../agent/engine/agent-program.ts'),
    import('../agent/engine/sandbox.ts'),
    import('../agent/engine/agent-trial.ts'),
  ]);
  const model = config.model ?? standIn;
  try {
    const settings = { command, environment, readPaths, dataDir: config.dataDir };
    const program = agentProgram(settings, model.name);
    report.readPaths = [...program.readOnlyPaths];
    add('command', 'ok', command.join(' '));
    const weakness = await whySandboxFails(tmpdir());
    if (weakness !== undefined) {
      add('sandbox', 'failed', weakness, 'Install bubblewrap and allow unprivileged user namespaces.');
      return report;
    }
    add('sandbox', 'ok', 'holds');
    const trial = await tryAgent({ program, model, maxSeconds });
    report.variables = trial.variables;
    report.modelCalls = trial.modelCalls;
    report.agent = trial.agent && describe(trial.agent);
    report.checks.push(...findingsOf(trial, report));
  } catch (error) {
    if (!(error instanceof AgentProgramError)) throw error;
    add('command', 'failed', error.message, 'Correct the setting and run this command again.');
  }
  return report;
}

function describe(agent: NonNullable<AgentTrial['agent']>): NonNullable<AgentReport['agent']> {
  const { agentInfo, agentCapabilities, authMethods = [] } = agent;
  return {
    name: agentInfo?.title ?? agentInfo?.name ?? null,
    version: agentInfo?.version ?? null,
    capabilities: enabledIn(agentCapabilities ?? {}),
    signIn: authMethods.map(({ id }) => id),
  };
}

/** Such as `loadSession` and `promptCapabilities.image`. */
function enabledIn(capabilities: object): string[] {
  return Object.entries(capabilities).flatMap(([name, value]: [string, unknown]) => {
    if (value === true) return [name];
    if (typeof value !== 'object' || value === null || name === '_meta') return [];
    const inner = enabledIn(value);
    return inner.length === 0 ? [] : inner.map((each) => `${name}.${each}`);
  });
}

const stageNames = {
  initialize: 'start',
  session: 'session',
  authenticate: 'sign-in',
  prompt: 'prompt',
} as const;

const remedies: Record<keyof typeof stageNames, string> = {
  initialize:
    'Check that the program speaks the Agent Client Protocol on its standard input and output (often an option such as --acp), and that AGENT_READ_PATHS has its files.',
  session: 'Check the settings of the program, and set what it misses in AGENT_ENV.',
  authenticate: 'Set the variable of its API key in AGENT_ENV; its value can be any text.',
  prompt: 'Check the variables of its model in AGENT_ENV: {modelUrl} is the address and {model} the name.',
};

function findingsOf(trial: AgentTrial, { agent }: AgentReport): Finding[] {
  const { stages, failure, ending, modelCalls, variables } = trial;
  const messages = {
    initialize: nameOf(agent),
    session: 'opened',
    authenticate: 'done with the key in its environment',
    prompt: `answered, and the turn ended as ${ending ?? 'unknown'}`,
  };
  return [
    { check: 'variables', outcome: 'ok', message: variables.join(', ') },
    ...stages.map((stage): Finding => ({
      check: stageNames[stage],
      outcome: 'ok',
      message: messages[stage],
    })),
    ...(failure === null
      ? []
      : [
          {
            check: stageNames[failure.stage],
            outcome: 'failed' as const,
            message: failure.message,
            remedy: remedies[failure.stage],
          },
        ]),
    ...(failure === null || failure.stage === 'prompt' ? [modelFinding(modelCalls)] : []),
  ];
}

function nameOf(agent: AgentReport['agent']): string {
  const name = [agent?.name, agent?.version].flatMap((part) => part ?? []).join(' ');
  const features = agent?.capabilities ?? [];
  const shown = name === '' ? 'an agent without a name' : name;
  return features.length === 0 ? shown : `${shown}; ${features.join(', ')}`;
}

function modelFinding(calls: number): Finding {
  if (calls > 0) {
    return { check: 'model', outcome: 'ok', message: `called ${calls} times through Docyard` };
  }
  const message = 'The agent did not call the model through Docyard.';
  const remedy = 'Set the variable of its model address in AGENT_ENV to {modelUrl} or {modelUrl}/v1.';
  return { check: 'model', outcome: 'note', message, remedy };
}
