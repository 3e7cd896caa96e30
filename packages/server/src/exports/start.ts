/**
 * Starts exports: checks the request first, then writes the rows and enqueues the jobs in one transaction.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartExport } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import { recordAudit } from '../audit/audit.ts';
import type { Actor, Context } from '../context.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { createJobs, type NewJob } from '../jobs/create-jobs.ts';
import { countPlaces } from '../jobs/queue-counts.ts';
import type { Job } from '../jobs/store.ts';
import { inTransaction } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { readExportSettings } from '../projects/export-settings.ts';
import { findProject, type FindByDomain } from '../projects/find-project.ts';
import { refuseUnknownFindings } from '../projects/known-findings.ts';
import { refuseUnreachable, subscribeToJob } from '../webhooks/webhooks.ts';
import { fetchWithin } from './fetches.ts';
import { runInProcess } from './process.ts';
import { findExport } from './read.ts';
import { inputOf, type ExportInput } from './record.ts';

export interface PreparedExport {
  input: ExportInput;
  projectId: string;
  domain: string;
  retryOf: string | null;
  /** What the export previews. Such an export is never the latest of its domain. */
  previewOf?: string;
}

const pathCheckSeconds = 20;

/** Slow checks, before any row is written. */
export async function prepareExport(
  context: Context,
  given: { request: StartExport; actor: Actor; allowLocal: boolean; find?: FindByDomain },
): Promise<PreparedExport> {
  const { request, actor, find = (where) => findProject(context, where) } = given;
  const project = await find({ reach: actor, domain: request.domain });
  const source = {
    repository: project.repository,
    ref: request.ref ?? project.ref,
    directory: project.directory,
    allowLocal: given.allowLocal,
  };
  const complaint = context.sources.refuse(source);
  if (complaint !== undefined) {
    const { field, message } = complaint;
    const path = field === 'ref' && request.ref !== undefined ? 'ref' : `source.${field}`;
    throw new Problem('invalid_request', message, { details: [{ path, message }] });
  }
  const tenant = { organizationId: actor.organizationId, projectId: project.id };
  if (request.webhookUrl !== undefined)
    await refuseUnreachable(context, { url: request.webhookUrl, path: 'webhookUrl', ...tenant });
  if (request.failOn !== undefined) await refuseUnknownFindings(request.failOn, 'failOn');
  if (request.paths !== undefined) await refuseUnknownPaths(context, { ...source, tenant }, request.paths);
  // A snapshot: later changes of the project do not affect the job.
  const { customScripts } =
    request.customScripts === undefined ? await readExportSettings(context, project.id) : request;
  const effective = customScripts === 'include' ? { ...request, customScripts } : request;
  return {
    input: { request: effective, source },
    projectId: project.id,
    domain: project.domain,
    retryOf: null,
  };
}

export async function prepareRetry(
  context: Context,
  given: { jobId: string; actor: Actor },
): Promise<PreparedExport> {
  const job = await findExport(context, { id: given.jobId, reach: given.actor });
  if (!isFinal(job.status)) {
    throw new Problem(
      'job_not_finished',
      'The job has not finished. Cancel it first, or wait until it has ended.',
    );
  }
  const { trigger: _trigger, ...input } = inputOf(job);
  const preview = job.preview_of === null ? {} : { previewOf: job.preview_of };
  return { input, projectId: job.project_id, domain: job.domain, retryOf: job.id, ...preview };
}

/** Starts of an organization in the last hour, and the time of the oldest one. */
export interface RecentStarts {
  count: number;
  oldestAt: Date | undefined;
}

export interface ExportStart {
  prepared: PreparedExport;
  actor: Actor;
  /** Returns why the organization may not start another export, if so. */
  refuse?(recent: RecentStarts): Problem | undefined;
}

/** `recent` does not include this start. */
export interface StartOutcome {
  started: Job | Problem;
  recent: RecentStarts;
}

export async function startExport(context: Context, start: ExportStart): Promise<Job> {
  const [outcome] = await startExports(context, [start]);
  if (outcome === undefined || outcome.started instanceof Problem) throw outcome?.started;
  return outcome.started;
}

