/**
 * Merges status changes and steps of an agent job into one event stream. An event id holds the read position in
 * both lists.
 */
import type { AgentEvent, AgentEvents } from '@docyard/api';
import { hasEvent, type Job } from '../jobs/store.ts';
import { baseUpdateText } from './base-update.ts';
import type { Step } from './contract.ts';
import { titleOf } from './engine/external-call.ts';
import { firstLine } from './first-line.ts';
import { readSteps, type RecordedStep } from './record.ts';
import { redactJson, type Redact } from './redact.ts';
import { redactorOf, type SettingsContext } from './settings.ts';
import { phaseOf, statusOf } from './view.ts';

interface Position {
  status: number;
  step: number;
}

type Unnumbered = AgentEvent extends infer Event
  ? Event extends AgentEvent
    ? Omit<Event, 'id'>
    : never
  : never;

export const firstEventId = '0-0';
const maxLineCharacters = 200;

export async function readAgentEvents(
  context: SettingsContext,
  input: { jobId: string; projectId: string; after: string; limit: number },
): Promise<AgentEvents> {
  const redact = await redactorOf(context, input.projectId);
  const after = positionOf(input.after);
  const rows = await context.database
    .selectFrom('job_events')
    .select(['sequence', 'at', 'row'])
    .where('job_id', '=', input.jobId)
    .where('sequence', '>', after.status)
    .orderBy('sequence')
    .limit(input.limit)
    .execute();
  const steps = await readSteps(context, {
    jobId: input.jobId,
    afterSequence: after.step,
    limit: input.limit,
  });
  const found = merged(
    steps.map((step) => ({ of: 'step', sequence: step.sequence, event: stepEvent(step, redact) })),
    rows.map((row) => ({ of: 'status', sequence: row.sequence, event: statusEvent(row) })),
  );
  const position = after;
  const data = found.slice(0, input.limit).map(({ of, sequence, event }) => {
    position[of] = sequence;
    return { id: idOf(position), ...event };
  });
  return { data, lastEventId: idOf(position) };
}

/** Resumes at the same position, or replays all statuses if that event is no longer stored. */
export async function resumableId(
  context: Pick<SettingsContext, 'database'>,
  jobId: string,
  id: string,
): Promise<string> {
  const { status, step } = positionOf(id);
  const isKept = status === 0 || (await hasEvent(context, { jobId, sequence: status }));
  return idOf({ status: isKept ? status : 0, step });
}

/** For clients that connect after the status event was deleted. */
export function currentStatus(job: Job, id: string): AgentEvent {
  return { id, at: job.updated_at, type: 'status', status: statusOf(job), phase: phaseOf(job) };
}

interface Found {
  of: keyof Position;
  sequence: number;
  event: Unnumbered;
}

/**
 * Merges by time but keeps the order within each list, because clocks of workers differ and positions must not
 * go back. At equal times, the last step of a run precedes the end of the job.
 */
function merged(steps: readonly Found[], statuses: readonly Found[]): Found[] {
  const found: Found[] = [];
  let taken = 0;
  for (const status of statuses) {
    while ((steps[taken]?.event.at ?? '~') <= status.event.at) found.push(steps[taken++] as Found);
    found.push(status);
  }
  return [...found, ...steps.slice(taken)];
}

function positionOf(id: string): Position {
  const [, status, step] = /^(\d{1,15})-(\d{1,15})$/.exec(id) ?? [];
  return { status: Number(status ?? 0), step: Number(step ?? 0) };
}

function idOf({ status, step }: Position): string {
  return `${status}-${step}`;
}

function statusEvent({ at, row }: { at: string; row: string }): Unnumbered {
  const job = JSON.parse(row) as Omit<Job, 'input'>;
  return { at, type: 'status', status: statusOf(job), phase: phaseOf(job) };
}

/** Masks before truncating: part of a secret would not be recognized. */
function stepEvent({ run, number, at, step }: RecordedStep, redact: Redact): Unnumbered {
  const call = step.kind === 'result' ? step.call : undefined;
  return {
    at,
    type: 'step',
    run,
    number,
    kind: step.kind,
    tool: call === undefined ? null : redact(call.name),
    path: pathIn(redactJson(redact, call?.input ?? null)),
    text: firstLine(redact(lineAbout(step)), maxLineCharacters),
    isError: step.kind === 'result' && step.result.isError === true,
  };
}

function lineAbout(step: Step): string {
  switch (step.kind) {
    case 'prepared':
      return baseUpdateText(step) || `Fetched ${fetchedText(step)}`;
    case 'message':
      return step.message.text;
    case 'answer':
      return step.answer.text.trim() || callsLine(step.answer.calls.map(({ name }) => name));
    case 'result':
      return titleOf(step.call) ?? step.result.text;
    case 'loop-ended':
      return step.summary || step.problem || step.reason;
    case 'validated':
      return `${step.findings.filter(({ isNew }) => isNew).length} new findings`;
    case 'judged':
      return `Policy: ${step.verdict.outcome}, ${step.verdict.notes.length} notes`;
    case 'committed':
      return `Committed ${step.commit.slice(0, 12)} to ${step.branch}`;
    case 'pushed':
      return `Pushed ${step.commit.slice(0, 12)}`;
    case 'previewed':
      return step.exportId === null ? 'No preview' : `Preview ${step.exportId}`;
    case 'proposed':
      return step.pullRequest.url ?? `Branch ${step.pullRequest.branch}`;
    case 'ended':
      return step.reason;
  }
}

function fetchedText({ baseBranch, baseCommit, code = [] }: Extract<Step, { kind: 'prepared' }>): string {
  return [{ name: baseBranch, commit: baseCommit }, ...code]
    .map(({ name, commit }) => `${name} at ${commit.slice(0, 12)}`)
    .join(', ');
}

function callsLine(names: readonly string[]): string {
  return names.length === 0 ? 'Model answered' : `Calls ${names.join(', ')}`;
}

function pathIn(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'path')) return null;
  const { path } = input as { path: unknown };
  return typeof path === 'string' ? path.slice(0, 1024) : null;
}
