/** What automations need of agent jobs and exports, which this folder does not know. The wiring implements it. */
import type { AutomationDefinition } from '@docyard/api';
import type { Context } from '../context.ts';
import type { ProjectRecord } from '../projects/find-project.ts';
import type { Owners } from './code-owners.ts';

export type JobOutcome =
  | { jobId: string }
  | { retryAfterSeconds: number; reason: string }
  | { failedBecause: string };

export interface JobOrder {
  project: ProjectRecord;
  prompt: string;
  automation: Pick<AutomationDefinition, 'name' | 'draft' | 'scope'>;
  runId: string;
  reviewers: Owners;
  /** The merged code. */
  change: { repository: string; base: string; head: string } | null;
}

export interface AutomationJobs {
  /** Runs in the transaction that settles the run, like `message`. */
  start(context: Context, order: JobOrder): Promise<JobOutcome>;
  message(
    context: Context,
    given: { jobId: string; project: ProjectRecord; prompt: string },
  ): Promise<JobOutcome>;
  /** Whether a message continues the job: it works, or its pull request is open. May ask the forge. */
  isOpen(context: Context, jobId: string, signal: AbortSignal): Promise<boolean>;
  usedTokens(context: Context, jobIds: readonly string[], since: string): Promise<number>;
  readNewErrors(context: Context, exportJobId: string): Promise<{ count: number; findings: string }>;
}
