/**
 * The part of the data that a caller may access: an organization, or one project of it. Every query for data of a
 * project uses one of these filters, so that inaccessible records look the same as missing ones.
 */
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import type { Tables } from './ports/database.ts';

export interface AccessScope {
  organizationId: string;
  /** Null for the whole organization. */
  projectId: string | null;
}

type Filter<Table extends keyof Tables> = (
  rows: ExpressionBuilder<Tables, Table>,
) => ExpressionWrapper<Tables, Table, SqlBool>;

export function projectsWithin({ organizationId, projectId }: AccessScope): Filter<'projects'> {
  return (rows) =>
    rows.and({ organization_id: organizationId, ...(projectId === null ? {} : { id: projectId }) });
}

export function jobsWithin({ organizationId, projectId }: AccessScope): Filter<'jobs'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

export function deploymentsWithin({ organizationId, projectId }: AccessScope): Filter<'deployments'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

export function forgeEventsWithin({ organizationId, projectId }: AccessScope): Filter<'forge_events'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

export function automationRunsWithin({ organizationId, projectId }: AccessScope): Filter<'automation_runs'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

export function pullRequestsWithin({ organizationId, projectId }: AccessScope): Filter<'pull_requests'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}

/** Keys whose scope lies within the caller's. */
export function keysWithin({ organizationId, projectId }: AccessScope): Filter<'api_keys'> {
  return (rows) =>
    rows.and({
      organization_id: organizationId,
      ...(projectId === null ? {} : { project_id: projectId }),
    });
}
