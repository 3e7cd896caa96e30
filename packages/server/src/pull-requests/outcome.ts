/** What a preview came to, without the features that find it out. */
import type { Comparison, Diagnostic, Failure } from '@docyard/api';
import type { Context } from '../context.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import type { HeadSource } from './head-source.ts';
import type { PullRequestRecord } from './records.ts';

export interface PreviewReport {
  /** Null without a published export to compare with. */
  base: { jobId: string; commit: string | null } | null;
  pages: Comparison['pages'] | null;
  /** Files that are not pages. */
  changedFiles: number;
  pageCount: number;
  seconds: number;
  newFindings: readonly Diagnostic[];
  fixedFindings: readonly Diagnostic[];
  /** Whether some findings were not compared. */
  isTruncated: boolean;
}

export type PreviewOutcome =
  | { kind: 'running' }
  | { kind: 'ready'; report: PreviewReport }
  | { kind: 'failed'; failure: Failure; canRetry: boolean };

export type StartOutcome =
  | { jobId: string }
  | { retryAfterSeconds: number; reason: string }
  | { failedBecause: string };

export interface Work {
  context: Context;
  parts: PreviewParts;
  /** The claimed row. */
  pull: PullRequestRecord;
  signal: AbortSignal;
}

/** What the wiring does with exports. */
export interface PreviewParts {
  /** Runs in the transaction that records the job. */
  startPreview(
    context: Context,
    wanted: { pull: PullRequestRecord; project: ProjectRecord; source: HeadSource },
  ): Promise<StartOutcome>;
  /** Compares a completed export with the published one. */
  readReport(
    context: Context,
    given: { jobId: string; reach: { organizationId: string; projectId: string }; baseCommit: string | null },
  ): Promise<PreviewReport>;
  removeFiles(context: Context, jobIds: readonly string[]): Promise<void>;
  /** Called after each step; tests interrupt here. */
  onStep?(step: string, pull: PullRequestRecord): void;
}
