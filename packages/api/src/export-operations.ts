import * as z from 'zod';
import { reportTypes } from './constants.ts';
import { ProjectId, Search, sortedBy, YesOrNo } from './list-query.ts';
import { exampleQueuedExportJob } from './examples.ts';
import { json, type Operation } from './operation.ts';
import { exportJobId } from './primitives.ts';
import * as schemas from './schemas.ts';

const jobParams = z.object({ jobId: exportJobId });

export const exportOperations = {
  startExport: {
    method: 'post',
    path: '/v1/static-export/jobs',
    tag: 'Static export',
    summary: 'Start a static export job',
    description:
      'Queues an export of the site of a domain. Follow the job until it is `completed` or `failed`.\n\nReturns `not_found` if no project of your organization has the domain, and `queue_full` if too many jobs are waiting.',
    scope: 'exports:write',
    plan: 'enterprise',
    body: schemas.StartExport,
    success: { ...json(202, schemas.ExportJob), example: exampleQueuedExportJob },
    errors: ['not_found', 'queue_full'],
  },
  listExports: {
    method: 'get',
    path: '/v1/static-export/jobs',
    tag: 'Static export',
    summary: 'List static export jobs',
    description: 'The jobs of your organization, newest first.',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({
      domain: schemas.Domain.optional().describe('Only jobs of this domain.'),
      status: schemas.ExportStatus.optional().describe('Only jobs in this state.'),
      since: z.iso
        .datetime({ offset: true })
        .optional()
        .meta({ description: 'Created at or after this time.' }),
      projectId: ProjectId.describe('Only jobs of this project.'),
      canceled: YesOrNo.meta({
        description: 'Only canceled jobs, or only the others. Default: both.',
      }),
      q: Search.meta({
        description:
          'Words that the id, the domain, the commit or the name of the project must contain, case-insensitive.',
      }),
      sort: sortedBy(['createdAt', 'updatedAt', 'domain'], '-createdAt'),
      ...schemas.Page,
    }),
    success: json(200, schemas.listOf(schemas.ExportJob, 'ExportJobList')),
    errors: [],
  },
  readExport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}',
    tag: 'Static export',
    summary: 'Read the state of a static export job',
    description: 'Use it to poll a job. Polling is cheap with `If-None-Match` or `Prefer: wait=N`.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: json(200, schemas.ExportJob),
    errors: ['not_found'],
    waitable: true,
  },
  deleteExport: {
    method: 'delete',
    path: '/v1/static-export/jobs/{jobId}',
    tag: 'Static export',
    summary: 'Delete a finished export and its files',
    description:
      'Removes the bundle, the report and the record of the job.\n\nReturns `job_not_finished` while the job is queued or running. Cancel it first.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found', 'job_not_finished'],
  },
  createBundle: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/bundle',
    tag: 'Static export',
    summary: 'Get a download link for the bundle',
    description:
      'Signs a new link. Only the link expires; the job and its files are not affected.\n\nThe body is optional. With `since`, the link is for a delta, which is created on the first request. The errors `job_not_completed`, `job_failed` and `bundle_purged` are about the job or the one in `since`, as the message states. `overloaded` means that too many deltas are being created.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    body: schemas.CreateBundle,
    bodyOptional: true,
    success: json(200, schemas.Bundle),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  openBundle: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/bundle',
    tag: 'Static export',
    summary: 'Redirect to a download link',
    description: 'A stable URL that redirects to a newly signed link.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({ since: schemas.Since.optional() }),
    success: { status: 302, kind: 'redirect' },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  openLatestBundle: {
    method: 'get',
    path: '/v1/static-export/latest/bundle',
    tag: 'Static export',
    summary: 'Redirect to the latest bundle of a domain',
    description:
      'A stable URL for programs that install the newest bundle.\n\nReturns `not_found` if the domain is unknown or has no completed export.',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({
      domain: schemas.Domain.describe('The domain of a project.'),
      since: schemas.Since.optional(),
    }),
    success: { status: 302, kind: 'redirect' },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  followExport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/events',
    tag: 'Static export',
    summary: 'Follow a job as server-sent events',
    description:
      'Sends the record of the job whenever it changes, until the final record.\n\nEach event is named `job` and contains the complete record as JSON. `Last-Event-ID` resumes the stream, also on another process of the service. Events are kept for 7 days; after that, you get the current record. While nothing changes, the server sends a comment every 15 seconds. It closes the connection if a client reads nothing for 30 seconds; the client can then resume.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: { status: 200, kind: 'events', schema: schemas.ExportJob },
    errors: ['not_found'],
  },
  readReport: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/report',
    tag: 'Static export',
    summary: 'Read the quality report',
    description:
      'The findings of an export, and facts about its pages. The report also exists if the job failed because of `strict` or `failOn`.\n\nThe `Accept` header selects the format: `text/html` for a page without scripts, `application/sarif+json` for SARIF 2.1.0, `application/xml` for JUnit, otherwise JSON.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: { ...json(200, schemas.Report), alsoTypes: reportTypes },
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readManifest: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/manifest',
    tag: 'Static export',
    summary: 'Read the manifest',
    description: 'The list of files in the bundle with their checksums, and the commit that was exported.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: json(200, schemas.Manifest),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readSigningKey: {
    method: 'get',
    path: '/v1/signing-key',
    tag: 'Static export',
    summary: 'Read the public key that signs bundles',
    description: 'Every bundle contains `manifest.json.minisig`, a signature of its manifest by this key.',
    scope: 'exports:read',
    success: json(200, schemas.SigningKey),
    errors: [],
  },
  cancelExport: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/cancel',
    tag: 'Static export',
    summary: 'Cancel a job',
    description: 'The job ends as `failed` with `failure.code` `canceled`.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: json(202, schemas.ExportJob),
    errors: ['not_found', 'job_finished'],
  },
  retryExport: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/retry',
    tag: 'Static export',
    summary: 'Retry a finished job',
    description: 'Creates a job with the same request. `retryOf` of the new job names the old one.',
    scope: 'exports:write',
    plan: 'enterprise',
    params: jobParams,
    success: {
      ...json(202, schemas.ExportJob),
      example: { ...exampleQueuedExportJob, retryOf: 'se_5b1e07c2d94f3a68' },
    },
    errors: ['not_found', 'job_not_finished', 'queue_full'],
  },
} as const satisfies Record<string, Operation>;
