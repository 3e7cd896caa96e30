import * as z from 'zod';
import { Insights } from './insight-schemas.ts';
import { json, type Operation } from './operation.ts';
import * as review from './review-schemas.ts';
import { ExportJob } from './schemas.ts';

const id = z.string().min(1).max(64);
const jobParams = z.object({ jobId: id });
const comparedWith = id.optional().meta({
  description: 'The older job of the same project. Default: the previous completed export.',
});

export const reviewOperations = {
  checkSource: {
    method: 'post',
    path: '/v1/projects/check',
    tag: 'Projects',
    summary: 'Check a source',
    description:
      'Fetches the source, reads its configuration and counts its pages. Nothing is stored. Takes up to a minute. `problem` says what is wrong with the source.',
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
      'Begins with all queued and running jobs. Each event is named `job` and contains the current record. Several changes can arrive as one event. `Last-Event-ID` resumes.',
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
      'Unpacks the bundle on the first request and returns the path where its pages are served. The pages are sandboxed: they cannot call this server with the session of the reader.',
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
    summary: 'Compare the pages of two exports',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({ with: comparedWith }),
    success: json(200, review.Comparison),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readPageChange: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/compare/page',
    tag: 'Static export',
    summary: 'Read the text changes of one page',
    description:
      'A line diff of the Markdown of the page in both bundles. Bundles are unpacked on the first request.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(1024)
        .default('/')
        .meta({ description: 'A page that `compareExports` lists.', examples: ['/guides/start'] }),
      with: comparedWith,
    }),
    success: json(200, review.PageChange),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  compareFindings: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/compare/findings',
    tag: 'Static export',
    summary: 'Compare the findings of two exports',
    description: 'A finding that only moved to another line counts as the same finding.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({ with: comparedWith }),
    success: json(200, review.FindingsComparison),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged'],
  },
  readInsights: {
    method: 'get',
    path: '/v1/static-export/insights',
    tag: 'Static export',
    summary: 'Read export statistics',
    description: 'Exports per day, durations, failures, findings per project, and failing webhooks.',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({
      days: z.coerce.number<number>().int().min(1).max(90).default(30).meta({
        description: 'How many days to count, today included. Days begin at midnight UTC.',
      }),
      projectId: id.optional().meta({ description: 'Only this project.' }),
    }),
    success: json(200, Insights),
    errors: ['not_found'],
  },
  readSystem: {
    method: 'get',
    path: '/v1/system',
    tag: 'Organization',
    summary: 'Read the system status',
    scope: 'any',
    organizationWide: true,
    success: json(200, review.System),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
