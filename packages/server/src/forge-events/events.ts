/** The records of events: stored before a delivery is acknowledged, listed, replayed, and deleted after a month. */
import type { ForgeEvent } from '@docyard/api';
import type { Insertable, Selectable } from 'kysely';
import { forgeEventsWithin, type AccessScope } from '../access-scope.ts';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import { newId } from '../ids.ts';
import { readPage, type ListPage, type PageRequest } from '../paging.ts';
import { inTransaction, type ForgeEventRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import type { DeliveryHeaders } from './delivery.ts';
import type { CommentDetails, EventContent, PullRequestDetails } from './payloads/event-content.ts';

export type ForgeEventRecord = Selectable<ForgeEventRow>;

/** The name of events that no forge sent. */
export const polledName = 'poll';

const retentionDays = 30;
const kindsWithEffect: readonly ForgeEvent['kind'][] = ['push', 'pull_request', 'comment', 'review'];
/** Keeps an insert below the maximum number of parameters of a statement. */
const maxInsertedRows = 500;
const maxDeletedRows = 1000;

export interface ReceivedDelivery extends DeliveryHeaders {
  organizationId: string;
  projectId: string;
  events: readonly EventContent[];
}

/** All events of the delivery, or those that are stored already when the forge sends it again. */
export async function storeDelivery(
  context: Pick<Context, 'database' | 'clock'>,
  delivery: ReceivedDelivery,
): Promise<ForgeEvent[]> {
  const rows = delivery.events.map((event, part) => rowOf(context, delivery, event, part));
  return inTransaction(context.database, async (database) => {
    for (let start = 0; start < rows.length; start += maxInsertedRows) {
      await database
        .insertInto('forge_events')
        .values(rows.slice(start, start + maxInsertedRows))
        .onConflict((conflict) => conflict.columns(['project_id', 'delivery_id', 'part']).doNothing())
        .execute();
    }
    const stored = await database
      .selectFrom('forge_events')
      .selectAll()
      .where('project_id', '=', delivery.projectId)
      .where('delivery_id', '=', delivery.deliveryId)
      .orderBy('part')
      .execute();
    return stored.map(viewForgeEvent);
  });
}

function rowOf(
  context: Pick<Context, 'clock'>,
  { organizationId, projectId, forge, name, deliveryId }: ReceivedDelivery,
  event: EventContent,
  part: number,
): Insertable<ForgeEventRow> {
  const now = nowText(context);
  const isIgnored = event.ignoredBecause !== null;
  return {
    id: newId('fe'),
    organization_id: organizationId,
    project_id: projectId,
    forge,
    delivery_id: deliveryId,
    part,
    kind: event.kind,
    name,
    ref: event.ref,
    before_commit: event.before,
    after_commit: event.after,
    repository: event.repository,
    actor: event.actor,
    details: JSON.stringify(event.details),
    state: isIgnored ? 'ignored' : 'pending',
    reason: event.ignoredBecause,
    job_id: null,
    attempts: 0,
    next_at: isIgnored ? null : now,
    received_at: now,
    replayed_at: null,
    finished_at: isIgnored ? now : null,
  };
}

export async function listForgeEvents(
  context: Pick<Context, 'database'>,
  input: PageRequest & {
    reach: AccessScope;
    projectId?: string | undefined;
    state?: ForgeEvent['state'] | undefined;
    kind?: ForgeEvent['kind'] | undefined;
  },
): Promise<ListPage<ForgeEvent>> {
  let query = context.database.selectFrom('forge_events').selectAll().where(forgeEventsWithin(input.reach));
  if (input.projectId !== undefined) query = query.where('project_id', '=', input.projectId);
  if (input.state !== undefined) query = query.where('state', '=', input.state);
  if (input.kind !== undefined) query = query.where('kind', '=', input.kind);
  return readPage(input, query, viewForgeEvent);
}

export async function findForgeEvent(
  context: Pick<Context, 'database'>,
  where: { id: string; reach: AccessScope },
): Promise<ForgeEventRecord> {
  const row = await context.database
    .selectFrom('forge_events')
    .selectAll()
    .where('id', '=', where.id)
    .where(forgeEventsWithin(where.reach))
    .executeTakeFirst();
  if (row !== undefined) return row;
  throw new Problem('not_found', 'There is no such event. List the events with GET /v1/forge-events.');
}

/** A pending event is processed anyway. Events that can have no effect stay ignored. */
export async function replayForgeEvent(
  context: Pick<Context, 'database' | 'clock'>,
  input: { eventId: string; actor: Actor },
): Promise<ForgeEvent> {
  const { actor } = input;
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const { id } = await findForgeEvent(inside, { id: input.eventId, reach: actor });
    const now = nowText(context);
    await database
      .updateTable('forge_events')
      .set({
        state: 'pending',
        reason: null,
        job_id: null,
        attempts: 0,
        next_at: now,
        replayed_at: now,
        finished_at: null,
      })
      .where('id', '=', id)
      .where('kind', 'in', [...kindsWithEffect])
      .where('state', '!=', 'pending')
      .execute();
    await recordAudit(inside, { actor, action: 'forge_event.replay', object: id });
    return viewForgeEvent(await findForgeEvent(inside, { id, reach: actor }));
  });
}

/** Pending events stay. */
export async function sweepForgeEvents(context: Pick<Context, 'database' | 'clock'>): Promise<void> {
  const oldest = new Date(context.clock.now().getTime() - retentionDays * 86_400_000).toISOString();
  for (;;) {
    const { numDeletedRows } = await context.database
      .deleteFrom('forge_events')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('forge_events')
          .select('id')
          .where('received_at', '<', oldest)
          .where('state', '!=', 'pending')
          .limit(maxDeletedRows),
      )
      .executeTakeFirst();
    if (Number(numDeletedRows) < maxDeletedRows) return;
  }
}

export function viewForgeEvent(row: ForgeEventRecord): ForgeEvent {
  return {
    id: row.id,
    projectId: row.project_id,
    forge: row.forge as ForgeEvent['forge'],
    deliveryId: row.delivery_id,
    kind: row.kind as ForgeEvent['kind'],
    name: row.name,
    ref: row.ref,
    before: row.before_commit,
    after: row.after_commit,
    repository: row.repository,
    actor: row.actor,
    pullRequest: pullRequestNumberOf(row),
    state: row.state as ForgeEvent['state'],
    reason: row.reason,
    jobId: row.job_id,
    attempts: row.attempts,
    receivedAt: row.received_at,
    nextAttemptAt: row.next_at,
    finishedAt: row.finished_at,
  };
}

function pullRequestNumberOf({ kind, details }: Pick<ForgeEventRecord, 'kind' | 'details'>): number | null {
  if (kind !== 'pull_request' && kind !== 'comment' && kind !== 'review') return null;
  const content = JSON.parse(details) as PullRequestDetails | CommentDetails;
  return 'pullRequest' in content ? content.pullRequest.number : content.pullRequestNumber;
}
