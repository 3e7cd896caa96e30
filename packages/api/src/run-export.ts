import type { DocyardClient } from './client.ts';
import type { Bundle, ExportJob, StartExport } from './schemas.ts';
import { waitForExport, type WaitOptions } from './wait.ts';

export interface RunExportOptions extends WaitOptions {
  /** A second call with the same key follows the job of the first. */
  idempotencyKey?: string;
}

export class ExportFailedError extends Error {
  override name = 'ExportFailedError';
  readonly job: ExportJob;

  constructor(job: ExportJob) {
    super(job.failure?.message ?? job.error ?? `The export ${job.jobId} failed.`);
    this.job = job;
  }
}

/**
 * Starts an export, waits for it and creates a download link. Rejects with an `ExportFailedError` when the job fails. Aborting
 * the signal does not cancel the job.
 */
export async function runExport(
  client: DocyardClient,
  request: StartExport,
  options: RunExportOptions = {},
): Promise<{ job: ExportJob; bundle: Bundle }> {
  const { idempotencyKey, signal } = options;
  const call = signal === undefined ? {} : { signal };
  const keyed = idempotencyKey === undefined ? call : { ...call, idempotencyKey };
  const { jobId } = await client.call('startExport', { body: request }, keyed);
  const job = await waitForExport(client, jobId, options);
  if (job.status === 'failed') throw new ExportFailedError(job);
  return { job, bundle: await client.call('createBundle', { params: { jobId } }, call) };
}
