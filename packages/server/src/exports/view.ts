/** Converts a job row to an ExportJob. */
import type { ExportJob, Failure } from '@docyard/api';
import { canceledByOf, type Job } from '../jobs/store.ts';
import { inputOf, optionsOf, resultOf } from './record.ts';

export function viewExport(job: Job): ExportJob {
  const { request, source, trigger = null } = inputOf(job);
  const result = resultOf(job);
  const failure = job.failure === null ? null : (JSON.parse(job.failure) as Failure);
  return {
    jobId: job.id,
    status: job.status as ExportJob['status'],
    progress: Math.round(job.progress * 10) / 10,
    pageCount: job.page_count,
    createdAt: job.created_at,
    updatedAt: job.updated_at,
    ...(failure === null ? {} : { error: failure.message }),
    totalPages: job.total_pages,
    phase: job.phase as ExportJob['phase'],
    startedAt: job.started_at,
    finishedAt: job.finished_at,
    attempt: job.attempt,
    failure,
    canceledBy: canceledByOf(job),
    domain: job.domain,
    projectId: job.project_id,
    version: request.version ?? null,
    source: {
      repository: source.repository,
      ref: source.ref,
      directory: source.directory,
      commit: job.source_commit,
    },
    options: optionsOf(request),
    metadata: request.metadata ?? {},
    warnings: result?.warnings ?? 0,
    // Events of older versions lack the column.
    recentFindings: JSON.parse(job.recent_findings ?? '[]') as ExportJob['recentFindings'],
    bundle: result?.bundle ?? null,
    isolation: result?.isolation ?? null,
    purgedAt: job.purged_at,
    retryOf: job.retry_of,
    trigger,
  };
}
