/**
 * How far somebody may see: a whole organization, or one project of it. Everything that belongs to a project is looked for
 * with one of the filters below, so that what is out of reach cannot be told from what does not exist.
 */
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Tables } from './ports/database.ts';

export interface Reach {
  organizationId: string;
  /** Null for the whole organization. */
  projectId: string | null;
}

type Filter<Table extends keyof Tables> = (
  rows: ExpressionBuilder<Tables, Table>,
) => ExpressionWrapper<Tables, Table, SqlBool>;

export function projectsWithin({ organizationId, projectId }: Reach): Filter<'projects'> {
  return (rows) =>
    rows.and({ organization_id: organizationId, ...(projectId === null ? {} : { id: projectId }) });
}

export function jobsWithin({ organizationId, projectId }: Reach): Filter<'jobs'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

export function deploymentsWithin({ organizationId, projectId }: Reach): Filter<'deployments'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

/** Those that reach no further than whoever asks. */
export function keysWithin({ organizationId, projectId }: Reach): Filter<'api_keys'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}
