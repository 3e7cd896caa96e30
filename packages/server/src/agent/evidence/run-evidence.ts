/** The evidence of a run: what its journal has, checked against the whole change of the branch. */
import { changeOf, type AgentRun } from '../agent-run.ts';
import type { Verdict } from '../contract.ts';
import { stepsOfRun } from '../journal.ts';
import { findStep } from '../replay.ts';
import { checkEvidence } from './check-evidence.ts';
import type { CheckedEvidence } from './evidence.ts';

export interface JudgedEvidence {
  evidence: CheckedEvidence[];
  notes: Verdict['notes'];
}

const maxNotes = 20;

export async function judgeEvidence(run: AgentRun): Promise<JudgedEvidence> {
  const { steps } = run.journal;
  const { code, requiresEvidence = false } = findStep(steps, 'prepared') ?? {};
  if (run.workspace === undefined || (code === undefined && !requiresEvidence))
    return { evidence: [], notes: [] };
  const given = steps.flatMap((step) => (step.kind === 'result' ? (step.result.evidence ?? []) : []));
  const { evidence, problems } = await checkEvidence(given, {
    files: (await changeOf(run)).whole.files,
    docs: run.workspace.tree,
    code: run.code,
    isRequired: requiresEvidence,
    earlier: await earlierEvidence(run),
  });
  const notes = problems.slice(0, maxNotes).map(({ page, message }) => ({
    rule: 'evidence',
    path: page,
    message,
    outcome: 'draft' as const,
  }));
  return { evidence, notes };
}

/** Of the runs whose work is part of the change. Their sources were checked at the commits of those runs. */
async function earlierEvidence({ context, jobId, journal }: AgentRun): Promise<CheckedEvidence[]> {
  const { earlierWork = [], carriedRuns = [] } = findStep(journal.steps, 'prepared') ?? {};
  const found: CheckedEvidence[] = [];
  for (const number of new Set([...earlierWork, ...carriedRuns])) {
    const steps = await stepsOfRun(context, { jobId, run: number });
    found.push(...(findStep(steps, 'judged')?.evidence ?? []));
  }
  return found;
}
