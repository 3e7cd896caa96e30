/** Compares two exports by their manifests. */
import type { Comparison } from '@docyard/api';
import { diffSites } from '@docyard/bundle';
import type { Context } from '../context.ts';
import type { Job } from '../jobs/store.ts';
import { Problem } from '../problem.ts';
import type { AccessScope } from '../access-scope.ts';
import { findExport, readManifest } from './read.ts';

type CompareContext = Pick<Context, 'blobs' | 'database'>;

export async function compareExports(
  context: CompareContext,
  { job, older, reach }: { job: Job; older: string | undefined; reach: AccessScope },
): Promise<Comparison> {
  const to = await readManifest(context, job);
  const base = await findBase(context, job, { older, reach });
  const from = await readManifest(context, base);
  const found = await diffSites({ manifest: from }, { manifest: to });
  return { ...found, from: { jobId: base.id, ...found.from }, to: { jobId: job.id, ...found.to } };
}

export function findBase(
  context: Pick<Context, 'database'>,
  job: Job,
  { older, reach }: { older: string | undefined; reach: AccessScope },
): Promise<Job> {
  return older === undefined ? exportBefore(context, job) : findOlder(context, job, { id: older, reach });
}

/** A preview of a branch is compared with the last published export. */
async function exportBefore({ database }: Pick<Context, 'database'>, job: Job): Promise<Job> {
  const before = await database
    .selectFrom('jobs')
    .selectAll()
    .where('project_id', '=', job.project_id)
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('preview_of', 'is', null)
    .where('purged_at', 'is', null)
    .where('sequence', '<', job.sequence)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (before === undefined) {
    throw new Problem(
      'not_found',
      'No earlier export of this project is stored: there is none to compare with.',
    );
  }
  return before;
}

async function findOlder(
  context: Pick<Context, 'database'>,
  job: Job,
  where: { id: string; reach: AccessScope },
): Promise<Job> {
  const older = await findExport(context, where);
  if (older.project_id !== job.project_id) {
    const message = `\`with\` must name an export of the same project; ${older.id} is one of ${older.domain}.`;
    throw new Problem('invalid_request', message, { details: [{ path: 'with', message }] });
  }
  return older;
}
