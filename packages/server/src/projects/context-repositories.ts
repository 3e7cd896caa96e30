/** Code repositories that the agents of a project read besides the documentation. */
import type { Context } from '../context.ts';
import type { GitCredential } from '../ports/forge.ts';
import { Problem } from '../problem.ts';
import { readAgentSettings } from './agent-settings.ts';
import {
  contextRepositoriesOf,
  hostOf,
  readContextCredential,
  type NewContextRepositories,
} from './context-credentials.ts';
import { borrowGitCredential } from './forge.ts';

export function refuseContextRepositories(
  { sources }: Pick<Context, 'sources'>,
  given: NewContextRepositories | undefined,
  allowLocal: boolean,
): void {
  for (const [index, { repository, ref, paths }] of contextRepositoriesOf(given ?? []).entries()) {
    const places = paths.length === 0 ? [null] : paths;
    for (const directory of places) {
      const complaint = sources.refuse({ repository, ref, directory, allowLocal });
      if (complaint === undefined) continue;
      const field = complaint.field === 'directory' ? 'paths' : complaint.field;
      const { message } = complaint;
      const details = [{ path: `agent.contextRepositories.${index}.${field}`, message }];
      throw new Problem('invalid_request', message, { details });
    }
  }
}

interface ContextOfProject {
  organizationId: string;
  projectId: string;
  docsRepository: string;
}

/**
 * The credential for git; null if there is none. The settings may have changed since a run began, so the stored
 * credential is used only for the host that it was given for.
 */
export async function borrowContextCredential(
  context: Pick<Context, 'database' | 'secrets' | 'forges'>,
  { organizationId, projectId, docsRepository }: ContextOfProject,
  { name, repository }: { name: string; repository: string },
  signal: AbortSignal,
): Promise<GitCredential | null> {
  const { contextRepositories, forge } = await readAgentSettings(context, projectId);
  const set = contextRepositories.find((one) => one.name === name);
  const isCurrent = set !== undefined && hostOf(set.repository) === hostOf(repository);
  const credential = isCurrent ? await readContextCredential(context, projectId, name) : null;
  const isOnHostOfDocs = URL.canParse(repository) && hostOf(repository) === hostOf(docsRepository);
  if (credential === null) {
    const place = { organizationId, projectId, repository };
    return isOnHostOfDocs ? borrowGitCredential(context, place, signal) : null;
  }
  const known = isOnHostOfDocs ? forge : null;
  const tenant = { organizationId, projectId };
  const kind = known?.kind ?? (await context.forges.detect(repository, signal, tenant));
  const settings = { kind, repository, apiBase: known?.apiBase ?? null, credential, tenant };
  return context.forges.open(settings).gitCredential(signal);
}
