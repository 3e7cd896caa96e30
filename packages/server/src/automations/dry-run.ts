/** Shows what an event would start, without a service. */
import type { AutomationDefinition } from '@docyard/api';
import * as z from 'zod';
import type { EventDetails } from './events.ts';
import { decide, exceedingPages, narrowPatch } from './match.ts';
import { renderInstruction, triggerOf, type TriggerKind } from './template.ts';

const text = z.string().max(100_000).default('');

/** The file of `docyard automations test --event`. */
export const SampleEvent = z
  .strictObject({
    merged: z
      .strictObject({
        repository: z.string(),
        branch: z.string().default('main'),
        commit: z.string().default('0'.repeat(40)),
        number: z.int().min(1).default(1),
        title: text,
        body: text,
        url: text,
        author: z.string().nullable().default(null),
        changedPaths: z.array(z.string()).nullable().default(null),
        diff: text,
      })
      .optional(),
    failedCheck: z.strictObject({ newErrors: z.int().min(0), findings: text }).optional(),
    feedback: z
      .strictObject({
        pages: z.record(z.string(), z.int().min(0)),
        comments: z.array(z.string()).default([]),
      })
      .optional(),
    schedule: z.strictObject({ at: z.iso.datetime() }).optional(),
  })
  .refine((event) => Object.values(event).filter((each) => each !== undefined).length === 1, {
    error: 'Name exactly one of merged, failedCheck, feedback and schedule.',
  });
export type SampleEvent = z.infer<typeof SampleEvent>;

export interface DryRun {
  automation: string;
  starts: boolean;
  /** Why it does not start. */
  reason: string | null;
  instruction: string | null;
}

export function dryRun(automations: readonly AutomationDefinition[], sample: SampleEvent): DryRun[] {
  const { kind, details, repository } = occurrenceOf(sample);
  return automations.map((automation) => {
    const reason = whyNot(automation, { kind, details, repository, sample });
    if (reason !== null) return { automation: automation.name, starts: false, reason, instruction: null };
    const values = {
      ...details.values,
      automation: automation.name,
      diff: narrowPatch(details.values.diff ?? '', automation.on.merged?.paths),
    };
    const instruction = renderInstruction(automation.instructions, values);
    return { automation: automation.name, starts: true, reason: null, instruction };
  });
}

/** As if a caller started it, or its schedule were due. */
export function dryRunOf(automation: AutomationDefinition, now: Date): DryRun {
  const values = {
    automation: automation.name,
    event: 'It was started manually.',
    scheduledAt: now.toISOString(),
  };
  const instruction = renderInstruction(automation.instructions, values);
  return { automation: automation.name, starts: true, reason: null, instruction };
}

interface Occurrence {
  kind: TriggerKind;
  details: EventDetails;
  /** Stands for that of the docs, whose host is unknown here. */
  repository: string;
}

function whyNot(
  automation: AutomationDefinition,
  { kind, details, repository, sample }: Occurrence & { sample: SampleEvent },
): string | null {
  const trigger = triggerOf(automation);
  if (trigger !== kind) return `Its trigger is ${trigger}, not ${kind}.`;
  const { feedback } = automation.on;
  if (feedback !== undefined && sample.feedback !== undefined) {
    const pages = exceedingPages(feedback, Object.entries(sample.feedback.pages));
    return pages.length > 0 ? null : `No page has ${feedback.minNegative} negative votes.`;
  }
  const decision = decide(automation, { kind, details }, repository);
  if (decision === 'run') return null;
  const { merged } = automation.on;
  return decision === 'unrelated'
    ? `The event is of ${repository}, not of ${merged?.repository ?? 'its repository'}.`
    : decision.skippedBecause;
}

function occurrenceOf(sample: SampleEvent): Occurrence {
  const { merged, failedCheck, feedback, schedule } = sample;
  if (merged !== undefined) {
    const { repository, branch, commit, author, changedPaths } = merged;
    const change = { repositoryUrls: [repository], branch, commit, author, changedPaths };
    const values = {
      event: `#${merged.number} ${merged.title}`,
      'pullRequest.title': merged.title,
      'pullRequest.body': merged.body,
      'pullRequest.number': String(merged.number),
      'pullRequest.url': merged.url,
      'pullRequest.author': author ?? '',
      repository,
      branch,
      commit,
      changedPaths: changedPaths?.join('\n') ?? '',
      diff: merged.diff,
    };
    return { kind: 'merged', details: { change, values }, repository };
  }
  if (failedCheck !== undefined) {
    const { newErrors, findings } = failedCheck;
    const values = { event: 'An export ended with new errors.', findings };
    return { kind: 'failedCheck', details: { newErrors, values }, repository: '' };
  }
  if (feedback !== undefined) {
    const pages = Object.entries(feedback.pages).map(([path, count]) => `${path}: ${count} readers`);
    const values = {
      event: 'Readers found pages not helpful.',
      pages: pages.join('\n'),
      comments: feedback.comments.join('\n'),
    };
    return { kind: 'feedback', details: { values }, repository: '' };
  }
  const scheduledAt = schedule?.at ?? '';
  const values = { event: `The schedule was due at ${scheduledAt}.`, scheduledAt };
  return { kind: 'schedule', details: { values }, repository: '' };
}
