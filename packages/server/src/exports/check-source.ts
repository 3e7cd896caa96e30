/**
 * Checks a source before a project is created: fetches it as an export does and reads it in the sandbox.
 * Problems of the source are part of the result, not errors.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckSource, SourceCheck } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import type { Context } from '../context.ts';
import { JobFailedError } from '../jobs/failure.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { Problem } from '../problem.ts';
import { credentialForCheck } from '../projects/forge.ts';
import { findProject } from '../projects/find-project.ts';
import type { AccessScope } from '../access-scope.ts';
import { fetchWithin } from './fetches.ts';
import { runInProcess } from './process.ts';

const maxSeconds = 60;
const memoryMegabytes = 512;
/** Each check needs a clone and a process; exports have precedence. */
const maxConcurrent = 2;
let running = 0;

const nothing = { ok: false, commit: null, configFile: null, name: null, pages: 0 } as const;

type CheckContext = Pick<Context, 'config' | 'database' | 'forges' | 'secrets' | 'sources'>;

interface SourceLookup extends Omit<CheckSource, 'projectId'> {
  project: { id: string; repository: string } | undefined;
  tenant: Tenant;
  allowLocal: boolean;
  signal: AbortSignal;
}

export async function checkSource(
  context: CheckContext,
  {
    projectId,
    reach,
    ...given
  }: CheckSource & Omit<SourceLookup, 'project' | 'tenant'> & { reach: AccessScope },
): Promise<SourceCheck> {
  const project = projectId === undefined ? undefined : await findProject(context, { id: projectId, reach });
  const tenant = { organizationId: reach.organizationId, projectId: project?.id ?? null };
  if (running >= maxConcurrent) {
    throw new Problem('overloaded', 'Too many sources are being checked. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
  running += 1;
  const deadline = AbortSignal.timeout(maxSeconds * 1000);
  try {
    return await inspect(context, {
      ...given,
      project,
      tenant,
      signal: AbortSignal.any([given.signal, deadline]),
    });
  } catch (error) {
    return { ...nothing, problem: problemOf(error, deadline) };
  } finally {
    running -= 1;
  }
}

async function inspect(
  context: CheckContext,
  { source, project, tenant, credential: given, allowLocal, signal }: SourceLookup,
): Promise<SourceCheck> {
  const { config, sources } = context;
  const { repository, ref = null, directory = null } = source;
  const workFolder = await mkdtemp(join(config.dataDir, 'work', 'check-'));
  try {
    const credential = await credentialForCheck(
      context,
      { repository, project, tenant, credential: given },
      signal,
    );
    const wanted = { repository, ref, directory, allowLocal, commit: null, credential, tenant };
    const { folder, commit } = await sources.fetch(wanted, workFolder, signal);
    const found = await runInProcess({ type: 'describe', folder }, 'described', {
      signal,
      memoryMegabytes,
      hidden: config.dataDir,
      fetch: fetchWithin(config.egress, tenant),
    });
    const { configFile, name, pages } = found;
    return { ok: true, commit, configFile, name, pages, problem: null };
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

/** Errors that an author cannot fix are rethrown. */
function problemOf(error: unknown, deadline: AbortSignal): NonNullable<SourceCheck['problem']> {
  if (error instanceof SourceError) {
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  }
  if (error instanceof ForgeError) {
    return { code: 'source_unavailable', message: error.message, hint: error.hint ?? null };
  }
  if (error instanceof JobFailedError) {
    const { code, message, hint } = error.failure;
    return { code, message, hint };
  }
  if (!deadline.aborted) throw error;
  const message = `Fetching and reading the source took longer than ${maxSeconds} seconds.`;
  return { code: 'timeout', message, hint: 'Exports have a longer limit: create the project and start one.' };
}
