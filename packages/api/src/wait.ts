/**
 * Follows a job to its end with long polling: one request in flight, answered as soon as something changes.
 */
import { pause, retryAfterSeconds, type Answer, type CallOptions, type DocyardClient } from './client.ts';
import type { AgentJob, ExportJob } from './schemas.ts';

export interface WaitOptions<Job = ExportJob> {
  /** Called with every record that differs from the one before. */
  onProgress?: (job: Job) => void;
  /** Give up after this long. Default: never. */
  timeoutSeconds?: number;
  signal?: AbortSignal;
}

/** Resolves with the final record, completed or failed; rejects only when it cannot be known. */
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

/** Resolves with the record once the job is no longer active: completed, failed or archived. */
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
  isOver: (job: Job) => boolean,
  options: WaitOptions<Job>,
): Promise<Job> {
  const signal = combinedSignal(options);
  const holdSeconds = Math.min(30, Math.floor(client.timeoutSeconds / 2));
  let etag: string | undefined;
  let seen: string | undefined;
  for (;;) {
    const asked = performance.now();
    const headers: Record<string, string> = { prefer: `wait=${holdSeconds}` };
    if (etag !== undefined) headers['if-none-match'] = etag;
    const answer = await read({ headers, ...(signal === undefined ? {} : { signal }) });
    if (answer.status !== 304) {
      etag = answer.headers.get('etag') ?? undefined;
      const record = JSON.stringify(answer.body);
      if (record !== seen) options.onProgress?.(answer.body);
      seen = record;
      if (isOver(answer.body)) return answer.body;
    }
    await pause(restSeconds(answer.headers, (performance.now() - asked) / 1000), signal);
  }
}

/**
 * How long to rest before the next request. A server that holds requests sets the pace by itself, and only a record
 * that changes all the time needs a brake; a proxy may swallow `Prefer`, and then `Retry-After` counts.
 */
function restSeconds(headers: Headers, heldSeconds: number): number {
  if (headers.has('preference-applied')) return 0.25 - heldSeconds;
  return Math.min(Math.max(retryAfterSeconds(headers) ?? 2, 0.25), 30);
}

function combinedSignal(options: Pick<WaitOptions, 'timeoutSeconds' | 'signal'>): AbortSignal | undefined {
  if (options.timeoutSeconds === undefined) return options.signal;
  const deadline = AbortSignal.timeout(options.timeoutSeconds * 1000);
  return options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
}
