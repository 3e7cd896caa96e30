/** Reads the repository of the docs, and repositories of code with the credential of the project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import type { SourceChange, SourceFiles, SourceRequest } from '../ports/sources.ts';
import { credentialForCheck } from '../projects/forge.ts';
import type { ProjectRecord } from '../projects/find-project.ts';

interface Place {
  project: ProjectRecord;
  repository: string;
}

export async function readRepositoryFiles(
  context: Context,
  given: Place & { ref: string | null; paths: readonly string[]; maxBytes: number },
  signal: AbortSignal,
): Promise<SourceFiles> {
  const request = { ...(await requestFor(context, given, signal)), ref: given.ref };
  return inWorkFolder(context, (workFolder) =>
    context.sources.readFiles(request, given, { workFolder, signal }),
  );
}

export async function readRepositoryChange(
  context: Context,
  given: Place & { commit: string },
  signal: AbortSignal,
): Promise<SourceChange> {
  const request = { ...(await requestFor(context, given, signal)), commit: given.commit };
  return inWorkFolder(context, (workFolder) => context.sources.readChange(request, { workFolder, signal }));
}

/** The credential is used only for the host of the project. */
async function requestFor(
  context: Context,
  { project, repository }: Place,
  signal: AbortSignal,
): Promise<SourceRequest> {
  const tenant = { organizationId: project.organization_id, projectId: project.id };
  const { local_sources: localSources } = await context.database
    .selectFrom('organizations')
    .select('local_sources')
    .where('id', '=', project.organization_id)
    .executeTakeFirstOrThrow();
  const look = { repository, project, tenant, credential: undefined };
  return {
    repository,
    ref: null,
    directory: null,
    commit: null,
    // Only the project itself may name a place on this machine.
    allowLocal: localSources === 1 && repository === project.repository,
    tenant,
    credential: await credentialForCheck(context, look, signal),
  };
}

async function inWorkFolder<T>({ config }: Context, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(config.dataDir, 'work', 'automations-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
