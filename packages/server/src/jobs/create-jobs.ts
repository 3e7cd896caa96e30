/**
 * Writes any number of new jobs in one transaction, with a number of statements that does not depend on it.
 */
import type { Insertable } from 'kysely';
import { nowText } from '../context.ts';
import { newId } from '../ids.ts';
import { acquireLocks, inTransaction, type Database, type JobRow } from '../ports/database.ts';
import type { JobKind } from '../ports/queue.ts';
import { Problem } from '../problem.ts';
import { announceJobs } from '../webhooks/outbox.ts';
import { addQueued } from './queue-counts.ts';
import { type Job, type StoreContext } from './store.ts';
import { deliveryOf, jobsOf, recordEvents } from './transitions.ts';

export interface NewJob {
  kind: JobKind;
  organizationId: string;
  projectId: string;
  domain: string;
  input: unknown;
  retryOf: string | null;
  previewOf?: string;
}

export async function createJob(context: StoreContext, job: NewJob): Promise<Job> {
  const [created] = await createJobs(context, [job]);
  return created as Job;
}

/** Returned in the order given. */
export async function createJobs(context: StoreContext, jobs: readonly NewJob[]): Promise<Job[]> {
  if (jobs.length === 0) return [];
  const values = jobs.map((job) => rowOf(job, nowText(context)));
  const created = await inTransaction(context.database, async (database) => {
    await refuseDeletedProjects(
      database,
      jobs.map(({ projectId }) => projectId),
    );
    const inserted = await database.insertInto('jobs').values(values).returningAll().execute();
    const byId = new Map(inserted.map((row) => [row.id, row]));
    const rows = values.map(({ id }) => byId.get(id) as Job);
    await recordEvents(database, rows);
    await addQueued(
      database,
      rows.map((row) => row.organization_id),
    );
    await announceJobs({ ...context, database }, rows, 'queued');
    await context.queue.send(database, ...rows.map((row) => deliveryOf(row)));
    return rows;
  });
  // The caller's transaction may still be open. On SQLite a listener waits for the one connection; PostgreSQL
  // announces the change again with the commit.
  for (const organizationId of new Set(jobs.map((job) => job.organizationId))) {
    context.changes.notify(jobsOf(organizationId));
  }
  return created;
}

function rowOf(job: NewJob, now: string): Insertable<JobRow> & { id: string } {
  return {
    id: newId(job.kind === 'export' ? 'se' : 'aj'),
    kind: job.kind,
    organization_id: job.organizationId,
    project_id: job.projectId,
    domain: job.domain,
    status: 'queued',
    phase: 'queued',
    progress: 0,
    page_count: 0,
    total_pages: null,
    attempt: 0,
    input: JSON.stringify(job.input),
    source_commit: null,
    result: null,
    failure: null,
    recent_findings: null,
    cancel_requested_at: null,
    retry_of: job.retryOf,
    preview_of: job.previewOf ?? null,
    created_at: now,
    updated_at: now,
    started_at: null,
    finished_at: null,
    archived_at: null,
    purged_at: null,
  };
}

/** A project may have been deleted since the caller found it. */
async function refuseDeletedProjects(database: Database, given: readonly string[]): Promise<void> {
  const ids = [...new Set(given)].toSorted();
  await acquireLocks(database, ...ids.map((id) => `project:${id}`));
  const found = await database.selectFrom('projects').select('id').where('id', 'in', ids).execute();
  if (found.length < ids.length) throw new Problem('not_found', 'The project was deleted a moment ago.');
}
