/**
 * Reads exports: one, many, their files and their events. Every query names the organization.
 */
import type { ExportJob, Manifest, Report } from '@docyard/api';
import type { Context } from '../context.ts';
import { readJob, type Job } from '../jobs/store.ts';
import { readPage, type PageRequest } from '../paging.ts';
import { Problem } from '../problem.ts';
import { ReportFile } from './messages.ts';
import { blobName, resultOf, type ExportFile, type ExportResult } from './record.ts';
import { viewExport } from './view.ts';

type ReadContext = Pick<Context, 'database'>;

export async function findExport(
  context: ReadContext,
  where: { id: string; organizationId: string },
): Promise<Job> {
  const job = await readJob(context, { ...where, kind: 'export' });
  if (job === undefined) {
    throw new Problem('not_found', 'There is no such export job. List them with GET /v1/static-export/jobs.');
  }
  return job;
}

export async function listExports(
  context: ReadContext,
  input: PageRequest & {
    organizationId: string;
    domain?: string | undefined;
    status?: string | undefined;
    since?: string | undefined;
  },
): Promise<{ data: ExportJob[]; nextCursor: string | null }> {
  let query = context.database
    .selectFrom('jobs')
    .selectAll()
    .where('organization_id', '=', input.organizationId)
    .where('kind', '=', 'export');
  if (input.domain !== undefined) query = query.where('domain', '=', input.domain);
  if (input.status !== undefined) query = query.where('status', '=', input.status);
  if (input.since !== undefined) query = query.where('created_at', '>=', new Date(input.since).toISOString());
  return readPage(input, query, viewExport);
}

/** The newest completed export of a domain whose files are still here. */
export async function findLatestExport(
  context: ReadContext,
  where: { domain: string; organizationId: string },
): Promise<Job> {
  const job = await context.database
    .selectFrom('jobs')
    .selectAll()
    .where('organization_id', '=', where.organizationId)
    .where('kind', '=', 'export')
    .where('domain', '=', where.domain)
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (job === undefined) {
    throw new Problem(
      'not_found',
      'No export of this domain has completed yet. Start one with POST /v1/static-export/jobs.',
    );
  }
  return job;
}

/** The result of a job whose files can be had, or the reason why not. */
export function finishedResult(job: Job): ExportResult {
  if (job.purged_at !== null) {
    throw new Problem(
      'bundle_purged',
      `The files of this export were removed on ${job.purged_at}. Start a new export of the domain.`,
    );
  }
  if (job.status === 'failed') {
    throw new Problem(
      'job_failed',
      `The job failed and has no files. See its \`failure\`, then POST /v1/static-export/jobs/${job.id}/retry.`,
    );
  }
  const result = resultOf(job);
  if (job.status !== 'completed' || result === null) {
    throw new Problem(
      'job_not_completed',
      `The job is ${job.status}. Poll GET /v1/static-export/jobs/${job.id} until it is completed.`,
      { headers: { 'retry-after': '2' } },
    );
  }
  return result;
}

export async function readReport(context: Pick<Context, 'blobs'>, job: Job): Promise<Report> {
  return { jobId: job.id, ...ReportFile.parse(await readExportFile(context, job, 'report.json')) };
}

export async function readManifest(context: Pick<Context, 'blobs'>, job: Job): Promise<Manifest> {
  return (await readExportFile(context, job, 'manifest.json')) as Manifest;
}

async function readExportFile(context: Pick<Context, 'blobs'>, job: Job, file: ExportFile): Promise<unknown> {
  const { attempt } = finishedResult(job);
  const bytes = await context.blobs.readBytes(blobName(job.id, attempt, file));
  return JSON.parse(Buffer.from(bytes).toString());
}

export interface ExportEvent {
  sequence: number;
  record: ExportJob;
}

export async function readEvents(
  context: ReadContext,
  input: { job: Job; afterSequence: number; most: number },
): Promise<ExportEvent[]> {
  const rows = await context.database
    .selectFrom('job_events')
    .select(['sequence', 'row'])
    .where('job_id', '=', input.job.id)
    .where('sequence', '>', input.afterSequence)
    .orderBy('sequence')
    .limit(input.most)
    .execute();
  return rows.map(({ sequence, row }) => {
    const job = { ...(JSON.parse(row) as Omit<Job, 'input'>), input: input.job.input };
    return { sequence, record: viewExport(job) };
  });
}
