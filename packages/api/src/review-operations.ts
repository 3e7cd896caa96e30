import * as z from 'zod';
import { Insights } from './insight-schemas.ts';
import { json, type Operation } from './operation.ts';
import { exportJobId, projectId } from './primitives.ts';
import * as review from './review-schemas.ts';
import { ExportJob } from './schemas.ts';

const jobParams = z.object({ jobId: exportJobId });
const comparedWith = exportJobId
  .optional()
  .describe(
    'The older job, of the same project. Default: the completed export before this one; for the branch of an agent job, the published export.',
  );

export const reviewOperations = {
  checkSource: {
    method: 'post',
    path: '/v1/projects/check',
    tag: 'Projects',
    summary: 'Check a source',
    description:
      'Fetches the source like an export, reads its configuration and counts its pages, without storing anything.\n\nIt takes a few seconds, at most one minute. Problems of the source are reported in `problem`, with status 200. Returns `not_found` if the project does not exist, and `overloaded` while two other checks are running.',
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
      'One stream for all export jobs of your organization. It starts with every job that is queued or running, and does not end.\n\nEach event is named `job` and contains the complete current record as JSON. Several changes can be combined into one event, and a record can be sent twice. `Last-Event-ID` resumes the stream.',
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
      'Returns a path where the pages of the bundle are served for one hour. Search and navigation work as on the real site.\n\nThe body is optional. With `audience` or `signedIn`, the preview shows the site as these readers see it, which needs the scope `exports:write`. Readers for whom the bundle has no files are rejected with `invalid_request`. `bundle_purged` is also returned if the bundle was sealed with another content key than that of the project.\n\nThe first request unpacks the bundle. The pages are sandboxed in a separate origin, without cookies, storage and the rights of the signed-in user. Returns `overloaded` while ten other bundles are being unpacked.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    body: review.CreatePreview,
    bodyOptional: true,
    success: json(200, review.Preview),
    errors: ['not_found', 'job_not_completed', 'job_failed', 'bundle_purged', 'overloaded'],
  },
  compareExports: {
    method: 'get',
    path: '/v1/static-export/jobs/{jobId}/compare',
    tag: 'Static export',
    summary: 'Compare the pages of two exports',
    description:
      'Lists the pages and files that differ.\n\nReturns `not_found` also if there is no earlier export.',
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
      'Compares the Markdown of one page in two bundles, line by line.\n\nThe first request for an export unpacks its bundle. Returns `not_found` also if neither export has the page.',
    scope: 'exports:read',
    plan: 'enterprise',
    params: jobParams,
    query: z.strictObject({
      path: z
        .string()
        .min(1)
        .max(1024)
        .default('/')
        .meta({ description: 'A page that the comparison of the pages lists.', examples: ['/guides/start'] }),
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
    description:
      'Lists new and fixed findings. A finding that only moved to another line counts as the same finding.\n\nReturns `not_found` also if there is no earlier export.',
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
    description:
      'The statistics of the overview in the dashboard: exports per day, durations, failures, findings per project, and failing webhooks.\n\nA project key gets those of its project. Returns `not_found` if the project does not exist.',
    scope: 'exports:read',
    plan: 'enterprise',
    query: z.strictObject({
      days: z.coerce.number<number>().int().min(1).max(90).default(30).meta({
        description: 'Number of days, including today. Days start at midnight UTC.',
      }),
      projectId: projectId.optional().describe('Only this project.'),
    }),
    success: json(200, Insights),
    errors: ['not_found'],
  },
  readSystem: {
    method: 'get',
    path: '/v1/system',
    tag: 'Organization',
    summary: 'Read the system status',
    description:
      'Version, component checks, isolation, queue and storage. The counts are those of your organization.',
    scope: 'any',
    organizationWide: true,
    success: json(200, review.System),
    errors: [],
  },
} as const satisfies Record<string, Operation>;
