/**
 * The forge of a project's repository, opened with the project's credential by whoever is about to use it. Nothing here
 * keeps either.
 */
import type { Context } from '../context.ts';
import type { Forge, GitCredential } from '../ports/forge.ts';
import { readAgentSecrets, readAgentSettings } from './agent-settings.ts';

type ForgeContext = Pick<Context, 'database' | 'secrets' | 'forges'>;

interface ProjectRepository {
  projectId: string;
  repository: string;
}

/** A forge that nobody named is found by its host. */
export async function openProjectForge(
  context: ForgeContext,
  { projectId, repository }: ProjectRepository,
  signal: AbortSignal,
): Promise<Forge> {
  const { forge } = await readAgentSettings(context, projectId);
  const { forgeCredential: credential } = await readAgentSecrets(context, projectId);
  const kind = forge?.kind ?? (await context.forges.detect(repository, signal));
  return context.forges.open({ kind, repository, apiBase: forge?.apiBase ?? null, credential });
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
