/**
 * An export in one call: started, followed to its end, and the link to its bundle. What only wants a part of that uses
 * the operations themselves.
 */
import type { DocyardClient } from './client.ts';
import type { Bundle, ExportJob, StartExport } from './schemas.ts';
import { waitForExport, type WaitOptions } from './wait.ts';

export interface RunExportOptions extends WaitOptions {
  /** One of your own, so that a second call with it follows the job of the first. */
  idempotencyKey?: string;
}

/** The job came to its end, but not to a bundle. */
export class ExportFailedError extends Error {
  override name = 'ExportFailedError';
  readonly job: ExportJob;

  constructor(job: ExportJob) {
    super(job.failure?.message ?? job.error ?? `The export ${job.jobId} failed.`);
    this.job = job;
  }
}

/** Rejects with an `ExportFailedError` when the job fails. A job that nobody waits for any longer goes on. */
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
