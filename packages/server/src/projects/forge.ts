/** Opens the forge of a project's repository with its credential. */
import { forgeFields, pullRequestFields } from '@docyard/api/constants';
import type { Context } from '../context.ts';
import type { Tenant } from '../egress/rules.ts';
import {
  ForgeError,
  type Forge,
  type ForgeCredential,
  type ForgeSettings,
  type GitCredential,
} from '../ports/forge.ts';
import { Problem } from '../problem.ts';
import { readAgentSecrets, readAgentSettings } from './agent-settings.ts';

type ForgeContext = Pick<Context, 'database' | 'secrets' | 'forges'>;

interface ProjectRepository {
  organizationId: string;
  projectId: string;
  repository: string;
  /** The URL of the fork that the caller opened before; otherwise the setting of the project. */
  fork?: string | null;
}

/** Without a configured forge, the host of the repository decides. */
export async function openProjectForge(
  context: ForgeContext,
  { organizationId, projectId, repository, fork: openedFork }: ProjectRepository,
  signal: AbortSignal,
): Promise<Forge> {
  const tenant = { organizationId, projectId };
  const { forge } = await readAgentSettings(context, projectId);
  const { forgeCredential: credential } = await readAgentSecrets(context, projectId);
  const kind = forge?.kind ?? (await context.forges.detect(repository, signal, tenant));
  const { apiBase = null, fork = null } = forge ?? {};
  return context.forges.open({
    kind,
    repository,
    apiBase,
    fork: openedFork === undefined ? fork : openedFork,
    credential,
    tenant,
  });
}

/** The URL of the fork that branches are pushed to; null without one. */
export async function openProjectFork(
  context: ForgeContext,
  repository: ProjectRepository,
  signal: AbortSignal,
): Promise<string | null> {
  const { forge } = await readAgentSettings(context, repository.projectId);
  if (forge === null || forge.fork === null) return null;
  return (await openProjectForge(context, repository, signal)).openFork(signal);
}

/** The credential for git; null when the project has none. */
export async function borrowGitCredential(
  context: ForgeContext,
  repository: ProjectRepository,
  signal: AbortSignal,
): Promise<GitCredential | null> {
  const { forgeCredential } = await readAgentSecrets(context, repository.projectId);
  if (forgeCredential === null) return null;
  return (await openProjectForge(context, { ...repository, fork: null }, signal)).gitCredential(signal);
}

/**
 * The given credential, otherwise the one of the project. The latter is used only for the host of the
 * project, so that a caller cannot have it sent to another host.
 */
export async function credentialForCheck(
  context: ForgeContext,
  { repository, project, tenant, credential }: Look,
  signal: AbortSignal,
): Promise<GitCredential | null> {
  if (credential !== undefined) {
    const settings = project === undefined ? null : (await readAgentSettings(context, project.id)).forge;
    const kind = settings?.kind ?? (await context.forges.detect(repository, signal, tenant));
    const apiBase = settings?.apiBase ?? null;
    return context.forges.open({ kind, repository, apiBase, credential, tenant }).gitCredential(signal);
  }
  if (project === undefined || !isSameHost(repository, project.repository)) return null;
  return borrowGitCredential(
    context,
    { organizationId: tenant.organizationId, projectId: project.id, repository },
    signal,
  );
}

interface Look {
  repository: string;
  project: { id: string; repository: string } | undefined;
  tenant: Tenant;
  credential: ForgeCredential | undefined;
}

function isSameHost(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  return a !== null && b !== null && a.host !== '' && a.origin === b.origin;
}

/**
 * Rejects settings that can never work, without contacting the forge. The first job would detect them only
 * after paying for the model.
 */
export async function refuseUnusableForge(
  context: ForgeContext,
  { projectId, repository }: Omit<ProjectRepository, 'organizationId'>,
  changed: 'source' | 'agent.forge',
): Promise<void> {
  const { forge } = await readAgentSettings(context, projectId);
  if (forge === null) return;
  const { forgeCredential: credential } = await readAgentSecrets(context, projectId);
  // Each stage adds one part, so that the failing stage names the wrong part.
  const stages: [path: string, settings: ForgeSettings][] = [
    ['agent.forge.kind', { ...forge, repository, apiBase: null, fork: null, credential: null }],
    ['agent.forge.apiBase', { ...forge, repository, fork: null, credential: null }],
    ['agent.forge.credential', { ...forge, repository, fork: null, credential }],
    ['agent.forge.fork', { ...forge, repository, credential }],
  ];
  for (const [path, settings] of stages) {
    try {
      context.forges.open(settings);
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      const message = [`The forge cannot be used as ${forge.kind}.`, error.message, error.hint ?? ''];
      const sentence = message.join(' ').trim();
      const details = [{ path: changed === 'source' ? 'source.repository' : path, message: sentence }];
      throw new Problem('invalid_request', sentence, { details });
    }
  }
}

/** Without a configured forge, a job reports what its forge does not have. */
export async function refuseMissingForgeFields(
  context: Pick<Context, 'database'>,
  projectId: string,
): Promise<void> {
  const { forge, pullRequest } = await readAgentSettings(context, projectId);
  if (forge === null) return;
  const missing = pullRequestFields.find(
    (field) => pullRequest[field].length > 0 && !forgeFields[forge.kind].includes(field),
  );
  if (missing === undefined) return;
  const path = `agent.pullRequest.${missing}`;
  const message = `Pull requests of ${forge.kind} have no ${missing}. Remove them from ${path}.`;
  throw new Problem('invalid_request', message, { details: [{ path, message }] });
}
