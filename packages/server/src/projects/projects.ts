import type { CreateProject, Project, UpdateProject } from '@docyard/api';
import { sql } from 'kysely';
import { recordAudit } from '../audit/audit.ts';
import { nowText, type Actor, type Context } from '../context.ts';
import type { PublicSigningKey } from '../git/signing.ts';
import { newId } from '../ids.ts';
import { readSortedPage, type ListPage, type PageRequest, type SortColumns } from '../paging.ts';
import { acquireLocks, inTransaction, type Database } from '../ports/database.ts';
import { Problem, requireVersion } from '../problem.ts';
import { projectsWithin, type AccessScope } from '../access-scope.ts';
import { columnsContain } from '../search.ts';
import { changeAgentSettings, forgetForgeCredential, viewAgentSettings } from './agent-settings.ts';
import { refuseContextRepositories } from './context-repositories.ts';
import { findProject, type ProjectRecord } from './find-project.ts';
import { changeExportSettings, viewExportSettings } from './export-settings.ts';
import { refuseMissingForgeFields, refuseUnusableForge } from './forge.ts';
import { schedulePolls } from './polling.ts';
import { refuseUnknownFindings } from './known-findings.ts';
import { changePullRequestSettings, viewPullRequestSettings } from './pull-request-settings.ts';
import { inspectNewSigningKey } from './signing-key.ts';

type ProjectContext = Pick<Context, 'config' | 'database' | 'clock' | 'sources' | 'secrets' | 'forges'>;

