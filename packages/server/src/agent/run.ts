/**
 * Runs the phases of an agent job. Each phase writes its step to the journal and is skipped when the step is
 * already there, so another worker can resume the job at any point.
 */
import type { Runner } from '../jobs/worker.ts';
import type { EndReason, Step } from './contract.ts';
import { endOf, settle } from './ending.ts';
import { stepsOfRun } from './journal.ts';
import { judge, validate } from './judgment.ts';
import { prepare } from './prepare.ts';
import { commit, preview, propose, push } from './publish/publish.ts';
import { updateRun } from './record.ts';
import { findStep } from './replay.ts';
import { openRun, type AgentRun, type RunParts } from './agent-run.ts';
import { work } from './work.ts';

interface Phase {
  name: 'preparing' | 'running' | 'validating' | 'judging' | 'publishing';
  progress: number;
  /** Resolves with a reason if the run ends in this phase. */
  run(run: AgentRun): Promise<EndReason | undefined>;
}

const phases: Phase[] = [
  { name: 'preparing', progress: 1, run: prepare },
  { name: 'running', progress: 10, run: work },
  { name: 'validating', progress: 70, run: validate },
  { name: 'judging', progress: 80, run: judge },
  { name: 'publishing', progress: 85, run: commit },
  { name: 'publishing', progress: 88, run: push },
  { name: 'publishing', progress: 92, run: preview },
  { name: 'publishing', progress: 95, run: propose },
];

export function agentRunner(parts: RunParts): Runner {
  return async (context, input) => {
    const run = await openRun(context, input, parts);
    try {
      return await settle(run, await runPhases(run));
    } catch (error) {
      return await endOf(run, error);
    } finally {
      await run.close();
    }
  };
}

/**
 * A retry of a run that failed only at the forge needs no model: it copies the steps of that run and resumes
 * publishing. Answers stay with the run that paid for them.
 */
async function resumePublishing({ context, jobId, journal, kind, earlier }: AgentRun): Promise<void> {
  const last = earlier.at(-1);
  if (kind !== 'retry' || journal.steps.length > 0 || last?.ending !== 'forge_error') return;
  const copied: Step['kind'][] = [
    'prepared',
    'result',
    'loop-ended',
    'validated',
    'judged',
    'committed',
    'pushed',
  ];
  for (const step of await stepsOfRun(context, { jobId, run: last.number })) {
    if (copied.includes(step.kind)) await journal.append(step);
  }
}

async function runPhases(run: AgentRun): Promise<EndReason> {
  const ended = findStep(run.journal.steps, 'ended');
  if (ended !== undefined) return ended.reason;
  await updateRun(run.context, run, { startedAt: run.startedAt });
  await resumePublishing(run);
  for (const phase of phases) {
    run.input.signal.throwIfAborted();
    await run.input.report({ phase: phase.name, progress: phase.progress });
    const reason = await phase.run(run);
    if (reason !== undefined) return reason;
  }
  return run.publishedReason();
}
