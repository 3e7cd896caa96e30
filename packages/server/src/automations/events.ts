/** Records what may start automations, and the runs that follow. Both are unique, so nothing starts a job twice. */
import type { AutomationRun } from '@docyard/api';
import type { Selectable } from 'kysely';
import { nowText, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import type { AutomationEventRow } from '../ports/database.ts';
import type { TemplateValues, TriggerKind } from './template.ts';

type RecordContext = Pick<Context, 'database' | 'clock'>;

export type EventRecord = Selectable<AutomationEventRow>;

export interface EventDetails {
  values: TemplateValues;
  /** Of a merged pull request. */
  change?: {
    /** Addresses of the repository, in every form that the forge reports. */
    repositoryUrls: string[];
    branch: string;
    commit: string | null;
    /** The first parent of the commit. */
    before?: string | null;
    author: string | null;
    /** Null when they are unknown; undefined before they were read. */
    changedPaths?: string[] | null;
    patch?: string | null;
  };
  /** The new errors of an export; undefined before they were read. */
  exportJobId?: string;
  newErrors?: number;
  /** The pages with negative feedback. */
  pages?: string[];
}

export interface NewEvent {
  organizationId: string;
  projectId: string;
  kind: TriggerKind;
  source: string;
  subject: string;
  details: EventDetails;
  forgeEventId?: string | null;
  /** Null: every automation with this trigger is examined. */
  automation: string | null;
}

const maxSubjectLength = 300;

/** Undefined if it is recorded already. */
export async function addEvent(context: RecordContext, event: NewEvent): Promise<EventRecord | undefined> {
  const now = nowText(context);
  const isPending = event.automation === null;
  return context.database
    .insertInto('automation_events')
    .values({
      id: newId('ae'),
      organization_id: event.organizationId,
      project_id: event.projectId,
      source: event.source,
      kind: event.kind,
      automation: event.automation,
      subject: event.subject.replaceAll(/\p{C}/gu, ' ').slice(0, maxSubjectLength).toWellFormed(),
      details: JSON.stringify(event.details),
      forge_event_id: event.forgeEventId ?? null,
      state: isPending ? 'pending' : 'matched',
      attempts: 0,
      next_at: isPending ? now : null,
      received_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'source']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** A run with a reason is skipped. Undefined if the event has a run of the automation already. */
export async function addRun(
  context: RecordContext,
  event: Pick<EventRecord, 'id' | 'organization_id' | 'project_id'>,
  { automation, skippedBecause }: { automation: string; skippedBecause: string | null },
): Promise<string | undefined> {
  const now = nowText(context);
  const isSkipped = skippedBecause !== null;
  const state: AutomationRun['state'] = isSkipped ? 'skipped' : 'pending';
  const added = await context.database
    .insertInto('automation_runs')
    .values({
      id: newId('ar'),
      organization_id: event.organization_id,
      project_id: event.project_id,
      automation,
      event_id: event.id,
      state,
      reason: skippedBecause,
      job_id: null,
      attempts: 0,
      created_at: now,
      next_at: isSkipped ? null : now,
      finished_at: isSkipped ? now : null,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'automation', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return added?.id;
}

/** Records something that concerns one automation, with its run. Undefined if it is recorded already. */
export async function addEventWithRun(
  context: RecordContext,
  event: NewEvent & { automation: string },
): Promise<string | undefined> {
  const added = await addEvent(context, event);
  return added && addRun(context, added, { automation: event.automation, skippedBecause: null });
}

export function detailsOf(event: Pick<EventRecord, 'details'>): EventDetails {
  return JSON.parse(event.details) as EventDetails;
}
