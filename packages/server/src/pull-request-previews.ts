/** Exports that preview pull requests. Features do not know the pull requests of forges, so the two meet here. */
import { operation } from '@docyard/api';
import type { Context } from './context.ts';
import { compareFindings } from './exports/compare-findings.ts';
import { compareExports } from './exports/compare.ts';
import { findExport } from './exports/read.ts';
import type { ExportInput } from './exports/record.ts';
import { removeFiles } from './exports/retention.ts';
import { prepareExport, startExports } from './exports/start.ts';
import { refuseExportStart } from './http/limits.ts';
import type { Job } from './jobs/store.ts';
import { Problem } from './problem.ts';
import type { HeadSource } from './pull-requests/head-source.ts';
import type { PreviewParts, PreviewReport, StartOutcome } from './pull-requests/outcome.ts';

const retrySeconds = 60;

export const pullRequestPreviews: PreviewParts = {
  startPreview: async (context, { pull, project, source }) => {
    const organization = await context.database
      .selectFrom('organizations')
      .select(['plan', 'local_sources'])
      .where('id', '=', project.organization_id)
      .executeTakeFirstOrThrow();
    if (organization.plan !== operation('startExport').plan)
      return { failedBecause: `The plan ${organization.plan} has no exports.` };
    const actor = {
      organizationId: project.organization_id,
      projectId: project.id,
      name: 'system',
      address: null,
      requestId: null,
    };
    try {
      const request = { domain: project.domain };
      const allowLocal = organization.local_sources === 1;
      const prepared = await prepareExport(context, { request, actor, allowLocal });
      prepared.input = inputFor(prepared.input, source);
      const complaint = context.sources.refuse(prepared.input.source);
      if (complaint !== undefined) return { failedBecause: complaint.message };
      const refuse = (recent: Parameters<typeof refuseExportStart>[1]) => refuseExportStart(context, recent);
      const start = { prepared: { ...prepared, previewOf: pull.id }, actor, refuse };
      const [outcome] = await startExports(context, [start]);
      const started = outcome?.started;
      return started instanceof Problem || started === undefined ? refusalOf(started) : { jobId: started.id };
    } catch (error) {
      if (error instanceof Problem) return refusalOf(error);
      throw error;
    }
  },

  readReport: async (context, { jobId, reach, baseCommit }) => {
    const job = await findExport(context, { id: jobId, reach });
    const older = await exportOf(context, job, baseCommit);
    const given = { job, older, reach };
    const seconds = Math.round((Date.parse(job.finished_at ?? '') - Date.parse(job.started_at ?? '')) / 1000);
    const counted = { pageCount: job.page_count, seconds: Number.isNaN(seconds) ? 0 : seconds };
    try {
      const comparison = await compareExports(context, given);
      const findings = await compareFindings(context, given);
      const { from, pages, files } = comparison;
      return {
        base: { jobId: from.jobId, commit: from.commit },
        pages,
        changedFiles: files.added.length + files.changed.length + files.removed.length,
        ...counted,
        newFindings: findings.new,
        fixedFindings: findings.fixed,
        isTruncated: findings.truncated,
      };
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return { ...withoutBase, ...counted };
      throw error;
    }
  },

  removeFiles,
};

const withoutBase: Omit<PreviewReport, 'pageCount' | 'seconds'> = {
  base: null,
  pages: null,
  changedFiles: 0,
  newFindings: [],
  fixedFindings: [],
  isTruncated: false,
};

/** The commit that the forge named, and nothing that the branch may get later. */
function inputFor(input: ExportInput, { isFork, isAnonymous, ...head }: HeadSource): ExportInput {
  const source = { ...input.source, ...head };
  if (!isFork) return { ...input, source };
  const { customScripts: _customScripts, ...request } = input.request;
  return { request, source: { ...source, allowLocal: false, isAnonymous }, isUntrusted: true };
}

/** A published export of the commit that the branch is compared with at the forge. Otherwise the last published one. */
async function exportOf(
  { database }: Pick<Context, 'database'>,
  job: Job,
  commit: string | null,
): Promise<string | undefined> {
  if (commit === null) return undefined;
  const found = await database
    .selectFrom('jobs')
    .select('id')
    .where('organization_id', '=', job.organization_id)
    .where('project_id', '=', job.project_id)
    .where('kind', '=', 'export')
    .where('status', '=', 'completed')
    .where('preview_of', 'is', null)
    .where('purged_at', 'is', null)
    .where('source_commit', '=', commit)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.id;
}

/** A limit passes; other problems need a change of the project. */
function refusalOf(problem: Problem | undefined): StartOutcome {
  const isLimit = problem?.code === 'rate_limited' || problem?.code === 'queue_full';
  if (problem === undefined || !isLimit)
    return { failedBecause: problem?.message ?? 'The export could not be started.' };
  const seconds = Number(problem.headers['retry-after']);
  return { retryAfterSeconds: seconds > 0 ? seconds : retrySeconds, reason: problem.message };
}
