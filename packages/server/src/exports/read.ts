/** Reads exports, their files and their events within the access scope of the caller. */
import type { ExportJob, Manifest, Report, reportTypes } from '@docyard/api';
import type { SiteReport } from '@docyard/render';
import { CompiledQuery, sql, type RawBuilder, type SqlBool } from 'kysely';
import { BatchedReads } from '../batched-reads.ts';
import type { Context } from '../context.ts';
import { readJob, wasCanceled, type Job } from '../jobs/store.ts';
import { readSortedPage, type ListPage, type PageRequest, type SortColumns } from '../paging.ts';
import { isPostgres, type Database } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { jobsWithin, type AccessScope } from '../access-scope.ts';
import { contains, matchesSearch } from '../search.ts';
import { ReportFile } from './messages.ts';
import {
  blobName,
  failedByFindings,
  inputOf,
  optionsOf,
  resultOf,
  type ExportFile,
  type ExportResult,
} from './record.ts';
import { viewExport } from './view.ts';

type ReadContext = Pick<Context, 'database'>;

interface ExportOfCaller {
  id: string;
  reach: AccessScope;
}

export async function findExport(context: ReadContext, where: ExportOfCaller): Promise<Job> {
  return existing(await readJob(context, { ...where, kind: 'export' }));
}

export type FindExport = (where: ExportOfCaller) => Promise<Job>;

/** Reads the jobs that requests ask for at the same time with one statement. */
export function batchedFindExport(context: ReadContext): FindExport {
  if (!isPostgres(context.database)) return (where) => findExport(context, where);
  const reads = new BatchedReads(exportsById(context.database));
  return async ({ id, reach: { organizationId, projectId } }) => {
    const job = await reads.read(id);
    const isVisible =
      job?.organization_id === organizationId && (projectId === null || job.project_id === projectId);
    return existing(isVisible ? job : undefined);
  };
}

function exportsById(database: Database) {
  return async (ids: readonly string[]): Promise<Map<string, Job>> => {
    const query = CompiledQuery.raw(`select * from jobs where kind = 'export' and id = any($1::text[])`, [
      ids,
    ]);
    const { rows } = await database.executeQuery<Job>(query);
    return new Map(rows.map((job) => [job.id, job]));
  };
}

function existing(job: Job | undefined): Job {
  if (job !== undefined) return job;
  throw new Problem('not_found', 'There is no such export job. List them with GET /v1/static-export/jobs.');
}

export interface ExportFilters {
  domain?: string | undefined;
  status?: string | undefined;
  since?: string | undefined;
  projectId?: string | undefined;
  canceled?: 'true' | 'false' | undefined;
  q?: string | undefined;
  sort?: string | undefined;
}

const sortColumns: SortColumns = { domain: sql`domain`, updatedAt: sql`updated_at` };

function searchedInExports(organizationId: string, word: string): RawBuilder<SqlBool>[] {
  // Not correlated with the jobs, so that the database reads the projects once.
  const ofProjects = sql<SqlBool>`project_id in (select id from projects
    where organization_id = ${organizationId} and ${contains(sql`name`, word)})`;
  const columns = ['jobs.id', 'jobs.domain', 'source_commit'];
  return [...columns.map((column) => contains(sql.ref(column), word)), ofProjects];
}

export async function listExports(
  context: ReadContext,
  input: PageRequest & ExportFilters & { reach: AccessScope },
): Promise<ListPage<ExportJob>> {
  let query = context.database
    .selectFrom('jobs')
    .selectAll()
    .where(jobsWithin(input.reach))
    .where('kind', '=', 'export');
  if (input.domain !== undefined) query = query.where('domain', '=', input.domain);
  if (input.status !== undefined) query = query.where('status', '=', input.status);
  if (input.since !== undefined) query = query.where('created_at', '>=', new Date(input.since).toISOString());
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  if (input.canceled !== undefined) query = query.where(wasCanceled(input.canceled === 'true'));
  if (input.q !== undefined) {
    const { organizationId } = input.reach;
    query = query.where(matchesSearch(input.q, (word) => searchedInExports(organizationId, word)));
  }
  return readSortedPage(input, query, viewExport, sortColumns);
}

