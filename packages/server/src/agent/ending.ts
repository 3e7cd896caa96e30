/**
 * How a run ends: every error has a reason from the closed list, the reason is written into the journal, and the job ends
 * as completed or failed by it. A run that goes on elsewhere is not ended.
 */
import { agentEndings } from '@docyard/api';
import { nowText } from '../context.ts';
import { isDiskFull } from '@docyard/site/disk';
import { GitError } from '../git/run.ts';
import { JobFailure } from '../jobs/failure.ts';
import { Stopped, type Outcome } from '../jobs/worker.ts';
import { ForgeError } from '../ports/forge.ts';
import { SourceError } from '../ports/sources.ts';
import { Problem } from '../problem.ts';
import { ModelFailure, SiteCheckFailed, type EndReason } from './contract.ts';
import { noteRun, type RunResult } from './record.ts';
import { findStep, usageOf } from './replay.ts';
import type { AgentRun } from './running.ts';

/** These are results; every other reason is a failure. */
const completed: ReadonlySet<EndReason> = new Set(['done', 'no_change', 'needs_input', 'partial']);

/** An ending that a phase decided on, with a sentence for people. */
export class RunEnded extends Error {
  override name = 'RunEnded';
  readonly reason: EndReason;
  readonly hint: string | undefined;

  constructor(reason: EndReason, message: string, hint?: string) {
    super(message);
    this.reason = reason;
    this.hint = hint;
  }
}

/** What became of an error. Throws it on when the run is not over, because another worker goes on with it. */
export async function endOf(run: AgentRun, error: unknown): Promise<Outcome> {
  const { signal, log } = run.input;
  const stopped = error instanceof Stopped ? error : signal.aborted ? (signal.reason as unknown) : undefined;
  if (stopped instanceof Stopped && stopped.reason === 'stopping') throw stopped;
  // The journal holds what was done; the next attempt goes on from there.
  if (stopped === undefined && error instanceof Problem && error.code === 'storage_unavailable') throw error;
  if (stopped === undefined && isDiskFull(error)) {
    throw new JobFailure('storage_failed', 'The disk is full.', {
      hint: 'Free some space, then retry the job.',
    });
  }
  const ended =
    stopped instanceof Stopped
      ? new RunEnded(stopped.reason === 'timeout' ? 'timeout' : 'cancelled', 'The job was stopped.')
      : asEnded(error, run);
  if (ended.reason === 'internal') log.error({ err: error }, 'agent run failed');
  return settle(run, ended.reason, ended);
}

/** Writes the ending; resolves with the outcome of a completed job, throws the failure of another one. */
export async function settle(run: AgentRun, reason: EndReason, ended?: RunEnded): Promise<Outcome> {
  const { context, journal } = run;
  const pullRequest = findStep(journal.steps, 'proposed')?.pullRequest ?? null;
  if (findStep(journal.steps, 'ended') === undefined) {
    const loop = findStep(journal.steps, 'loop-ended');
    await noteRun(context, run, {
      title: loop?.title || null,
      summary: loop?.summary || null,
      usage: usageOf(journal.steps),
      result: resultOf(run),
      policy: findStep(journal.steps, 'judged')?.verdict ?? null,
      ...(pullRequest === null ? {} : { pullRequest }),
    });
    await journal.append({ kind: 'ended', reason });
  }
  await noteRun(context, run, { ending: reason, finishedAt: nowText(context) });
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
): JobFailure {
  const more = hint === undefined ? {} : { hint };
  const code = reason === 'internal' || reason === 'timeout' ? reason : 'agent_stopped';
  const failure = new JobFailure(code, message, more);
  failure.result = result;
  return failure;
}

const nothingFound = { newErrors: 0, newWarnings: 0, fixedFindings: 0, previewJobId: null };

/** Null when the run did not come as far as a change. */
function resultOf({ journal, change, earlier }: AgentRun): RunResult | null {
  if (change === undefined) return null;
  const { files } = change.whole;
  const size = {
    filesChanged: files.length,
    linesAdded: sum(files.map(({ addedLines }) => addedLines)),
    linesRemoved: sum(files.map(({ removedLines }) => removedLines)),
  };
  const validated = findStep(journal.steps, 'validated');
  // A run that changed nothing was not checked: what is known of the branch is what the run before it found out.
  if (validated === undefined) return { ...nothingFound, ...earlier.at(-1)?.result, ...size };
  const { findings, findingsBefore } = validated;
  const fresh = findings.filter(({ isNew }) => isNew);
  return {
    ...size,
    newErrors: fresh.filter(({ severity }) => severity === 'error').length,
    newWarnings: fresh.filter(({ severity }) => severity === 'warning').length,
    fixedFindings: Math.max(0, findingsBefore - (findings.length - fresh.length)),
    previewJobId: findStep(journal.steps, 'previewed')?.exportId ?? null,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function asEnded(error: unknown, { workspace }: AgentRun): RunEnded {
  if (error instanceof RunEnded) return error;
  if (error instanceof SiteCheckFailed) return new RunEnded('internal', error.message);
  if (error instanceof ModelFailure) return new RunEnded(error.reason, error.message);
  if (error instanceof ForgeError) return new RunEnded('forge_error', error.message, error.hint);
  if (error instanceof SourceError) return new RunEnded('clone_failed', error.message, error.hint);
  // Once the files are here, git that talks to nobody and fails all the same is a fault of this machine.
  const isOurs = error instanceof GitError && error.problem === 'failed' && workspace !== undefined;
  if (error instanceof GitError && !isOurs) {
    if (error.problem === 'push_conflict') return new RunEnded('push_conflict', error.message);
    return new RunEnded('clone_failed', `The repository could not be fetched. ${error.message}`);
  }
  return new RunEnded('internal', agentEndings.internal);
}
