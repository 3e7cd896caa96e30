import type { WaitOptions } from '@docyard/api';
import { z } from 'zod';
import type { OngoingCall } from '../tool-protocol/serve.ts';

export const waitSeconds = z
  .int()
  .min(0)
  .max(300)
  .default(0)
  .describe('Wait up to this long for the job to end. Many clients time out after 60 s. Default 0.');

interface JobWait<Job> {
  job: Job;
  seconds: number;
  isFinished(job: Job): boolean;
  wait(options: WaitOptions<Job>): Promise<Job>;
  progressOf(job: Job, changes: number): Parameters<OngoingCall['report']>[0];
}

export async function waitForJob<Job>(
  { job, seconds, isFinished, wait, progressOf }: JobWait<Job>,
  { signal, report }: OngoingCall,
): Promise<Job> {
  if (seconds === 0 || isFinished(job)) return job;
  let latest = job;
  let changes = 0;
  const onProgress = (record: Job): void => {
    latest = record;
    report(progressOf(record, (changes += 1)));
  };
  try {
    return await wait({ timeoutSeconds: seconds, signal, onProgress });
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return latest;
    throw error;
  }
}
