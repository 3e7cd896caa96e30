/** The data that an export stores in its job row. */
import type { ExportJob, Failure, StartExport } from '@docyard/api';
import type { Job } from '../jobs/store.ts';

export interface ExportInput {
  request: StartExport;
  /** A snapshot: later changes of the project do not affect the job. */
  source: {
    repository: string;
    ref: string | null;
    directory: string | null;
    allowLocal: boolean;
    /** Fetched although the ref may have moved on. Missing for the newest commit. */
    commit?: string;
    /** Fetched without the credential of the project. */
    isAnonymous?: boolean;
  };
  /** The source belongs to a stranger: no secret, no network, no scripts, and nothing shared with other exports. */
  isUntrusted?: boolean;
  /** Missing when a caller started the export. */
  trigger?: NonNullable<ExportJob['trigger']>;
}

export interface ExportResult {
  bundle: { sizeBytes: number; sha256: string; fileCount: number };
  warnings: number;
  errors: number;
  /** The attempt that wrote the files; part of their names. */
  attempt: number;
  /** Missing in exports of older versions. */
  isolation?: NonNullable<ExportJob['isolation']>;
}

/** Bounds of the job record. */
export const maxRecentFindings = 20;
export const maxPageReasons = 20;
export const maxReasonLength = 300;

export function inputOf(job: Pick<Job, 'input'>): ExportInput {
  return JSON.parse(job.input) as ExportInput;
}

/** The request with defaults. */
export function optionsOf(request: StartExport): ExportJob['options'] {
  return {
    paths: request.paths ?? null,
    basePath: request.basePath ?? null,
    urlStyle: request.urlStyle ?? 'html',
    groups: request.audience ?? request.groups ?? [],
    airGapped: request.airGapped ?? false,
    customScripts: request.customScripts ?? 'skip',
    strict: request.strict ?? false,
    failOn: request.failOn ?? [],
  };
}

export function resultOf(job: Pick<Job, 'result'>): ExportResult | null {
  return job.result === null ? null : (JSON.parse(job.result) as ExportResult);
}

/** Changes since another job; `delta.ts` makes it on request. */
export type DeltaFile = `delta-${string}.tar.gz`;
export type ExportFile =
  | 'bundle.tar.gz'
  | DeltaFile
  | `delta-${string}.json`
  | 'manifest.json'
  | 'report.json';

/** A job that failed because of its findings has no bundle, but a report. */
export function failedByFindings(job: Pick<Job, 'status' | 'failure' | 'purged_at'>): boolean {
  if (job.status !== 'failed' || job.failure === null || job.purged_at !== null) return false;
  return (JSON.parse(job.failure) as Failure).code === 'strict_failed';
}

/** The attempt is part of the name, so that a late worker cannot replace a file. */
export function blobName(jobId: string, attempt: number, file: ExportFile): string {
  return `${jobId}/${attempt}/${file}`;
}
