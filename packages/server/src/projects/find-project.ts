/** Finds projects within an access scope, individually or in a batch. */
import { CompiledQuery, type Selectable } from 'kysely';
import { BatchedReads } from '../batched-reads.ts';
import type { Context } from '../context.ts';
import { isPostgres, type Database, type ProjectRow } from '../ports/database.ts';
import { Problem } from '../problem.ts';
import { projectsWithin, type AccessScope } from '../access-scope.ts';

export type ProjectRecord = Selectable<ProjectRow>;

/** By id or by domain, within the access scope. */
export async function findProject(
  context: Pick<Context, 'database'>,
  where: { reach: AccessScope } & ({ id: string } | { domain: string }),
): Promise<ProjectRecord> {
  const query = context.database.selectFrom('projects').selectAll().where(projectsWithin(where.reach));
  const row = await (
    'id' in where ? query.where('id', '=', where.id) : query.where('domain', '=', where.domain)
  )
    .limit(1)
    .executeTakeFirst();
  if (row !== undefined) return row;
  if ('domain' in where) throw unknownDomain();
  throw new Problem('not_found', 'There is no such project. List them with GET /v1/projects.');
}

export type FindByDomain = (where: { reach: AccessScope; domain: string }) => Promise<ProjectRecord>;

export function batchedFindProject(context: Pick<Context, 'database'>): FindByDomain {
  if (!isPostgres(context.database)) return (where) => findProject(context, where);
  const reads = new BatchedReads(projectsByDomain(context.database));
  return async ({ reach: { organizationId, projectId }, domain }) => {
    const row = await reads.read(keyOf(organizationId, domain));
    if (row === undefined || (projectId !== null && row.id !== projectId)) throw unknownDomain();
    return row;
  };
}

const statement = `select projects.* from projects
  join unnest($1::text[], $2::text[]) as wanted (organization_id, domain) using (organization_id, domain)`;

function projectsByDomain(database: Database) {
  return async (keys: readonly string[]): Promise<Map<string, ProjectRecord>> => {
    const wanted = keys.map((key) => JSON.parse(key) as [string, string]);
    const parameters = [wanted.map(([organizationId]) => organizationId), wanted.map(([, domain]) => domain)];
    const query = CompiledQuery.raw(statement, parameters);
    const { rows } = await database.executeQuery<ProjectRecord>(query);
    return new Map(rows.map((row) => [keyOf(row.organization_id, row.domain), row]));
  };
}

function keyOf(organizationId: string, domain: string): string {
  return JSON.stringify([organizationId, domain]);
}

function unknownDomain(): Problem {
  return new Problem(
    'not_found',
    'No project of this organization has that domain. List the projects with GET /v1/projects.',
  );
}
