/**
 * What holds for the runs of a project: its own settings before those of the installation. Secrets are read by whoever
 * is about to use them, and by nobody else.
 */
import type { Context } from '../context.ts';
import type { EgressPolicy } from '../egress/addresses.ts';
import { alsoAllowing, policyFor, type Tenant } from '../egress/rules.ts';
import { Problem } from '../problem.ts';
import { readAgentSecrets, readAgentSettings, type AgentSettings } from '../projects/agent-settings.ts';
import { defaultLimits, type Limits } from './contract.ts';
import type { ModelSettings } from './model/endpoint.ts';
import { redactor, type Redact } from './redact.ts';

export type SettingsContext = Pick<Context, 'database' | 'config' | 'secrets'>;

/** Before a run begins: something must be there to do it. Resolves with null when that is a program without a model. */
export async function requireEngine(
  context: SettingsContext,
  projectId: string,
): Promise<ModelSettings | null> {
  const model = await readModel(context, projectId);
  if (model !== null || context.config.agentCommand !== null) return model;
  throw notConfigured();
}

export async function requireModel(context: SettingsContext, projectId: string): Promise<ModelSettings> {
  const model = await readModel(context, projectId);
  if (model !== null) return model;
  throw notConfigured();
}

function notConfigured(): Problem {
  return new Problem(
    'agent_not_configured',
    'No model endpoint is set. Give the project one with PATCH /v1/projects/{projectId}, or let the operator set MODEL_URL or AGENT_COMMAND.',
  );
}

/** The endpoint with its key, or null when there is none. */
export async function readModel(context: SettingsContext, projectId: string): Promise<ModelSettings | null> {
  const { model } = await readAgentSettings(context, projectId);
  if (model === null) return context.config.model;
  const { modelKey } = await readAgentSecrets(context, projectId);
  return { ...model, key: modelKey };
}

/** `MODEL_URL` allows its own host, and only to those whose project has no endpoint of its own. */
export function modelEgress(
  { config }: Pick<Context, 'config'>,
  settings: ModelSettings,
  tenant: Tenant,
): EgressPolicy {
  const policy = policyFor(config.egress, 'model', tenant);
  return settings === config.model ? alsoAllowing(policy, settings.url) : policy;
}

/** What neither the project nor the installation may tell, to be masked. */
export async function knownSecrets(context: SettingsContext, projectId: string): Promise<string[]> {
  const { modelKey, forgeCredential } = await readAgentSecrets(context, projectId);
  const ofForge = forgeCredential?.type === 'app' ? forgeCredential.privateKey : forgeCredential?.token;
  return [ofForge, modelKey, context.config.model?.key].filter((value) => typeof value === 'string');
}

/** Masks them in what is read of a job, should one ever have come into its record. */
export async function redactorOf(context: SettingsContext, projectId: string): Promise<Redact> {
  // Secrets whose key was lost are known to nobody any more; jobs must be readable all the same.
  const known = await knownSecrets(context, projectId).catch(() => [context.config.model?.key ?? '']);
  return redactor(known);
}

export async function readRules(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<Omit<AgentSettings, 'model' | 'forge' | 'limits'> & { limits: Limits }> {
  const { model: _model, forge: _forge, limits, ...rules } = await readAgentSettings(context, projectId);
  return { limits: { ...defaultLimits, ...(limits as Partial<Limits>) }, ...rules };
}
