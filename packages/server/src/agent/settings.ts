/** Settings of a project's agent runs, which take precedence over those of the installation. */
import type { ProjectAgent, SetProjectAgent } from '@docyard/api';
import type { Context } from '../context.ts';
import type { EgressPolicy } from '../egress/addresses.ts';
import { alsoAllowing, policyFor, type Tenant } from '../egress/rules.ts';
import { Problem } from '../problem.ts';
import {
  readAgentSecrets,
  readAgentSettings,
  readSigningKey,
  type AgentSettings,
} from '../projects/agent-settings.ts';
import { defaultLimits, type Limits } from './contract.ts';
import { secretsOf, type ModelSettings } from './model/endpoint.ts';
import { redactor, type Redact } from './redact.ts';

export type SettingsContext = Pick<Context, 'database' | 'config' | 'secrets'>;

/** Resolves with null if the engine is a program without a model. */
export async function requireEngine(
  context: SettingsContext,
  projectId: string,
): Promise<ModelSettings | null> {
  const { engine } = await readAgentSettings(context, projectId);
  if (engineFor(context, engine) === 'builtin') return requireModel(context, projectId);
  if (context.config.agentCommand === null) throw new Problem('agent_not_configured', missingCommand);
  return readModel(context, projectId);
}

export function engineFor(
  { config }: Pick<Context, 'config'>,
  engine: ProjectAgent['engine'],
): NonNullable<ProjectAgent['engine']> {
  return engine ?? (config.agentCommand === null ? 'builtin' : 'external');
}

export const missingCommand =
  'The project uses an external agent, and AGENT_COMMAND is not set. Ask the operator to set it, or set `agent.engine` to `builtin`.';

/** Only the server knows its command, so other callers find out when a job starts. */
export function refuseMissingEngine({ config }: Pick<Context, 'config'>, change?: SetProjectAgent): void {
  if (change?.engine !== 'external' || config.agentCommand !== null) return;
  const message = 'AGENT_COMMAND is not set, so there is no external agent. Ask the operator to set it.';
  throw new Problem('invalid_request', message, { details: [{ path: 'agent.engine', message }] });
}

export async function requireModel(context: SettingsContext, projectId: string): Promise<ModelSettings> {
  const model = await readModel(context, projectId);
  if (model !== null) return model;
  throw notConfigured();
}

function notConfigured(): Problem {
  return new Problem(
    'agent_not_configured',
    'No model endpoint is set. Set one with PATCH /v1/projects/{projectId}, or ask the operator to set MODEL_URL or AGENT_COMMAND.',
  );
}

export async function readModel(context: SettingsContext, projectId: string): Promise<ModelSettings | null> {
  const { model } = await readAgentSettings(context, projectId);
  if (model === null) return context.config.model;
  const { modelKey, modelHeaders } = await readAgentSecrets(context, projectId);
  const { headerNames: _, ...settings } = model;
  return { ...settings, key: modelKey, headers: modelHeaders };
}

/** `MODEL_URL` allows its own host, but only for projects without an endpoint. */
export function modelEgress(
  { config }: Pick<Context, 'config'>,
  settings: ModelSettings,
  tenant: Tenant,
): EgressPolicy {
  const policy = policyFor(config.egress, 'model', tenant);
  return settings === config.model ? alsoAllowing(policy, settings.url) : policy;
}

export async function knownSecrets(context: SettingsContext, projectId: string): Promise<string[]> {
  const { modelKey, modelHeaders, forgeCredential, contextCredentials } = await readAgentSecrets(
    context,
    projectId,
  );
  const ofForges = [...(forgeCredential === null ? [] : [forgeCredential]), ...contextCredentials];
  const signingKey = await readSigningKey(context, projectId);
  return [
    ...ofForges.map((one) => (one.type === 'app' ? one.privateKey : one.token)),
    ...(signingKey === null ? [] : [signingKey]),
    ...secretsOf({ key: modelKey, headers: modelHeaders }),
    ...secretsOfInstallation(context),
  ];
}

function secretsOfInstallation({ config }: Pick<Context, 'config'>): string[] {
  return config.model === null ? [] : secretsOf(config.model);
}

export async function redactorOf(context: SettingsContext, projectId: string): Promise<Redact> {
  // Jobs stay readable if the encryption key of the secrets is lost.
  const known = await knownSecrets(context, projectId).catch(() => secretsOfInstallation(context));
  return redactor(known);
}

export async function readRules(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<Omit<AgentSettings, 'model' | 'forge' | 'limits'> & { limits: Limits }> {
  const { model: _model, forge: _forge, limits, ...rules } = await readAgentSettings(context, projectId);
  return { limits: { ...defaultLimits, ...(limits as Partial<Limits>) }, ...rules };
}
