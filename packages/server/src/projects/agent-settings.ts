/**
 * The agent settings of a project. Secrets are stored separately, and a secret is deleted when its
 * destination changes.
 */
import type { ProjectAgent, SetForgeCredential, SetProjectAgent } from '@docyard/api';
import type { z } from 'zod';
import { nowText, type Context } from '../context.ts';
import type { PublicSigningKey } from '../git/signing.ts';
import {
  changeContextCredentials,
  contextRepositoriesOf,
  contextSecretName,
  readContextCredential,
  type ContextRepository,
} from './context-credentials.ts';
import { readSecret, secretsSet, writeSecret } from './secrets.ts';

type ForgeCredential = z.infer<typeof SetForgeCredential>;

/** Without secrets. */
export interface AgentSettings {
  engine: ProjectAgent['engine'];
  model: (Omit<NonNullable<ProjectAgent['model']>, 'key' | 'headers'> & { headerNames?: string[] }) | null;
  forge: Omit<NonNullable<ProjectAgent['forge']>, 'credential'> | null;
  git: Omit<ProjectAgent['git'], 'signingKey'> & { signingKey: PublicSigningKey | null };
  pullRequest: ProjectAgent['pullRequest'];
  limits: ProjectAgent['limits'];
  protectedPaths: string[];
  allowedPaths: string[];
  allowedConfigKeys: string[];
  instructions: string | null;
  contextRepositories: ContextRepository[];
  requireEvidence: boolean | null;
}

const none: AgentSettings = {
  engine: null,
  model: null,
  forge: null,
  git: { branch: null, author: null, committer: null, coAuthors: [], signingKey: null },
  pullRequest: { labels: [], reviewers: [], teams: [], assignees: [] },
  limits: {},
  protectedPaths: [],
  allowedPaths: [],
  allowedConfigKeys: [],
  instructions: null,
  contextRepositories: [],
  requireEvidence: null,
};
const settingsName = 'agent';

