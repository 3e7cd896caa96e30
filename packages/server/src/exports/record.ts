/**
 * What an export keeps inside its job row: the request as it was made, and what came of it.
 */
import type { ExportJob, Failure, StartExport } from '@docyard/api';
import type { Job } from '../jobs/store.ts';

export interface ExportInput {
  request: StartExport;
  /** The source as the project had it at the start; a later change of the project does not reach a running job. */
  source: { repository: string; ref: string | null; directory: string | null; allowLocal: boolean };
}

export interface ExportResult {
  bundle: { sizeBytes: number; sha256: string; fileCount: number };
  warnings: number;
  errors: number;
  /** Which attempt wrote the files; part of their names. */
  attempt: number;
  /** What the site was rendered behind; exports of before it was kept have none. */
  isolation?: NonNullable<ExportJob['isolation']>;
}

/** A site with ten thousand findings must not make its record long. */
export const mostRecentFindings = 20;

export function inputOf(job: Pick<Job, 'input'>): ExportInput {
  return JSON.parse(job.input) as ExportInput;
}

/** The request with its defaults filled in: what is told of a job is what is rendered. */
export function optionsOf(request: StartExport): ExportJob['options'] {
  return {
    paths: request.paths ?? null,
    basePath: request.basePath ?? null,
    urlStyle: request.urlStyle ?? 'html',
    groups: request.groups ?? [],
    airGapped: request.airGapped ?? false,
    customScripts: request.customScripts ?? 'skip',
    strict: request.strict ?? false,
    failOn: request.failOn ?? [],
  };
}

export function resultOf(job: Pick<Job, 'result'>): ExportResult | null {
  return job.result === null ? null : (JSON.parse(job.result) as ExportResult);
}

/** What changed since another job; `exports/delta.ts` makes it when it is asked for. */
export type DeltaFile = `delta-${string}.tar.gz`;
export type ExportFile =
  | 'bundle.tar.gz'
  | DeltaFile
  | `delta-${string}.json`
  | 'manifest.json'
  | 'report.json';

/** A job that its findings ended has no bundle, but a report that says why. */
export function failedByFindings(job: Pick<Job, 'status' | 'failure' | 'purged_at'>): boolean {
  if (job.status !== 'failed' || job.failure === null || job.purged_at !== null) return false;
  return (JSON.parse(job.failure) as Failure).code === 'strict_failed';
}

/** The attempt is part of the name, so that a lost worker that wakes up late cannot replace a file. */
export function blobName(jobId: string, attempt: number, file: ExportFile): string {
  return `${jobId}/${attempt}/${file}`;
}
