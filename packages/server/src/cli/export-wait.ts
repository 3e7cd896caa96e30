/** Follows an export of a service to its end. The job continues when the command stops waiting. */
import type { DocyardClient, ExportJob } from '@docyard/api';
import type { Command } from 'commander';
import { annotateFailure } from './annotations.ts';
import type { ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';
import { interruptible } from './interrupt.ts';
import { Progress } from './progress.ts';
import { printable } from './terminal.ts';

export interface WaitOptions extends ServerOptions {
  timeout?: number;
  cancelOnInterrupt?: boolean;
  quiet?: boolean;
  watch?: boolean;
}

export function addWaitOptions(command: Command): Command {
  return command
    .option('--timeout <seconds>', 'stop waiting after this time; the job keeps running', secondsOf)
    .option('--cancel-on-interrupt', 'cancel the job on Ctrl-C')
    .option('-q, --quiet', 'show no progress');
}

/** Resolves with a completed job; a failed job is an error. `onFollowing` is called once Ctrl-C is handled. */
export async function follow(
  client: DocyardClient,
  jobId: string,
  options: WaitOptions,
  onFollowing: () => void = () => {},
): Promise<ExportJob> {
  const again = `docyard export wait ${jobId}`;
  const interrupted = () =>
    new CommandError(`${jobId} is still running. Follow it with ${again}`, 'interrupted');
  const progress = new Progress({ unit: 'pages', quiet: options.quiet, json: options.json || options.watch });
  const { waitForExport } = await import('@docyard/api/wait');
  try {
    const job = await interruptible(interrupted, (signal) => {
      onFollowing();
      return waitForExport(client, jobId, {
        signal: withTimeout(signal, options.timeout, () => {
          const message = `${jobId} did not finish within ${options.timeout} seconds. It is still running; follow it with ${again}`;
          return new CommandError(message, 'timed_out', { jobId });
        }),
        onProgress(seen) {
          if (options.watch) process.stdout.write(`${JSON.stringify(seen)}\n`);
          else progress.update(stepOf(seen));
        },
      });
    });
    progress.end();
    if (job.status === 'failed') await fail(client, job);
    return job;
  } catch (error) {
    progress.end();
    const isInterrupted = error instanceof CommandError && error.exit === 'interrupted';
    if (isInterrupted && options.cancelOnInterrupt) throw await canceled(client, jobId);
    throw error;
  }
}

function withTimeout(signal: AbortSignal, seconds: number | undefined, reason: () => Error): AbortSignal {
  if (seconds === undefined) return signal;
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason()), seconds * 1000).unref();
  return AbortSignal.any([signal, controller.signal]);
}

async function canceled(client: DocyardClient, jobId: string): Promise<CommandError> {
  await client.call('cancelExport', { params: { jobId } });
  return new CommandError(`${jobId} is canceled.`, 'interrupted', { jobId });
}

function stepOf({ phase, progress, pageCount, totalPages }: ExportJob) {
  return {
    phase,
    share: progress / 100,
    done: pageCount === 0 && totalPages === null ? undefined : pageCount,
    total: totalPages ?? undefined,
  };
}

async function fail(client: DocyardClient, job: ExportJob): Promise<never> {
  await annotateFailure(client, job);
  const { failure, error = 'It failed.' } = job;
  const place = [failure?.file, failure?.line].filter((part) => part != null).join(':');
  const parts = [
    `${job.jobId} failed: ${place === '' ? '' : `${place}: `}${failure?.message ?? error}`,
    failure?.hint,
    failure?.code === 'strict_failed' ? `Run docyard report ${job.jobId} to see every finding.` : undefined,
  ];
  throw new CommandError(printable(parts.filter((part) => part != null).join(' ')), 'job_failed', { job });
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new CommandError('--timeout must be a number of seconds.', 'usage');
}
