/** Processes one event about a pull request in one transaction, which holds all its effects. */
import type { Context } from '../context.ts';
import { acquireLocks, inTransaction } from '../ports/database.ts';
import type { EventHandlers, EventOutcome, HandleEvent } from './event-handlers.ts';
import type { ForgeEventRecord } from './events.ts';
import { settle } from './settle.ts';

export async function processEvent(
  context: Context,
  eventId: string,
  handlers: EventHandlers,
): Promise<void> {
  await inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const found = await readEvent(inside, eventId);
    if (found === undefined) return;
    await acquireLocks(database, `forge-events:${found.project_id}`);
    // Another process may have processed it before the lock was free.
    const event = await readEvent(inside, eventId);
    if (event === undefined) return;
    const project = await database
      .selectFrom('projects')
      .selectAll()
      .where('id', '=', event.project_id)
      .where('organization_id', '=', event.organization_id)
      .executeTakeFirst();
    if (project === undefined) return;
    const outcomes: EventOutcome[] = [];
    for (const handle of handlersFor(event, handlers))
      outcomes.push(await handle(inside, { project, event }));
    await settle(inside, [event], combined(outcomes));
  });
}

function readEvent({ database }: Context, id: string): Promise<ForgeEventRecord | undefined> {
  return database
    .selectFrom('forge_events')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
}

function handlersFor({ kind }: ForgeEventRecord, handlers: EventHandlers): readonly HandleEvent[] {
  return kind === 'pull_request' || kind === 'comment' || kind === 'review' ? handlers[kind] : [];
}

/** A retry repeats all handlers. An effect counts for more than a handler that had none. */
function combined(outcomes: readonly EventOutcome[]): EventOutcome {
  const first = (name: string) => outcomes.find((outcome) => name in outcome);
  const started = outcomes.find((outcome) => 'jobId' in outcome && outcome.jobId !== null);
  return (
    first('retryAfterSeconds') ??
    first('failedBecause') ??
    started ??
    first('jobId') ??
    first('ignoredBecause') ?? { ignoredBecause: 'Nothing in this project reacts to the event.' }
  );
}
