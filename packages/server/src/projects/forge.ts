/**
 * The forge of a project's repository, opened with the project's credential by whoever is about to use it. Nothing here
 * keeps either.
 */
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
}

/** A forge that nobody named is found by its host. */
export async function openProjectForge(
  context: ForgeContext,
  { organizationId, projectId, repository }: ProjectRepository,
  signal: AbortSignal,
): Promise<Forge> {
  const tenant = { organizationId, projectId };
  const { forge } = await readAgentSettings(context, projectId);
  const { forgeCredential: credential } = await readAgentSecrets(context, projectId);
  const kind = forge?.kind ?? (await context.forges.detect(repository, signal, tenant));
  return context.forges.open({ kind, repository, apiBase: forge?.apiBase ?? null, credential, tenant });
}

/** What git needs to read or write the repository; null when the project has no credential. */
export async function borrowGitCredential(
  context: ForgeContext,
  repository: ProjectRepository,
  signal: AbortSignal,
): Promise<GitCredential | null> {
  const { forgeCredential } = await readAgentSecrets(context, repository.projectId);
  if (forgeCredential === null) return null;
  return (await openProjectForge(context, repository, signal)).gitCredential(signal);
}

/**
 * For a look at a repository before anything is set: what was given for the look, else what the project has. The latter is
 * lent only for the host that the project is on, so that nobody can have it sent to a host of their own.
 */
export async function borrowForLook(
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
 * Settings that can never work are refused when they are made, and not by the first job, which would have paid for its
 * model by then. Nothing is asked of the forge.
 */
export async function refuseUnusableForge(
  context: ForgeContext,
  { projectId, repository }: Omit<ProjectRepository, 'organizationId'>,
  changed: 'source' | 'agent.forge',
): Promise<void> {
  const { forge } = await readAgentSettings(context, projectId);
  if (forge === null) return;
  const { forgeCredential: credential } = await readAgentSecrets(context, projectId);
  // Each with a part more than the one before, so that the part is known that is wrong.
  const stages: [path: string, settings: ForgeSettings][] = [
    ['agent.forge.kind', { ...forge, repository, apiBase: null, credential: null }],
    ['agent.forge.apiBase', { ...forge, repository, credential: null }],
    ['agent.forge.credential', { ...forge, repository, credential }],
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