/** In one transaction, in the order given. A rejected start does not affect the others. */
export async function startExports(
  context: Context,
  starts: readonly ExportStart[],
): Promise<StartOutcome[]> {
  return inTransaction(context.database, async (database) => {
    const inside = { ...context, database };
    const decided = await decide(inside, starts);
    const admitted = decided.filter(({ problem }) => problem === undefined);
    const jobs = await createJobs(inside, admitted.map(newJobOf));
    const jobOf = new Map(admitted.map(({ start }, index) => [start, jobs[index] as Job]));
    for (const { start } of admitted) await subscribe(inside, start, jobOf.get(start) as Job);
    await recordAudit(
      inside,
      ...admitted.map(({ start }) => {
        const job = jobOf.get(start) as Job;
        const details = { domain: job.domain, retryOf: job.retry_of };
        return { actor: start.actor, action: 'export.start', object: job.id, details };
      }),
    );
    return decided.map(({ start, recent, problem }) => ({
      started: problem ?? (jobOf.get(start) as Job),
      recent,
    }));
  });
}

interface Decided {
  start: ExportStart;
  recent: RecentStarts;
  problem: Problem | undefined;
}

/** `countPlaces` locks the organizations, so both limits are exact. */
async function decide(context: Context, starts: readonly ExportStart[]): Promise<Decided[]> {
  const organizationIds = starts.map(({ actor }) => actor.organizationId);
  const places = await countPlaces(context, organizationIds);
  const recentOf = await countRecentStarts(context, organizationIds);
  return starts.map((start) => {
    const { organizationId } = start.actor;
    const recent = recentOf.get(organizationId) ?? { count: 0, oldestAt: undefined };
    const problem = start.refuse?.(recent) ?? places.take(organizationId);
    if (problem === undefined) {
      const oldestAt = recent.oldestAt ?? context.clock.now();
      recentOf.set(organizationId, { count: recent.count + 1, oldestAt });
    }
    return { start, recent, problem };
  });
}

function newJobOf({ start: { prepared, actor } }: Decided): NewJob {
  return { kind: 'export', organizationId: actor.organizationId, ...prepared };
}

async function subscribe(context: Context, { prepared, actor }: ExportStart, job: Job): Promise<void> {
  const { webhookUrl } = prepared.input.request;
  if (webhookUrl === undefined) return;
  const { organizationId } = actor;
  await subscribeToJob(context, { id: job.id, kind: job.kind, organizationId, webhookUrl });
}

export async function countRecentStarts(
  context: Pick<Context, 'database' | 'clock'>,
  organizationIds: readonly string[],
): Promise<Map<string, RecentStarts>> {
  const since = new Date(context.clock.now().getTime() - 3_600_000).toISOString();
  // The audit log also counts starts of deleted jobs.
  const rows = await context.database
    .selectFrom('audit_log')
    .select((eb) => [
      'organization_id',
      eb.fn.countAll<number>().as('count'),
      eb.fn.min<string>('at').as('oldest'),
    ])
    .where('organization_id', 'in', [...new Set(organizationIds)])
    .where('action', '=', 'export.start')
    .where('at', '>', since)
    .groupBy('organization_id')
    .execute();
  return new Map(
    rows.map((row) => [row.organization_id, { count: row.count, oldestAt: new Date(row.oldest) }]),
  );
}

/** Reports unknown pages before the start. If the source cannot be fetched, the job reports it. */
async function refuseUnknownPaths(
  context: Context,
  source: ExportInput['source'] & { tenant: Tenant },
  paths: string[],
): Promise<void> {
  const workFolder = await mkdtemp(join(context.config.dataDir, 'work', 'paths-'));
  const signal = AbortSignal.timeout(pathCheckSeconds * 1000);
  try {
    const { folder } = await context.sources.fetch({ ...source, commit: null }, workFolder, signal);
    const order = { type: 'unknown-paths' as const, folder, paths };
    const answer = await runInProcess(order, 'unknown-paths', {
      signal,
      memoryMegabytes: 512,
      hidden: context.config.dataDir,
      fetch: fetchWithin(context.config.egress, source.tenant),
    });
    if (answer.paths.length === 0) return;
    const unknown = new Set(answer.paths);
    const details = paths.flatMap((path, index) =>
      unknown.has(path) ? [{ path: `paths.${index}`, message: `The site has no page ${path}.` }] : [],
    );
    const hint = 'Write pages without leading slash and extension, for example guides/start.';
    throw new Problem('invalid_request', `${details[0]?.message ?? 'A page is unknown.'} ${hint}`, {
      details,
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    context.log.info({ err: error }, 'paths could not be checked before the start');
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}