export async function createProject(
  context: ProjectContext,
  input: CreateProject & { actor: Actor; allowLocal: boolean },
): Promise<Project> {
  const source = checkedSource(context, input.source, input.allowLocal);
  return inTransaction(context.database, async (database) => {
    await refuseTakenDomain(database, input.actor.organizationId, input.domain);
    const now = nowText(context);
    const row = await database
      .insertInto('projects')
      .values({
        id: newId('pr'),
        organization_id: input.actor.organizationId,
        name: input.name,
        domain: input.domain,
        ...source,
        created_at: now,
        updated_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(
      { ...context, database },
      {
        actor: input.actor,
        action: 'project.create',
        object: row.id,
        details: { name: row.name, domain: row.domain },
      },
    );
    return viewProject({ database }, row);
  });
}

export async function updateProject(
  context: ProjectContext,
  input: {
    projectId: string;
    change: UpdateProject;
    actor: Actor;
    allowLocal: boolean;
    /** For a caller that has inspected a new key already. */
    signingKey?: PublicSigningKey | undefined;
  },
): Promise<Project> {
  const { change, actor } = input;
  const source = change.source === undefined ? {} : checkedSource(context, change.source, input.allowLocal);
  refuseContextRepositories(context, change.agent?.contextRepositories, input.allowLocal);
  const { failOn } = change.pullRequests ?? {};
  if (failOn !== undefined) await refuseUnknownFindings(failOn, 'pullRequests.failOn');
  const signingKey = input.signingKey ?? (await inspectNewSigningKey(context, change));
  return inTransaction(context.database, async (database) => {
    const old = await holdProject({ database }, { id: input.projectId, reach: actor });
    requireVersion(old, change.version);
    refuseMoving(change, actor);
    if (change.domain !== undefined && change.domain !== old.domain) {
      await refuseTakenDomain(database, actor.organizationId, change.domain);
    }
    const row = await database
      .updateTable('projects')
      .set({
        ...(change.name === undefined ? {} : { name: change.name }),
        ...(change.domain === undefined ? {} : { domain: change.domain }),
        ...source,
        updated_at: nowText(context),
        version: old.version + 1,
      })
      .where('id', '=', old.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const inside = { ...context, database };
    if (hostOf(row.repository) !== hostOf(old.repository)) await forgetForgeCredential(inside, row.id);
    if (change.agent !== undefined) await changeAgentSettings(inside, row.id, change.agent, signingKey);
    if (change.exports !== undefined) await changeExportSettings(inside, row.id, change.exports);
    await schedulePolls(inside, row.id, change);
    if (change.pullRequests !== undefined)
      await changePullRequestSettings(inside, row.id, change.pullRequests);
    if (change.source !== undefined || change.agent?.forge !== undefined) {
      const changed = change.agent?.forge === undefined ? 'source' : 'agent.forge';
      await refuseUnusableForge(inside, { projectId: row.id, repository: row.repository }, changed);
    }
    if (change.agent !== undefined) await refuseMissingForgeFields(inside, row.id);
    await recordAudit(inside, {
      actor,
      action: 'project.update',
      object: row.id,
      details: { name: row.name, fields: changedFields(change) },
    });
    return viewProject(inside, row);
  });
}

/** Returns the ids of the deleted jobs, so that the caller can remove their files. */
export async function deleteProject(
  context: ProjectContext,
  input: { projectId: string; actor: Actor },
): Promise<string[]> {
  return inTransaction(context.database, async (database) => {
    const row = await holdProject({ database }, { id: input.projectId, reach: input.actor });
    const jobs = await database
      .selectFrom('jobs')
      .select(['id', 'status'])
      .where('project_id', '=', row.id)
      .execute();
    if (jobs.some((job) => job.status === 'queued' || job.status === 'running')) {
      throw new Problem(
        'project_busy',
        'The project has unfinished jobs. Cancel them or wait until they have ended.',
      );
    }
    const ids = jobs.map((job) => job.id);
    const keys = await database
      .selectFrom('api_keys')
      .select('id')
      .where('project_id', '=', row.id)
      .execute();
    await database
      .deleteFrom('job_events')
      .where('job_id', 'in', (eb) => eb.selectFrom('jobs').select('id').where('project_id', '=', row.id))
      .execute();
    await database.deleteFrom('jobs').where('project_id', '=', row.id).execute();
    // Keys limited to the project are deleted with it and recorded in the audit log.
    await database.deleteFrom('projects').where('id', '=', row.id).execute();
    const named = { name: row.name, domain: row.domain };
    const details = keys.length === 0 ? named : { ...named, keys: keys.map((key) => key.id) };
    await recordAudit(
      { ...context, database },
      { actor: input.actor, action: 'project.delete', object: row.id, details },
    );
    return ids;
  });
}

export async function readProject(
  context: Pick<Context, 'database'>,
  input: { projectId: string; reach: AccessScope },
): Promise<Project> {
  return viewProject(context, await findProject(context, { id: input.projectId, reach: input.reach }));
}

export interface ProjectFilters {
  q?: string | undefined;
  domain?: string | undefined;
  /** Separated by commas. */
  ids?: string | undefined;
  sort?: string | undefined;
}

const sortColumns: SortColumns = {
  name: sql`lower(name)`,
  domain: sql`domain`,
  updatedAt: sql`updated_at`,
};

export async function listProjects(
  context: Pick<Context, 'database'>,
  input: PageRequest & ProjectFilters & { reach: AccessScope },
): Promise<ListPage<Project>> {
  let query = context.database.selectFrom('projects').selectAll().where(projectsWithin(input.reach));
  if (input.domain !== undefined) query = query.where('domain', '=', input.domain);
  if (input.ids !== undefined) query = query.where('id', 'in', input.ids.split(','));
  if (input.q !== undefined)
    query = query.where(columnsContain(['name', 'domain', 'repository', 'id'], input.q));
  const { data, nextCursor } = await readSortedPage(input, query, (row) => row, sortColumns);
  return { data: await viewProjects(context, data), nextCursor };
}

/** Prevents the deletion of the project until the transaction ends. */
export async function holdProject(
  context: Pick<Context, 'database'>,
  where: { id: string; reach: AccessScope },
): Promise<ProjectRecord> {
  await acquireLocks(context.database, `project:${where.id}`);
  return findProject(context, where);
}

/**
 * A caller limited to one project must not change its domain and the repositories that it reads, which could be those
 * of another project.
 */
function refuseMoving({ domain, source, agent }: UpdateProject, { projectId }: AccessScope): void {
  const moved = [domain, source, agent?.contextRepositories];
  if (projectId === null || moved.every((field) => field === undefined)) return;
  throw new Problem(
    'scope_missing',
    'This API key is limited to one project and cannot change its domain, source or context repositories. Use one for all projects.',
  );
}

async function refuseTakenDomain(database: Database, organizationId: string, domain: string): Promise<void> {
  await acquireLocks(database, `domains:${organizationId}`);
  const taken = await database
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  if (taken !== undefined) {
    const message = `The project ${taken.id} already has the domain ${domain}. Use another domain.`;
    throw new Problem('domain_taken', message, { details: [{ path: 'domain', message }] });
  }
}

function checkedSource(
  context: Pick<Context, 'sources'>,
  source: CreateProject['source'],
  allowLocal: boolean,
): Pick<ProjectRecord, 'repository' | 'ref' | 'directory'> {
  const checked = {
    repository: source.repository,
    ref: source.ref ?? null,
    directory: source.directory?.replaceAll(/^\.?(\/+|$)|\/+$/g, '') || null,
  };
  const complaint = context.sources.refuse({ ...checked, allowLocal });
  if (complaint !== undefined) {
    const { message } = complaint;
    throw new Problem('invalid_request', message, { details: [{ path: 'source', message }] });
  }
  return checked;
}

/** Names only, because a value may be secret. */
function changedFields({ agent, ...rest }: UpdateProject): string[] {
  const fields = Object.keys(rest).filter((name) => name !== 'version');
  return [...fields, ...Object.keys(agent ?? {}).map((name) => `agent.${name}`)];
}

function hostOf(repository: string): string {
  return URL.canParse(repository) ? new URL(repository).origin : repository;
}

async function viewProject(context: Pick<Context, 'database'>, row: ProjectRecord): Promise<Project> {
  const [view] = await viewProjects(context, [row]);
  return view as Project;
}

async function viewProjects(context: Pick<Context, 'database'>, rows: ProjectRecord[]): Promise<Project[]> {
  const ids = rows.map(({ id }) => id);
  const agents = await viewAgentSettings(context, ids);
  const exports = await viewExportSettings(context, ids);
  const pullRequests = await viewPullRequestSettings(context, ids);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    domain: row.domain,
    source: { repository: row.repository, ref: row.ref, directory: row.directory },
    agent: agents.get(row.id) as Project['agent'],
    exports: exports.get(row.id) as Project['exports'],
    pullRequests: pullRequests.get(row.id) as Project['pullRequests'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  }));
}
