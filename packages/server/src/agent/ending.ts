/** Maps every error to an ending, writes it to the journal and completes or fails the job. */
import { agentEndings } from '@docyard/api';
import { nowText } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import { GitError } from '../git/run.ts';
import { JobFailedError } from '../jobs/failure.ts';
import { JobStoppedError, type Outcome } from '../jobs/worker.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { Problem } from '../problem.ts';
import { ModelError, SiteCheckError, type EndReason } from './contract.ts';
import { updateRun, type RunResult } from './record.ts';
import { findStep, usageOf } from './replay.ts';
import type { AgentRun } from './agent-run.ts';

/** These endings complete the job; every other one fails it. */
const completed: ReadonlySet<EndReason> = new Set(['done', 'no_change', 'needs_input', 'partial']);

/** An ending that a phase chose; the message is for users. */
export class RunEndedError extends Error {
  override name = 'RunEndedError';
  readonly reason: EndReason;
  readonly hint: string | undefined;

  constructor(reason: EndReason, message: string, hint?: string) {
    super(message);
    this.reason = reason;
    this.hint = hint;
  }
}

/** Rethrows the error if another worker resumes the run. */
export async function endOf(run: AgentRun, error: unknown): Promise<Outcome> {
  const { signal, log } = run.input;
  const stopped =
    error instanceof JobStoppedError ? error : signal.aborted ? (signal.reason as unknown) : undefined;
  if (stopped instanceof JobStoppedError && stopped.reason === 'stopping') throw stopped;
  // The next attempt resumes from the journal.
  if (stopped === undefined && error instanceof Problem && error.code === 'storage_unavailable') throw error;
  if (stopped === undefined && isDiskFull(error)) {
    throw new JobFailedError('storage_failed', 'The disk is full.', {
      hint: 'Free some space, then retry the job.',
    });
  }
  const ended =
    stopped instanceof JobStoppedError
      ? new RunEndedError(stopped.reason === 'timeout' ? 'timeout' : 'cancelled', 'The job was stopped.')
      : asEnded(error, run);
  if (ended.reason === 'internal') log.error({ err: error }, 'agent run failed');
  return settle(run, ended.reason, ended);
}

/** Resolves with the outcome of a completed job and throws the failure of any other. */
export async function settle(run: AgentRun, reason: EndReason, ended?: RunEndedError): Promise<Outcome> {
  const { context, journal } = run;
  const pullRequest = findStep(journal.steps, 'proposed')?.pullRequest ?? null;
  if (findStep(journal.steps, 'ended') === undefined) {
    const loop = findStep(journal.steps, 'loop-ended');
    await updateRun(context, run, {
      title: loop?.title || null,
      summary: loop?.summary || null,
      usage: usageOf(journal.steps),
      result: resultOf(run),
      policy: findStep(journal.steps, 'judged')?.verdict ?? null,
      ...(pullRequest === null ? {} : { pullRequest }),
    });
    await journal.append({ kind: 'ended', reason });
  }
  await updateRun(context, run, { ending: reason, finishedAt: nowText(context) });
  run.onStep('run settled', run.job);
  const result = { prLink: pullRequest?.url ?? null };
  if (completed.has(reason)) return { result, pageCount: 0 };
  throw failureFor(reason, run.redact(ended?.message ?? agentEndings[reason]), ended?.hint, result);
}

function failureFor(
  reason: EndReason,
  message: string,
  hint: string | undefined,
  result: { prLink: string | null },
): JobFailedError {
  const more = hint === undefined ? {} : { hint };
  const code = reason === 'internal' || reason === 'timeout' ? reason : 'agent_stopped';
  const failure = new JobFailedError(code, message, more);
  failure.result = result;
  return failure;
}

const nothingFound = { newErrors: 0, newWarnings: 0, fixedFindings: 0, previewJobId: null, notes: [] };

function resultOf({ journal, change, earlier }: AgentRun): RunResult | null {
  if (change === undefined) return null;
  const { files } = change.whole;
  const size = {
    filesChanged: files.length,
    linesAdded: sum(files.map(({ addedLines }) => addedLines)),
    linesRemoved: sum(files.map(({ removedLines }) => removedLines)),
  };
  const validated = findStep(journal.steps, 'validated');
  // A run without changes is not checked, so the result of the run before it stands.
  if (validated === undefined) return { ...nothingFound, ...earlier.at(-1)?.result, ...size };
  const { findings, findingsBefore } = validated;
  const fresh = findings.filter(({ isNew }) => isNew);
  return {
    ...size,
    newErrors: fresh.filter(({ severity }) => severity === 'error').length,
    newWarnings: fresh.filter(({ severity }) => severity === 'warning').length,
    fixedFindings: Math.max(0, findingsBefore - (findings.length - fresh.length)),
    previewJobId: findStep(journal.steps, 'previewed')?.exportId ?? null,
    notes: findStep(journal.steps, 'proposed')?.notes ?? [],
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function asEnded(error: unknown, { workspace }: AgentRun): RunEndedError {
  if (error instanceof RunEndedError) return error;
  if (error instanceof SiteCheckError) return new RunEndedError('internal', error.message);
  if (error instanceof ModelError) return new RunEndedError(error.reason, error.message);
  if (error instanceof ForgeError) return new RunEndedError('forge_error', error.message, error.hint);
  if (error instanceof SourceError) return new RunEndedError('clone_failed', error.message, error.hint);
  // After the checkout, a git command without a remote fails only because of this machine.
  const isLocalFault = error instanceof GitError && error.problem === 'failed' && workspace !== undefined;
  if (error instanceof GitError && !isLocalFault) {
    if (error.problem === 'push_conflict') return new RunEndedError('push_conflict', error.message);
    return new RunEndedError('clone_failed', `The repository could not be fetched. ${error.message}`);
  }
  return new RunEndedError('internal', agentEndings.internal);
}
