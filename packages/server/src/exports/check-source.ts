/**
 * Looks at a source before a project is made of it: fetched as an export fetches it, read in a process of its own, and gone
 * afterwards. What is wrong with the source is an answer and no error.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckSource, SourceCheck } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import type { Context } from '../context.ts';
import { JobFailure } from '../jobs/failure.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { Problem } from '../problem.ts';
import { borrowForLook } from '../projects/forge.ts';
import { findProject } from '../projects/find-project.ts';
import type { Reach } from '../reach.ts';
import { fetchWithin } from './fetches.ts';
import { runInProcess } from './process.ts';

const mostSeconds = 60;
const memoryMegabytes = 512;
/** Each takes a clone and a process; exports need the machine more. */
const mostAtOnce = 2;
let underWay = 0;

const nothing = { ok: false, commit: null, configFile: null, name: null, pages: 0 } as const;

type CheckContext = Pick<Context, 'config' | 'database' | 'forges' | 'secrets' | 'sources'>;

interface Look extends Omit<CheckSource, 'projectId'> {
  project: { id: string; repository: string } | undefined;
  tenant: Tenant;
  allowLocal: boolean;
  signal: AbortSignal;
}

export async function checkSource(
  context: CheckContext,
  { projectId, reach, ...given }: CheckSource & Omit<Look, 'project' | 'tenant'> & { reach: Reach },
): Promise<SourceCheck> {
  const project = projectId === undefined ? undefined : await findProject(context, { id: projectId, reach });
  const tenant = { organizationId: reach.organizationId, projectId: project?.id ?? null };
  if (underWay >= mostAtOnce) {
    throw new Problem('overloaded', 'Other sources are being looked at. Try again in a moment.', {
      headers: { 'retry-after': '5' },
    });
  }
  underWay += 1;
  const deadline = AbortSignal.timeout(mostSeconds * 1000);
  try {
    return await look(context, {
      ...given,
      project,
      tenant,
      signal: AbortSignal.any([given.signal, deadline]),
    });
  } catch (error) {
    return { ...nothing, problem: problemOf(error, deadline) };
  } finally {
    underWay -= 1;
  }
}

async function look(
  context: CheckContext,
  { source, project, tenant, credential: given, allowLocal, signal }: Look,
): Promise<SourceCheck> {
  const { config, sources } = context;
  const { repository, ref = null, directory = null } = source;
  const workFolder = await mkdtemp(join(config.dataDir, 'work', 'check-'));
  try {
    const credential = await borrowForLook(
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

/** What no author can mend is a fault of ours and stays one. */
function problemOf(error: unknown, deadline: AbortSignal): NonNullable<SourceCheck['problem']> {
  if (error instanceof SourceError) {
    return { code: error.code, message: error.message, hint: error.hint ?? null };
  }
  if (error instanceof ForgeError) {
    return { code: 'source_unavailable', message: error.message, hint: error.hint ?? null };
  }
  if (error instanceof JobFailure) {
    const { code, message, hint } = error.failure;
    return { code, message, hint };
  }
  if (!deadline.aborted) throw error;
  const message = `The source could not be fetched and read in ${mostSeconds} s.`;
  return { code: 'timeout', message, hint: 'An export may take longer: create the project and start one.' };
}
