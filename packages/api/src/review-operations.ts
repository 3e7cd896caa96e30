/**
 * The operations by which a person judges sources, exports and the installation; the dashboard is made of them.
 */
import { z } from 'zod';
import { json, type Operation } from './operation.ts';
import * as review from './review-schemas.ts';
import { ExportJob } from './schemas.ts';

const id = z.string().min(1).max(64);
const jobParams = z.object({ jobId: id });

export const reviewOperations = {
  checkSource: {
    method: 'post',
    path: '/v1/projects/check',
    tag: 'Projects',
    summary: 'Look at a source before a project is made of it',
    description:
      'Fetches the source, reads its configuration and counts its pages. Nothing is kept. Takes up to a minute; what is wrong with the source is told in `problem`.',
    scope: 'projects:write',
    organizationWide: true,
    body: review.CheckSource,
    success: json(200, review.SourceCheck),
    errors: ['not_found', 'overloaded'],
  },
  followExports: {
    method: 'get',
    path: '/v1/static-export/events',
    tag: 'Static export',
    summary: 'Follow every job as server-sent events',
    description:
      'Begins with every job that is queued or running. Each event is named `job` and carries the whole record as it is now; several changes at once may come as one. `Last-Event-ID` resumes.',
    scope: 'exports:read',
    plan: 'enterprise',
    success: { status: 200, kind: 'events', schema: ExportJob },
    errors: [],
  },
  createPreview: {
    method: 'post',
    path: '/v1/static-export/jobs/{jobId}/preview',
    tag: 'Static export',
    summary: 'Open the exported site in a browser',
    description:
      'Unpacks the bundle when it is first asked for, and answers with a path at which its pages are served. They are sandboxed: they have no access to this server in the name of the reader.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    success: json(200, review.Preview),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  compareExports: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/compare',
    tag: 'Static export',
    summary: 'Compare with another export, in pages',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({
      with: id.optional().meta({
        description: 'The older job, of the same project. Default: the completed export before this one.',
      }),
    }),
    success: json(200, review.Comparison),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readSystem: {
    method: 'get',
    path: '/v1/system',
    tag: 'Organization',
    summary: 'Read how the installation is',
    scope: 'any',
    organizationWide: true,
    success: json(200, review.System),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