/** The newest completed export of a domain whose files still exist. */
export async function findLatestExport(
  context: ReadContext,
  where: { domain: string; reach: AccessScope },
): Promise<Job> {
  const job = await context.database
    .selectFrom('jobs')
    .selectAll()
    .where(jobsWithin(where.reach))
    .where('kind', '=', 'export')
    .where('domain', '=', where.domain)
    .where('status', '=', 'completed')
    .where('preview_of', 'is', null)
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

/** Throws the reason when the files are not available. */
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
  const failedReport = await reportOfFailed(context, job);
  const file = failedReport ?? (await readExportFile(context, job, 'report.json'));
  return { jobId: job.id, ...ReportFile.parse(file) };
}

/** The renderer is large, so it is loaded only here. */
export async function reportAs(
  type: (typeof reportTypes)[number],
  report: Report,
  job: Pick<Job, 'domain' | 'input'>,
): Promise<string> {
  const { engineVersion, reportHtml, reportJunit, reportSarif } = await import('@docyard/render/report');
  /** The renderer wrote it with its closed set of codes; the API types codes as strings. */
  const site = report as unknown as SiteReport;
  const { strict, failOn } = optionsOf(inputOf(job).request);
  if (type === 'text/html') return reportHtml(site, job.domain);
  if (type === 'application/sarif+json') return reportSarif(site, engineVersion);
  return reportJunit(site, strict || failOn.length === 0 ? ['error', ...failOn] : failOn);
}

/** Undefined when the job did not fail because of its findings, or the report is no longer stored. */
async function reportOfFailed(context: Pick<Context, 'blobs'>, job: Job): Promise<unknown> {
  if (!failedByFindings(job)) return undefined;
  const name = blobName(job.id, job.attempt, 'report.json');
  if ((await context.blobs.stat(name)) === undefined) return undefined;
  const bytes = await context.blobs.readBytes(name);
  return JSON.parse(Buffer.from(bytes).toString());
}

export async function readManifest(context: Pick<Context, 'blobs'>, job: Job): Promise<Manifest> {
  // Manifests of older versions have no date.
  const manifest = (await readExportFile(context, job, 'manifest.json')) as Manifest;
  return { ...manifest, committedAt: manifest.committedAt ?? null };
}

async function readExportFile(context: Pick<Context, 'blobs'>, job: Job, file: ExportFile): Promise<unknown> {
  const { attempt } = finishedResult(job);
  const bytes = await context.blobs.readBytes(blobName(job.id, attempt, file));
  return JSON.parse(Buffer.from(bytes).toString());
}

/** The sum of bundle sizes, without deltas and reports. */
export async function countBundles(
  { database }: ReadContext,
  organizationId: string,
): Promise<{ count: number; bytes: number }> {
  const jobs = await database
    .selectFrom('jobs')
    .select('result')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null)
    .execute();
  const bytes = jobs.reduce((sum, job) => sum + (resultOf(job)?.bundle.sizeBytes ?? 0), 0);
  return { count: jobs.length, bytes };
}

export interface ExportEvent {
  sequence: number;
  record: ExportJob;
}

export async function readEvents(
  context: ReadContext,
  input: { job: Job; afterSequence: number; maxEvents: number },
): Promise<ExportEvent[]> {
  const rows = await context.database
    .selectFrom('job_events')
    .select(['sequence', 'row'])
    .where('job_id', '=', input.job.id)
    .where('sequence', '>', input.afterSequence)
    .orderBy('sequence')
    .limit(input.maxEvents)
    .execute();
  return rows.map(({ sequence, row }) => {
    const job = { ...(JSON.parse(row) as Omit<Job, 'input'>), input: input.job.input };
    return { sequence, record: viewExport(job) };
  });
}
