import type { AgentStep } from '@docyard/api';
import { readPage, type PageRequest } from '../paging.ts';
import { baseUpdateText } from './base-update.ts';
import type { Step, ToolCall } from './contract.ts';
import { isExternalCall } from './engine/external-call.ts';
import { sourceText, type CheckedEvidence } from './evidence/evidence.ts';
import { sampleTexts } from './samples/sample.ts';
import { recordedStep, type RecordedStep } from './record.ts';
import { redactJson } from './redact.ts';
import { redactorOf, type SettingsContext } from './settings.ts';

export async function readTranscript(
  context: SettingsContext,
  input: PageRequest & { jobId: string; projectId: string },
): Promise<{ data: AgentStep[]; nextCursor: string | null }> {
  const query = context.database.selectFrom('agent_steps').selectAll().where('job_id', '=', input.jobId);
  const redact = await redactorOf(context, input.projectId);
  return readPage(input, query, (row) => redactJson(redact, viewStep(recordedStep(row))), 'oldest first');
}

function viewStep({ run, number, at, step }: RecordedStep): AgentStep {
  return {
    run,
    number,
    at,
    kind: step.kind,
    role: roleOf(step),
    text: textOf(step),
    calls: callsOf(step).map(({ name, input }) => ({ tool: name, input })),
    tool: step.kind === 'result' ? step.call.name : null,
    isError: step.kind === 'result' && step.result.isError === true,
  };
}

/** An external agent calls its tools without an answer that names them. */
function callsOf(step: Step): readonly ToolCall[] {
  if (step.kind === 'answer') return step.answer.calls;
  return step.kind === 'result' && isExternalCall(step.call) ? [step.call] : [];
}

function evidenceText({ page, statement, sources }: CheckedEvidence): string {
  return `${page}: “${statement}” (${sources.map(sourceText).join(', ')})`;
}

function roleOf(step: Step): AgentStep['role'] {
  if (step.kind === 'message') return step.message.role === 'user' ? 'person' : 'system';
  if (step.kind === 'answer') return 'agent';
  return step.kind === 'result' ? 'tool' : 'docyard';
}

function textOf(step: Step): string {
  switch (step.kind) {
    case 'prepared':
      return [
        `${step.baseBranch} at ${step.baseCommit}`,
        baseUpdateText(step),
        ...(step.code ?? []).map(({ name, commit }) => `${name} at ${commit}`),
      ]
        .filter(Boolean)
        .join('\n');
    case 'message':
      return step.message.text;
    case 'answer':
      return step.answer.text;
    case 'result':
      return step.result.text;
    case 'loop-ended':
      return `${step.reason}: ${step.summary}${step.problem === undefined ? '' : `\n${step.problem}`}`;
    case 'validated':
      return [
        ...step.findings
          .filter(({ isNew }) => isNew)
          .map(({ severity, file, line, message }) => `${severity} ${file}:${line ?? 1} ${message}`),
        ...(step.samples === undefined ? [] : sampleTexts(step.samples)),
      ].join('\n');
    case 'judged':
      return [
        step.verdict.outcome,
        ...step.verdict.notes.map(({ message }) => message),
        ...(step.evidence ?? []).map(evidenceText),
      ].join('\n');
    case 'committed':
      return `${step.commit} on ${step.branch}`;
    case 'pushed':
      return step.commit;
    case 'previewed':
      return step.exportId ?? '';
    case 'proposed':
      return step.pullRequest.url ?? step.pullRequest.branch;
    case 'ended':
      return step.reason;
  }
}