export async function readAgentSettings(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<AgentSettings> {
  return (await readMany(context, [projectId])).get(projectId) ?? none;
}

export async function readAgentSecrets(
  context: Pick<Context, 'database' | 'secrets'>,
  projectId: string,
): Promise<{
  modelKey: string | null;
  modelHeaders: Record<string, string>;
  forgeCredential: ForgeCredential | null;
  contextCredentials: ForgeCredential[];
}> {
  const credential = await readSecret(context, { projectId, name: 'forge.credential' });
  const headers = await readSecret(context, { projectId, name: 'model.headers' });
  return {
    modelKey: await readSecret(context, { projectId, name: 'model.key' }),
    modelHeaders: headers === null ? {} : (JSON.parse(headers) as Record<string, string>),
    forgeCredential: credential === null ? null : (JSON.parse(credential) as ForgeCredential),
    contextCredentials: await readContextCredentials(context, projectId),
  };
}

async function readContextCredentials(
  context: Pick<Context, 'database' | 'secrets'>,
  projectId: string,
): Promise<ForgeCredential[]> {
  const { contextRepositories } = await readAgentSettings(context, projectId);
  const found: ForgeCredential[] = [];
  for (const { name } of contextRepositories)
    found.push(...[(await readContextCredential(context, projectId, name)) ?? []].flat());
  return found;
}

/** The private key that signs commits. */
export async function readSigningKey(
  context: Pick<Context, 'database' | 'secrets'>,
  projectId: string,
): Promise<string | null> {
  return readSecret(context, { projectId, name: 'git.signingKey' });
}

/** As callers see them, with one entry for each project. */
export async function viewAgentSettings(
  context: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Map<string, ProjectAgent>> {
  const kept = await readMany(context, projectIds);
  const set = await secretsSet(context, projectIds);
  return new Map(
    projectIds.map((id) => {
      const { model, forge, git, contextRepositories, ...rest } = kept.get(id) ?? none;
      const isSet = (name: string) => ({ set: set.has(`${id}/${name}`) });
      const view = {
        model: model === null ? null : viewModel(model, isSet('model.key')),
        forge: forge === null ? null : { ...forge, credential: isSet('forge.credential') },
        git: { ...git, signingKey: viewSigningKey(git.signingKey) },
        ...rest,
        contextRepositories: contextRepositories.map((repository) => ({
          ...repository,
          credential: isSet(contextSecretName(repository.name)),
        })),
      };
      return [id, view];
    }),
  );
}

function viewModel(
  { headerNames = [], ...model }: NonNullable<AgentSettings['model']>,
  key: { set: boolean },
): ProjectAgent['model'] {
  const headers = Object.fromEntries(headerNames.map((name) => [name, { set: true }]));
  return { ...model, key, ...(headerNames.length === 0 ? {} : { headers }) };
}

function viewSigningKey(key: PublicSigningKey | null): ProjectAgent['git']['signingKey'] {
  return key === null ? { set: false, format: null, publicKey: null } : { set: true, ...key };
}

/**
 * Runs in the transaction of the caller, who also writes the audit entry and has inspected a new signing key,
 * because that takes time.
 */
export async function changeAgentSettings(
  context: Pick<Context, 'database' | 'clock' | 'secrets'>,
  projectId: string,
  change: SetProjectAgent,
  newSigningKey?: PublicSigningKey,
): Promise<void> {
  const old = await readAgentSettings(context, projectId);
  const next: AgentSettings = {
    engine: change.engine === undefined ? old.engine : change.engine,
    model: change.model === undefined ? old.model : modelOf(change.model, old.model),
    forge: change.forge === undefined ? old.forge : forgeOf(change.forge),
    git: gitOf(change.git, old.git, newSigningKey),
    pullRequest: pullRequestOf(change.pullRequest, old.pullRequest),
    limits: change.limits === undefined ? old.limits : definedOnly(change.limits ?? {}),
    protectedPaths: change.protectedPaths ?? old.protectedPaths,
    allowedPaths: change.allowedPaths ?? old.allowedPaths,
    allowedConfigKeys: change.allowedConfigKeys ?? old.allowedConfigKeys,
    instructions: change.instructions === undefined ? old.instructions : change.instructions,
    contextRepositories:
      change.contextRepositories === undefined
        ? old.contextRepositories
        : contextRepositoriesOf(change.contextRepositories),
    requireEvidence: change.requireEvidence === undefined ? old.requireEvidence : change.requireEvidence,
  };
  const kept = { value: JSON.stringify(next), updated_at: nowText(context) };
  await context.database
    .insertInto('project_settings')
    .values({ project_id: projectId, name: settingsName, ...kept })
    .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(kept))
    .execute();

  const { key, headers } = change.model ?? {};
  const isOtherHost = modelHost(old.model) !== modelHost(next.model);
  if (key !== undefined || isOtherHost) {
    await writeSecret(context, { projectId, name: 'model.key' }, key ?? null);
  }
  if (headers !== undefined || isOtherHost) {
    const value = next.model?.headerNames === undefined ? null : JSON.stringify(headers);
    await writeSecret(context, { projectId, name: 'model.headers' }, value);
  }
  const credential = change.forge?.credential;
  if (credential !== undefined || forgeHost(old.forge) !== forgeHost(next.forge)) {
    const value = credential === undefined || credential === null ? null : JSON.stringify(credential);
    await writeSecret(context, { projectId, name: 'forge.credential' }, value);
  }
  const { contextRepositories } = change;
  if (contextRepositories !== undefined) {
    const changed = { old: old.contextRepositories, next: contextRepositories };
    await changeContextCredentials(context, projectId, changed);
  }
  const signingKey = change.git === null ? null : change.git?.signingKey;
  if (signingKey !== undefined) await writeSecret(context, { projectId, name: 'git.signingKey' }, signingKey);
}

/** The credential must not be sent to another host than the one it was given for. */
export async function forgetForgeCredential(
  context: Pick<Context, 'database' | 'clock' | 'secrets'>,
  projectId: string,
): Promise<void> {
  await writeSecret(context, { projectId, name: 'forge.credential' }, null);
}

async function readMany(
  context: Pick<Context, 'database'>,
  projectIds: readonly string[],
): Promise<Map<string, AgentSettings>> {
  if (projectIds.length === 0) return new Map();
  const rows = await context.database
    .selectFrom('project_settings')
    .select(['project_id', 'value'])
    .where('project_id', 'in', projectIds)
    .where('name', '=', settingsName)
    .execute();
  return new Map(rows.map((row) => [row.project_id, settingsIn(row.value)]));
}

/** Settings that were stored by older versions lack fields. */
function settingsIn(value: string): AgentSettings {
  const settings = { ...none, ...(JSON.parse(value) as Partial<AgentSettings>) };
  return { ...settings, forge: settings.forge && { ...settings.forge, fork: settings.forge.fork ?? null } };
}

function modelOf(
  change: NonNullable<SetProjectAgent['model']> | null,
  old: AgentSettings['model'],
): AgentSettings['model'] {
  if (change === null) return null;
  const { key: _, headers, ...model } = change;
  const isSameHost = modelHost(old) === modelHost(model);
  const names = headers === undefined ? (isSameHost ? old?.headerNames : undefined) : namesOf(headers);
  return { ...definedOnly(model), ...(names === undefined ? {} : { headerNames: names }) };
}

function namesOf(headers: Record<string, string> | null): string[] | undefined {
  const names = Object.keys(headers ?? {});
  return names.length === 0 ? undefined : names;
}

function forgeOf(forge: NonNullable<SetProjectAgent['forge']> | null): AgentSettings['forge'] {
  return forge === null
    ? null
    : { kind: forge.kind, apiBase: forge.apiBase ?? null, fork: forge.fork ?? null };
}

/** A fork is on the host of the repository. */
function forgeHost(forge: AgentSettings['forge']): string {
  return JSON.stringify(forge && [forge.kind, forge.apiBase]);
}

function gitOf(
  change: SetProjectAgent['git'],
  old: AgentSettings['git'],
  newSigningKey: PublicSigningKey | undefined,
): AgentSettings['git'] {
  if (change === null) return none.git;
  if (change === undefined) return old;
  const kept = change.signingKey === null ? null : old.signingKey;
  return {
    branch: change.branch === undefined ? old.branch : change.branch,
    author: change.author === undefined ? old.author : change.author,
    committer: change.committer === undefined ? old.committer : change.committer,
    coAuthors: change.coAuthors ?? old.coAuthors,
    signingKey: newSigningKey ?? kept,
  };
}

function pullRequestOf(
  change: SetProjectAgent['pullRequest'],
  old: AgentSettings['pullRequest'],
): AgentSettings['pullRequest'] {
  if (change === null) return none.pullRequest;
  return {
    labels: change?.labels ?? old.labels,
    reviewers: change?.reviewers ?? old.reviewers,
    teams: change?.teams ?? old.teams,
    assignees: change?.assignees ?? old.assignees,
  };
}

function modelHost(model: { url: string } | null): string | null {
  return model === null ? null : new URL(model.url).origin;
}

function definedOnly<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Value;
}
