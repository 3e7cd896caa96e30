/** Waits for jobs with long polling. */
import { pause, retryAfterSeconds, type Answer, type CallOptions, type DocyardClient } from './client.ts';
import type { AgentJob, ExportJob } from './schemas.ts';

export interface WaitOptions<Job = ExportJob> {
  /** Called when the record changes. */
  onProgress?: (job: Job) => void;
  /** Default: no timeout. */
  timeoutSeconds?: number;
  signal?: AbortSignal;
}

/** Resolves with the final record, also when the job failed. */
export async function waitForExport(
  client: DocyardClient,
  jobId: string,
  options: WaitOptions = {},
): Promise<ExportJob> {
  return waitUntil(
    client,
    (call) => client.answer('readExport', { params: { jobId } }, call),
    ({ status }) => status === 'completed' || status === 'failed',
    options,
  );
}

/** Resolves with the record when the job is no longer active: completed, failed or archived. */
export async function waitForAgentJob(
  client: DocyardClient,
  job: { projectId: string; id: string },
  options: WaitOptions<AgentJob> = {},
): Promise<AgentJob> {
  const params = { projectId: job.projectId, id: job.id };
  return waitUntil(
    client,
    (call) => client.answer('readAgentJob', { params }, call),
    ({ status }) => status !== 'active',
    options,
  );
}

async function waitUntil<Job>(
  client: DocyardClient,
  read: (call: CallOptions) => Promise<Answer<Job>>,
  isFinished: (job: Job) => boolean,
  options: WaitOptions<Job>,
): Promise<Job> {
  const signal = combinedSignal(options);
  const holdSeconds = Math.min(30, Math.floor(client.timeoutSeconds / 2));
  let etag: string | undefined;
  let seen: string | undefined;
  for (;;) {
    const startedAt = performance.now();
    const headers: Record<string, string> = { prefer: `wait=${holdSeconds}` };
    if (etag !== undefined) headers['if-none-match'] = etag;
    const answer = await read({ headers, ...(signal === undefined ? {} : { signal }) });
    if (answer.status !== 304) {
      etag = answer.headers.get('etag') ?? undefined;
      const record = JSON.stringify(answer.body);
      if (record !== seen) options.onProgress?.(answer.body);
      seen = record;
      if (isFinished(answer.body)) return answer.body;
    }
    await pause(pauseSeconds(answer.headers, (performance.now() - startedAt) / 1000), signal);
  }
}

/** A server that applies `Prefer` sets the pace. A proxy may remove the header; then `Retry-After` counts. */
function pauseSeconds(headers: Headers, heldSeconds: number): number {
  if (headers.has('preference-applied')) return 0.25 - heldSeconds;
  return Math.min(Math.max(retryAfterSeconds(headers) ?? 2, 0.25), 30);
}

function combinedSignal(options: Pick<WaitOptions, 'timeoutSeconds' | 'signal'>): AbortSignal | undefined {
  if (options.timeoutSeconds === undefined) return options.signal;
  const deadline = AbortSignal.timeout(options.timeoutSeconds * 1000);
  return options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
}
