/** Waiting for a job within one call: to its end, or as long as the caller said. */
import type { WaitOptions } from '@docyard/api';
import { z } from 'zod';
import type { OngoingCall } from '../tool-protocol/serve.ts';

export const waitSeconds = z
  .int()
  .min(0)
  .max(300)
  .default(0)
  .describe(
    'Wait up to this long for the end of the job. Many clients give up on a call after 60 s. Default 0.',
  );

interface Waiting<Job> {
  job: Job;
  seconds: number;
  isOver(job: Job): boolean;
  wait(options: WaitOptions<Job>): Promise<Job>;
  tell(job: Job, changes: number): Parameters<OngoingCall['report']>[0];
}

/** The job at its end, or as it is when the time is up. */
export async function afterWaiting<Job>(
  { job, seconds, isOver, wait, tell }: Waiting<Job>,
  { signal, report }: OngoingCall,
): Promise<Job> {
  if (seconds === 0 || isOver(job)) return job;
  let latest = job;
  let changes = 0;
  const onProgress = (record: Job): void => {
    latest = record;
    report(tell(record, (changes += 1)));
  };
  try {
    return await wait({ timeoutSeconds: seconds, signal, onProgress });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return latest;
    throw error;
  }
}
